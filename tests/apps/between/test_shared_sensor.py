# SPDX-License-Identifier: Apache-2.0
"""Three applications on one sensor: the same service with and without the blackboard, and what sharing
saves."""

from __future__ import annotations

import re

import pytest
from board_runs import board_run, notifications, states, threads

from orchestrator import resources
from orchestrator.runs.model import Outcome
from orchestrator.scenario.load import load
from tests import needs

needs.a_compiler()
PUBLISHERS = (2, 3)


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    return {
        shared: board_run(
            tmp_path_factory.mktemp("run"), "shared-sensor", f"blackboard: {str(shared).lower()}"
        )
        for shared in (True, False)
    }


def _counts(texts, mote: int, said: str) -> list[int]:
    line = next(text for text in texts if text.startswith(f"ID:{mote}\t{said}"))
    return [int(number) for number in re.findall(r"\d+", line.split("\t")[1])]


def test_both_do_the_same_work(both):
    used = {
        shared: [_counts(texts, mote, "used by") for mote in PUBLISHERS]
        for shared, (_, texts) in both.items()
    }
    for shared, (run, texts) in both.items():
        assert run.outcome is Outcome.OK
        assert run.total("events_published") == sum(record.values[1] for record in run.of("from")) > 0
        # The subscriber received exactly the readings that each application computed on.
        assert _counts(texts, 1, "heard of") == [sum(counts) for counts in zip(*used[shared], strict=True)]
        assert not [text for text in texts if "refused" in text]
    for one, other in zip(used[True], used[False], strict=True):
        assert one[0] == other[0] == 60  # control: every reading of a minute
        # By itself each samples a little later than the one before it: near a limit that may be another
        # value.
        assert all(abs(a - b) <= 2 and a > 3 for a, b in zip(one[1:], other[1:], strict=True))


def test_sharing_takes_a_third_of_the_samples_and_fewer_switches(both):
    shared, alone = both[True][0], both[False][0]
    for mote in PUBLISHERS:
        ours, theirs = shared.counters[mote], alone.counters[mote]
        assert (ours["samples_taken"], theirs["samples_taken"]) == (60, 180)
        assert ours["context_switches"] < 0.7 * theirs["context_switches"]
        assert ours["events_transmitted"] < theirs["events_transmitted"]
        a, b = states(shared)[mote], states(alone)[mote]
        assert a["listen"] == b["listen"] == 0
        assert a["cpu"] < 0.5 * b["cpu"] and a["transmit"] < b["transmit"]
        # Conversions, and what applications and blackboard compute, are the CPU's whole time, but for
        # sending.
        assert 60 * 80_000 < a["cpu"] < 60 * 80_000 + 700_000
        assert 180 * 80_000 < b["cpu"] < 180 * 80_000 + 700_000


def test_times_of_the_radio_and_of_the_processor_sum_up_to_the_minute(both):
    for run, _ in both.values():
        assert states(run).keys() == {1, *PUBLISHERS}
        for times in states(run).values():
            assert times["transmit"] + times["listen"] + times["off"] == times["cpu"] + times["lpm"]
            assert times["cpu"] + times["lpm"] == pytest.approx(60_000_000, abs=2_000_000)


def test_each_reading_reaches_who_wants_it_in_time(both):
    run, texts = both[True]
    for mote in PUBLISHERS:
        control, watch, record = _counts(texts, mote, "used by")
        found = notifications(run, mote)
        assert [found[name]["notified"] for name in ("control", "watch", "record")] == [
            control,
            watch,
            record,
        ]
        assert found["watch"]["deadline_us"] == 100_000 and found["watch"]["missed"] == 0
        # The watch has a deadline: it goes before the two whose turn came with the same reading.
        assert found["watch"]["max_us"] <= min(found["control"]["max_us"], found["record"]["max_us"])
        assert threads(run, mote)["sampler"][2] == 60 * 80_000


def test_one_sensor_is_read_by_one_thread_at_a_time(tmp_path):
    run, _ = board_run(
        tmp_path, "shared-sensor", "blackboard: false, work: 0 s", shape="star, publishers: 1", trace=True
    )
    used = {name: values[2] for name, values in threads(run, 2).items()}
    # Three conversions of 80 ms in each of 60 periods, none at the same time: nothing is counted twice.
    assert [used[f"{name}_alone"] for name in ("control", "watch", "record")] == [60 * 80_000] * 3
    assert used["idle"] + 3 * 60 * 80_000 == pytest.approx(61_000_000, abs=1_000)
    assert {record.values[1] for record in run.of("sch")} >= {"block", "slice", "sleep"}


def test_a_trace_changes_no_measure(tmp_path, both):
    traced, _ = board_run(tmp_path, "shared-sensor", "blackboard: true", trace=True)
    assert traced.counters == both[True][0].counters
    assert [r.values for r in traced.of("nts", "thr", "nrg")] == [
        r.values for r in both[True][0].of("nts", "thr", "nrg")
    ]
    assert len(traced.of("bpb")) == 120 and {r.mote for r in traced.of("ntf")} == set(PUBLISHERS)


def test_the_radio_may_stay_on_and_that_of_a_relay_does(tmp_path):
    (tmp_path / "chain").mkdir()
    chain, _ = board_run(
        tmp_path / "chain", "shared-sensor", shape="chain, publishers: 2, spacing: 30 m", duration="10 s"
    )
    always, _ = board_run(tmp_path, "shared-sensor", "radio: always", duration="10 s")
    assert [states(chain)[mote]["listen"] > 10_000_000 for mote in (1, 2, 3)] == [True, True, False]
    assert all(times["listen"] > 10_000_000 for times in states(always).values())
    assert chain.total("events_published") == sum(record.values[1] for record in chain.of("from")) == 20


def test_the_scenario_compares_both():
    cells = load(resources.contiki_apps() / "apps" / "shared-sensor" / "sharing.yaml").cells
    assert [cell.application.parameters["blackboard"] for cell in cells] == [False, True]
