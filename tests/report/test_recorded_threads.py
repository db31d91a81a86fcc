# SPDX-License-Identifier: Apache-2.0
"""The section on threads and the run-time diagram as they were when somebody last looked at them."""

from __future__ import annotations

from pathlib import Path

import page_text
import pytest
from test_recorded_figures import written
from test_recorded_pages import Line, results

from orchestrator.report.drawing import Drawing
from orchestrator.report.model import Gallery, Table
from orchestrator.report.threads import section
from orchestrator.report.threads.diagram import diagram
from orchestrator.report.threads.execution import Execution, Notification, Span, read
from tests import recorded, threaded_log

RECORDED = Path(__file__).with_name("recorded_threads")


def known(text: str, name: str) -> None:
    recorded.same(text, RECORDED / name)


def of(seed: int, nodes: tuple[str, ...], traced: bool) -> list[Line]:
    found: list[Line] = []
    for place, node in enumerate(nodes, 1):
        shares = {"worker": 0.1 * seed, "idle": 0.8 - 0.1 * seed, "board": 0.2}
        found += [("cpu_share", f"{node}/{thread}", share) for thread, share in shares.items()]
        found += [("context_switches", node, 100.0 * place + seed), ("blackboard_bytes_high_water", node, 48)]
        for event, who, deadline in ((3, "0 first one", "10 ms"), (4, "1 second", "none")):
            key = f"{node}/{event}/{who}/{deadline}"
            delays = {"mean": 5.0 * place + seed, "max": 12.0 + seed}
            delays |= {"p05": 1.0, "p50": 4.0, "p95": 11.0} if traced else {}
            found += [("notification_delay_ms", f"{key}/{which}", value) for which, value in delays.items()]
            if deadline != "none":
                found += [("notification_misses", key, seed), ("notification_miss_rate", key, 0.05 * seed)]
    return found


def test_the_section_of_several_cells_and_nodes():
    seeds = (1, 2, 3)
    values = {
        "traced": {seed: of(seed, ("S", "P1"), True) for seed in seeds},
        "one node": {seed: of(seed, ("S",), False) for seed in seeds[:2]},
        "without threads": {1: [("packets_sent", "S", 1)]},
    }
    known(page_text.of_section(section.section(results(values))), "section.txt")


@pytest.mark.parametrize("more", [0, 1])
def test_what_has_no_room_is_in_parts_or_counted(more):
    """A figure has 24 rows, a table 48."""
    subscriptions = [
        ("notification_delay_ms", f"N{place}/3/0 t/none/{which}", 1.0 + place)
        for place in range(2 * section.MOST_ROWS + more)
        for which in ("mean", "max")
    ]
    switches = [("context_switches", f"N{place}", 7) for place in range(2 * section.MOST_ROWS + more)]
    shares = [("cpu_share", f"N{place}/idle", 1) for place in range(section.MOST_ROWS + more)]
    found = section.section(results({"c": {1: [*subscriptions, *switches, *shares]}}))
    gallery = next(block for block in found.blocks if isinstance(block, Gallery))
    names = [(one.name, one.title, len(one.drawing.rows)) for one in gallery.figures]
    delays, shares = "Notification delay by subscriber", "CPU time by thread"
    if more:
        assert names == [
            ("threads-notification-1", f"{delays} (1 of 3)", 48),
            ("threads-notification-2", f"{delays} (2 of 3)", 48),
            ("threads-notification-3", f"{delays} (3 of 3)", 2),
            ("threads-cpu-1", f"{shares} (1 of 2)", 24),
            ("threads-cpu-2", f"{shares} (2 of 2)", 1),
        ]
    else:
        assert names == [
            ("threads-notification-1", f"{delays} (1 of 2)", 48),
            ("threads-notification-2", f"{delays} (2 of 2)", 48),
            ("threads-cpu-1", shares, 24),
        ]
    for table in (block for block in found.blocks if isinstance(block, Table)):
        assert len(table.rows) == 2 * section.MOST_ROWS
        assert table.note.endswith(" The table metrics/summary has 1 more row.") == bool(more)


def of_log(tmp_path: Path, **more) -> Execution:
    (tmp_path / "x.testlog").write_bytes(threaded_log.log({1: threaded_log.mote(**more)}))
    return read(tmp_path / "x.testlog")


def test_the_diagram_of_a_log(tmp_path):
    known(written(diagram(of_log(tmp_path), 1_120_000, 60_000)), "diagram-with-a-miss.svg")


@pytest.mark.parametrize(
    ("others", "hidden", "said"),
    [
        ((), 0, "Modelled."),
        (("m2",), 0, "Modelled. 1 other mote has threads too."),
        (("m2", "m3"), 0, "Modelled. 2 other motes have threads too."),
        ((), 1, "Modelled. Not drawn: 1 more thread."),
    ],
)
def test_the_caption_says_what_is_not_drawn(others, hidden, said):
    threads = tuple(f"t{place}" for place in range(section.MOST_LANES + hidden)) if hidden else ("a",)
    one = Execution("m", threads, (Span("t0", 0, 9, ""),), (), (), 0, others)
    figure = section.figure(one, "H5, seed 1", "name")
    assert figure.caption.endswith(said) and "the CPU of m in H5, seed 1, with" in figure.caption
    assert isinstance(figure.drawing, Drawing) and (figure.name, figure.alt) == (
        "name",
        "Run-time diagram of the threads of m",
    )


@pytest.mark.parametrize(
    ("count", "measured", "told", "window"),
    [
        (10, 0, (), (0, 1000)),  # fewer switches than a window has: to the last one's end
        (40, 0, (), (0, 3000)),
        (100, 0, (), (0, 3000)),
        (100, 5_000, (), (5_000, 3000)),
        (100, 0, (2_000,), (0, 3000)),
        (100, 0, (6_000,), (4_000, 3000)),
        (100, 0, (9_900,), (5_900, 3000)),
        (100, 99_000, (), (9_900, 1000)),
    ],
)
def test_which_window_is_shown(count, measured, told, window):
    """A switch each 100 us; a window has about 40 of them, a millisecond at least."""
    spans = tuple(Span("ab"[place % 2], 100 * place, 100 * place + 100, "end") for place in range(count))
    told = tuple(Notification(at, "a", 1, 0, 0, 0) for at in told)
    assert Execution("m", ("a", "b"), spans, (), told, measured).window() == window
