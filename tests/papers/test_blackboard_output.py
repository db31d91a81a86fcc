# SPDX-License-Identifier: Apache-2.0
"""What a user reads of the blackboard paper, of what plain models wrote: its page (tests/recorded.py)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil
from pathlib import Path

import pandas as pd
import pytest

from orchestrator.papers.blackboard import (
    adaptive,
    contradictions,
    costs,
    figure_2,
    figure_7,
    measured,
    results,
    storage,
    test_case,
)
from orchestrator.papers.blackboard.definitions import bits
from orchestrator.papers.check import FAILS, HOLDS
from orchestrator.report.data import Results
from orchestrator.report.threads.execution import Execution, Span
from tests import page_in_words, recorded, threaded_log
from tests.manifests import manifest
from tests.papers.blackboard_runs import SEEDS, grown, series, stored

RECORDED = Path(__file__).with_name("recorded_output")


def told(part) -> str:
    return recorded.rounded(page_in_words.told(part, page_in_words.in_brief))


def compiled(more: int) -> dict[measured.Setting, measured.Bytes]:
    """Bytes of every setting: those of the definitions, and more of each concept's own."""
    found = {}
    for setting in measured.settings():
        concept, n = setting.concept, setting.subscribers
        array = (
            setting.events * ceil(bits(concept, n, setting.values) / 8 - 7)
            + more * (1 + n % 3)
            + more * setting.events // 8
        )
        names = {"static": "flags", "dynamic": "containers", "mixed": "frames"}
        stored_ = {"blackboard_array": array, f"blackboard_{names[concept]}": 7 * setting.events + more}
        found[setting] = measured.Bytes(stored_, {"marks": 9 + more, "blackboard_deadlines": 4 * n})
    return found


@pytest.fixture
def compilers(monkeypatch):
    """What the compilers found that are here."""

    def there(*names: str) -> None:
        known = {name: compiled(more) for name, more in (("avr", 0), ("cortex-m3", 3), ("host", 90))}
        found = {name: known[name] for name in names}
        missing = [f"no compiler for {name}" for name in known if name not in names]
        monkeypatch.setattr(storage, "_available", lambda: (found, missing))
        monkeypatch.setattr(measured, "pointer_size", lambda machine: 2 if machine.name == "avr" else 8)

    # "x86_64, here" is another machine's name elsewhere.
    here = replace(measured.HOST, title="this machine")
    for module in (measured, storage, contradictions):
        monkeypatch.setattr(module, "EVERY", (*measured.EVERY[:2], here))
    return there


@pytest.mark.parametrize("names", [("avr", "cortex-m3", "host"), ("host",), ()], ids=["all", "here", "none"])
def test_storage_by_compilers_that_are_here(compilers, names):
    compilers(*names)
    recorded.same(
        told([*storage.sections({}), *figure_2.sections({})]),
        RECORDED / f"blackboard-storage-{len(names)}-compilers.txt",
    )


def test_storages_that_contradict_the_paper(monkeypatch, compilers):
    compilers("avr")
    known, swapped = compiled(0), {"static": "dynamic", "dynamic": "static", "mixed": "mixed"}
    of = {setting: known[replace(setting, concept=swapped[setting.concept])] for setting in known}
    eight = measured.Setting("mixed", 8, 6)
    of[eight] = replace(of[eight], stored={"blackboard_array": 900})
    monkeypatch.setattr(storage, "_available", lambda: ({"avr": of}, []))
    told_of = {check.id: check.verdict for check in (*storage.checks({}), *figure_2.checks({}))}
    assert told_of["order-avr"] == told_of["within"] == told_of["figure-2-ours"] == FAILS
    assert told_of["figure-2-paper"] == told_of["working-area"] == told_of["sum-static"] == HOLDS


# --- notifications
# --------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def notified(tmp_path_factory) -> dict[str, Results]:
    """Figure 7's series, the variants of what we assumed, and deadlines that adapt themselves."""
    folder = tmp_path_factory.mktemp("store")
    cost = {"blackboard-2": 2.0, "blackboard-0.1": 0.1}
    varied = [
        (f"{name}-{extra:02d}", seed, time, late, deadline)
        for name in costs.VARIANTS
        if name != "publisher-1"
        for cell, seed, time, late, deadline in series(cost.get(name, 0.5), names=("D10",))
        for extra in [int(cell[-2:])]
        if extra in (0, 5, 8, 9, 10, 12, 19, 20, 21, 40) and (name != "subscriber-1" or extra > 9)
        if name != "phase-drawn" or extra <= 20
    ]
    deadlines = [
        row for extra in (0, 4, 10, 20, 30) for seed in SEEDS for row in grown(extra, seed, 1000) if seed < 3
    ]
    return {
        name: stored(folder, name, rows)
        for name, rows in (
            (figure_7.EXPERIMENT, series()),
            (costs.EXPERIMENT, varied),
            (adaptive.EXPERIMENT, deadlines),
        )
    }


def test_figure_7_and_what_it_hangs_on(notified):
    (result,) = (one for one in results() if one.name == "figure-7")
    said = told(result.sections(notified))
    recorded.same(said, RECORDED / "blackboard-figure-7.txt")
    assert [check for check in result.checks(notified) if check.evidence not in said] == []
    titles = [table.title for table in result.tables(notified)]
    assert titles == [
        "Figure 7: subscriber 1's time to notification, ms",
        "What hangs on our assumptions: deadline 10 ms",
    ]


def test_figure_7_of_other_times_and_of_some_series(tmp_path, compilers):
    """Explanations that were written for other verdicts say so."""
    compilers()
    slow = series(11.0, names=("D10",))
    found = {figure_7.EXPERIMENT: stored(tmp_path, figure_7.EXPERIMENT, slow)}
    recorded.same(told(figure_7.sections(found)), RECORDED / "blackboard-figure-7-slow.txt")
    assert costs.tables(found) == costs.sections(found) == []
    only = stored(tmp_path / "other", figure_7.EXPERIMENT, series(names=("G10",)))
    assert [check.verdict for check in figure_7.checks({figure_7.EXPERIMENT: only})] == ["not measured"]


def test_the_deadline_that_adapts_itself(notified):
    recorded.same(told(adaptive.sections(notified)), RECORDED / "blackboard-adaptive.txt")
    assert [check.verdict for check in adaptive.checks(notified)] == [HOLDS, HOLDS]


def test_a_deadline_that_is_missed_late_and_one_that_goes_beyond(tmp_path):
    """With no growth there are misses in the second half; by 30 ms a time it grows by more than is needed."""
    rows = [row for seed in SEEDS for row in (*grown(20, seed, 0), *grown(30, seed, 30_000))]
    found = {adaptive.EXPERIMENT: stored(tmp_path, adaptive.EXPERIMENT, rows)}
    said = told([adaptive.checks(found), adaptive.tables(found)])
    recorded.same(said, RECORDED / "blackboard-adaptive-otherwise.txt")


@pytest.mark.parametrize(("end", "verdict"), [(12.0, HOLDS), (12.1, FAILS)])
def test_a_deadline_is_useful_up_to_one_unit_beyond_the_latest_notification(tmp_path, end, verdict):
    rows = [("A-20", 1, 0, 11_000, 10_000), ("A-20", 1, 50_000, 5_000, round(1000 * end))]
    rows.append(("A-30", 1, 0, 1_000, 10_000))  # never missed, so it doesn't count
    found = {adaptive.EXPERIMENT: stored(tmp_path, adaptive.EXPERIMENT, rows)}
    assert [check.verdict for check in adaptive.checks(found)] == [HOLDS, verdict]


def test_misses_from_a_share_of_the_notifications_on():
    delays = pd.DataFrame({"seed": [1] * 4 + [2] * 5, "delay": [9.0] * 9, "deadline": [1.0] * 8 + [9.0]})
    course = adaptive.Course(adaptive.Delays(delays))
    assert [course.missed(since) for since in (0.0, 0.5, 0.75, 1.0)] == [8, 4, 2, 0]
    assert course.ends == [1.0, 9.0] and course.last_change == [0, 4]


# --- the test case
# --------------------------------------------------------------------------------------------------------
def traced(folder: Path, monkeypatch, loads: dict[str, Sequence[int]], seeds: Sequence[int]) -> Results:
    """Runs of the test case, whose publishers compute for so many us after each publication."""
    runs = []
    for cell, of in loads.items():
        for seed in seeds:
            with monkeypatch.context() as patched:
                patched.setattr(threaded_log, "LOADS_US", tuple(of))
                log = threaded_log.log({1: threaded_log.mote(12, shift=seed)})
            run = folder / test_case.EXPERIMENT / "runs" / f"{cell}-{seed}"
            run.mkdir(parents=True)
            (run / "COOJA.testlog").write_bytes(log)
            runs.append(manifest(run.name, cell=cell, seed=seed))
    runs.append(manifest("failed", cell=test_case.CELL, seed=9, outcome="crash"))
    experiment = test_case.EXPERIMENT
    return Results(experiment, folder / experiment, pd.DataFrame(), tuple(runs), "", tuple(loads))


def test_the_threads_of_the_test_case(tmp_path, monkeypatch):
    loads = {test_case.CELL: (400, 450, 430), test_case.INTERRUPTED: (25_000, 24_000)}
    found = {test_case.EXPERIMENT: traced(tmp_path, monkeypatch, loads, (1, 2))}
    recorded.same(told(test_case.sections(found)), RECORDED / "blackboard-test-case.txt")


def test_threads_that_contradict_the_paper(tmp_path, monkeypatch):
    """A publisher that computes up to the slice's end leaves little to the idle thread."""
    found = {
        test_case.EXPERIMENT: traced(tmp_path, monkeypatch, {test_case.CELL: (25_000, 400, 9_000)}, (3,))
    }
    said = told([test_case.checks(found), test_case.tables(found)])
    recorded.same(said, RECORDED / "blackboard-test-case-otherwise.txt")


def test_where_the_paper_can_be_read_in_two_ways(notified, tmp_path, monkeypatch, compilers):
    compilers("avr", "host")
    ran = traced(tmp_path, monkeypatch, {test_case.CELL: (400, 450, 430)}, (1,))
    found = notified | {test_case.EXPERIMENT: ran}
    recorded.same(told(contradictions.sections(found)), RECORDED / "blackboard-readings.txt")
    (table,) = contradictions.tables(found)
    rows = iter(table.rows)
    for one in contradictions.contradictions(found):
        for place, reading in enumerate(one.readings):
            title, text, numbers = (entry.text for entry in next(rows))
            assert title == ("" if place else one.title) and numbers == "\n".join(reading.numbers)
            assert text == ("held: " if reading.held else "") + reading.text
    assert next(rows, None) is None


def test_nothing_is_measured_without_compilers_and_runs(compilers):
    compilers()
    told_of = {name: of({}) for name, of in contradictions.OURS.items()}
    of_headers = {"thread-table", "queue"}
    assert {name for name, said in told_of.items() if said != "not measured"} == of_headers


def test_the_results_say_what_they_are():
    said = [
        f"{one.name}: {one.summary} [{one.heading}] {one.asked} {[name for name, _ in one.scenarios]} "
        f"{[name for name, _ in one.varied]}\n"
        for one in results()
    ]
    recorded.same("".join(said), RECORDED / "blackboard-results.txt")


@pytest.mark.parametrize(
    ("woken", "start"), [(1_500, 0), (3_999, 0), (4_000, 1000), (5_999, 2000), (9_100, 6000)]
)
def test_a_diagram_begins_three_milliseconds_before_the_publisher_wakes_up(monkeypatch, woken, start):
    """At a whole millisecond, and not before the run; it is a tenth of a second long."""
    asked = []
    run = run_of(("idle", woken - 100, "ready"), *turns(500, 30_000))
    monkeypatch.setattr(test_case, "runs", lambda found, cell: [run] if cell == test_case.CELL else [])
    monkeypatch.setattr(test_case, "diagram", lambda execution, *window: asked.append(window))
    monkeypatch.setattr(test_case, "checks", lambda found: [])
    test_case.sections({})
    assert asked == [(start, 100_000, test_case.LANES)]


# --- the test case at the bounds of the paper's words
# ------------------------------------------------------------------------------------------------
def run_of(*spans: tuple[str, int, str]) -> test_case.Run:
    """A run of (thread, us, why it stopped), one after the other; the first activation is none."""
    found, now = [], 0
    for thread, us, why in (("publisher", 100, "sleep"), *spans):
        found.append(Span(thread, now, now + us, why))
        now += us
    return test_case.Run(1, Execution("mote 1", (), tuple(found), (), (), 0))


def turns(busy: int, idle: int, *between: tuple[str, int, str]) -> list[tuple[str, int, str]]:
    """Three turns of a publisher that computes, others, and a rest for the idle thread."""
    return [("publisher", busy, "sleep"), *between, ("idle", idle, "ready")] * 3


@pytest.mark.parametrize(
    ("busy", "idle", "verdicts"),
    [
        (1_000, 30_000, {"period": HOLDS, "within": HOLDS, "idle": HOLDS}),
        (1_001, 30_000, {"period": FAILS, "within": FAILS, "idle": HOLDS}),
        (500, 29_500, {"period": HOLDS, "within": HOLDS, "idle": HOLDS}),
        (500, 29_499, {"period": FAILS, "within": HOLDS, "idle": HOLDS}),
    ],
)
def test_periods_and_runs_of_the_publisher_are_judged_at_their_bounds(busy, idle, verdicts):
    of = [run_of(("idle", 30_000, "ready"), *turns(busy, idle))]
    told_of = {
        "period": test_case._period(of).verdict,
        "within": test_case._within(of).verdict,
        "idle": test_case._idle(of).verdict,
    }
    assert told_of == verdicts


@pytest.mark.parametrize(
    ("busy", "idle", "share"), [(19_999, 60_100, HOLDS), (20_000, 20_100, FAILS), (20_000, 20_101, HOLDS)]
)
def test_no_slice_is_a_run_shorter_than_it_and_long_is_more_than_half(busy, idle, share):
    run = run_of(("blackboard", busy, "block"), ("idle", idle, "ready"), ("subscriber1", 0, "block"))
    no_slice = test_case._no_slice([run])
    assert no_slice.verdict == (HOLDS if busy < 20_000 else FAILS)
    assert no_slice.evidence == f"the longest run: {busy / 1000:.3f} ms, of blackboard"
    assert run.spans("subscriber1") == [] and run.us == 100 + busy + idle
    assert test_case._idle([run]).verdict == share


def test_an_activation_lasts_until_the_publisher_sleeps_and_the_first_is_none():
    run = run_of(
        ("idle", 900, "ready"),
        ("publisher", 300, "slice"),
        ("blackboard", 200, "block"),
        ("publisher", 100, "sleep"),
        ("subscriber1", 50, "block"),
        ("idle", 50, "ready"),
        ("publisher", 10, "sleep"),
        ("blackboard", 10, "block"),
        ("publisher", 5, "slice"),
    )
    assert test_case.activations(run) == [(1000, 1600), (1700, 1710)]
    assert test_case.periods_ms(run) == [0.7]
    following = test_case._next([run])
    assert (following.verdict, following.evidence) == (FAILS, "in 1 of 2 cases, else subscriber1")
