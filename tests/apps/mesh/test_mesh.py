# SPDX-License-Identifier: Apache-2.0
"""Diffusion on simulated motes: no loops, at most one delivery, and repair."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "aggregation"))
from app_runs import Run, parse

from orchestrator import resources
from orchestrator.applications.descriptor import load as application
from orchestrator.build import host
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from orchestrator.runs.model import Outcome
from orchestrator.scenario.load import load, loads
from tests.placed import simulation
from tests.waiting import HANG_S

SCENARIO = resources.contiki_apps() / "apps" / "mesh" / "relay-killed.yaml"
GRID = """
experiment: grid
topology: {{shape: mesh, rows: 4, columns: 4, spacing: 40 m, jitter: 3 m}}
radio: {{medium: udgm, range: 50 m, interference: 70 m, tx: 100 %, rx: {rx} %}}
application: {{name: mesh, topics: 3, subscribers: S P3 P12 P15, publishers: P5 P6 P9, renewal: 5 s, interval: 1 s, warm-up: 8 s, {more}}}
duration: 40 s
drain: 3 s
seeds: 1
trace: true
"""  # noqa: E501
KILLED_AT_US = 10_000_000  # half a renewal of the scenario


def run(folder: Path, cell, seed: int) -> Run:
    app = application("mesh")
    firmware = host.firmware(app, app.variant(cell.application.parameters))
    made = simulation(cell, seed)
    kernel = engine("embedded")
    kernel.prepare()
    log = folder / "log"
    result = run_one(
        kernel, Job(made, seed, {made.mote_types[0].identifier: firmware.path}, log, wall_limit_s=HANG_S)
    )
    return parse(result.outcome, log.read_bytes())


def grid(folder: Path, rx: int = 100, more: str = "mac: csma", seed: int = 1) -> Run:
    return run(folder, loads(GRID.format(rx=rx, more=more), "grid.yaml").cells[0], seed)


def wanted(found: Run) -> dict[int, set[str]]:
    topics = defaultdict(set)
    for record in found.of("sub"):
        topics[record.mote].add(record.values[0])
    return topics


def ratios(found: Run, of: int, width_us: int) -> dict[int, float]:
    """Window from the death on -> events delivered, of all owed to all subscribers (if `of` is 0) or one."""
    died = found.of("die")[0].time_us
    got = {(r.mote, r.values[0], *r.values[2][0]) for r in found.of("dlv")}
    owed, kept = Counter(), Counter()
    for mote, topics in wanted(found).items():
        for record in found.of("pub"):
            subject, publisher, sequence, _ = record.values
            if subject in topics and of in (0, mote):
                window = (record.time_us - died) // width_us
                owed[window] += 1
                kept[window] += (mote, subject, publisher, sequence) in got
    return {window: kept[window] / owed[window] for window in owed}


@pytest.mark.parametrize(
    ("rx", "more", "seed"), [(100, "mac: csma", 1), (70, "mac: csma", 2), (90, "mac: nullmac", 3)]
)
def test_no_event_circles_and_none_comes_twice(tmp_path, rx, more, seed):
    found = grid(tmp_path, rx, more, seed)
    assert found.outcome is Outcome.OK
    topics = wanted(found)
    assert sorted(map(len, topics.values())) == [2, 2, 2, 2]
    deliveries = Counter((r.mote, r.values[0], r.values[2][0]) for r in found.of("dlv"))
    assert deliveries and set(deliveries.values()) == {1}
    assert all(subject in topics[mote] for mote, subject, _ in deliveries)
    # A mote accepts an event once, or once more for other subscribers: not more often than there are of
    # these.
    taken = Counter((r.mote, r.values[0], r.values[3][0]) for r in found.of("rcv"))
    assert max(taken.values()) <= len(topics)
    published = {(r.mote, r.values[0], (r.values[1], r.values[2])) for r in found.of("pub")}
    assert not published & set(taken)
    # It hands no event to a neighbour more often than it accepted it, except after the MAC had given up.
    sent = Counter((r.mote, r.values[0], r.values[3][0], r.values[1]) for r in found.of("snd"))
    assert {key[:3] for key in sent} <= published | set(taken)
    again = sum(n - max(taken[key[:3]], 1) for key, n in sent.items() if n > max(taken[key[:3]], 1))
    assert again <= found.total("forwardings_missed")
    assert found.total("pool_exhausted") == found.total("packets_malformed") == 0
    assert len(found.of("pub")) == found.total("events_published") == 3 * 40
    assert len(found.of("dlv")) == found.total("events_delivered")


def test_without_loss_nearly_all_arrives(tmp_path):
    found = grid(tmp_path)
    topics = wanted(found)
    owed = sum(sum(r.values[0] in of for of in topics.values()) for r in found.of("pub"))
    assert len(found.of("dlv")) > 0.99 * owed


def test_delivery_recovers_within_two_renewals(tmp_path):
    """In every subscriber; the repair doesn't wait for a renewal, which comes 20 s after the one before."""
    cell = load(SCENARIO).cells[0]
    for seed in (1, 2, 3):
        found = run(tmp_path, cell, seed)
        assert found.outcome is Outcome.OK
        assert len({r.mote for r in found.of("cnt")}) == 25 and len(wanted(found)) == 4
        dead = found.of("die")[0]
        after = [r for r in found.records if r.mote == dead.mote and r.time_us > dead.time_us]
        assert not after
        assert min(ratios(found, 0, 1_000_000)[window] for window in (0, 1, 2)) < 0.9  # the death is felt
        for mote in wanted(found):
            by_window = ratios(found, mote, KILLED_AT_US)
            before = sum(ratio for window, ratio in by_window.items() if -11 <= window < 0) / 11
            assert before > 0.98
            assert min(by_window[window] for window in range(4, 11)) >= 0.9 * before
            assert by_window[1] >= 0.9 * before
        # 7 hops lead to all subscribers of a topic before the death, 11 after it: one transmission a hop, or
        # nearly.
        assert found.total("link_transmissions") < 14 * found.total("events_published")


def test_the_dead_neither_send_nor_hear(tmp_path):
    found = grid(tmp_path, more="killed: P5 P7, kill-at: 20 s")
    assert {r.mote for r in found.of("die")} == {6, 8}
    for death in found.of("die"):
        assert all(r.time_us <= death.time_us for r in found.records if r.mote == death.mote)
        later = [
            r for r in found.of("rcv") if r.time_us > death.time_us + 1_000_000 and r.values[1] == death.mote
        ]
        assert not later
    # The publisher among them published until then.
    assert 15 <= sum(r.mote == 6 for r in found.of("pub")) <= 21


def test_a_publisher_that_dies_and_boots_again_is_heard(tmp_path):
    """The same holds for those who publish through such a relay, and a subscriber that boots again gets
    events again."""
    found = grid(tmp_path, more="killed: P5 P7 P12, kill-at: 15 s, revive-after: 6 s")
    assert found.outcome is Outcome.OK
    dead, back = ({r.mote: r.time_us for r in found.of(kind)} for kind in ("die", "rev"))
    assert set(dead) == set(back) == {6, 8, 13}
    for mote, at in back.items():
        assert at - dead[mote] == pytest.approx(6_000_000, abs=1000)
        assert not [r for r in found.records if r.mote == mote and dead[mote] < r.time_us < at]
    numbers = [r.values[2] for r in found.of("pub") if r.mote == 6]
    first, second = ([n for n in numbers if n >> 16 == boot] for boot in (0, 1))
    assert [n & 0xFFFF for n in second] == list(range(1, len(second) + 1)) and 17 <= len(second) <= 20
    assert first == list(range(1, len(first) + 1)) and 14 <= len(first) <= 16
    got = {(r.mote, r.values[0], *r.values[2][0]) for r in found.of("dlv")}
    assert len(got) == len(found.of("dlv")) == found.total("events_delivered")
    assert len(found.of("pub")) == found.total("events_published")
    # One and a half renewals (of 5 s) after the boot, events from then on reach all who want them again.
    for mote, topics in wanted(found).items():
        late = [
            r.values[:3]
            for r in found.of("pub")
            if r.values[0] in topics and r.time_us > max(back.values()) + 7_500_000
        ]
        assert len(late) > 10
        assert sum((mote, *event) in got for event in late) >= 0.95 * len(late)


def test_without_the_trace_only_the_experiment_is_printed(tmp_path):
    cell = loads(GRID.format(rx=100, more="mac: csma"), "grid.yaml").cells[0]
    quiet = run(tmp_path, replace(cell, trace=False), 1)
    assert {r.kind for r in quiet.records} == {"sub", "pub", "dlv", "cnt", "run"}
    loud = run(tmp_path, cell, 1)
    kept = ("sub", "pub", "dlv", "cnt", "run")
    assert [(r.time_us, r.mote, r.values) for r in quiet.of(*kept)] == [
        (r.time_us, r.mote, r.values) for r in loud.of(*kept)
    ]
