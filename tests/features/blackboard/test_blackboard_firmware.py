# SPDX-License-Identifier: Apache-2.0
"""The test case's firmware on the engine: its log against the rule of section 6, worked out from the trace
alone.
"""

from dataclasses import replace

import pytest

from orchestrator.applications.descriptor import load as application
from orchestrator.build import host
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from orchestrator.features.blackboard.paper import figure_7, results
from orchestrator.runs.model import Outcome
from orchestrator.scenario.load import loads
from tests import needs
from tests.placed import simulation
from tests.waiting import HANG_S

SLICE, COST, LATER = 20_000, 500, 10_000  # us
SCENARIOS = {
    name: loads(text, name) for result in results() for name, text in (*result.scenarios, *result.varied)
}


def lines(tmp_path, scenario: str, name: str, seed: int = 3, **others) -> list[tuple[int, list[str]]]:
    """(time, fields) of S's records in one run of a cell, with other parameters of the application."""
    needs.a_compiler()
    cell = next(cell for cell in SCENARIOS[scenario].cells if cell.name == name)
    parameters = {**cell.application.parameters, **others}
    cell = replace(cell, application=replace(cell.application, parameters=parameters))
    app = application(cell.application.name)
    firmware = host.firmware(app, app.variant(cell.application.parameters))
    made = simulation(cell, seed)
    kernel = engine("embedded")
    kernel.prepare()
    result = run_one(
        kernel,
        Job(
            made, seed, {made.mote_types[0].identifier: firmware.path}, tmp_path / "log", wall_limit_s=HANG_S
        ),
    )
    assert result.outcome is Outcome.OK
    found = [line.split("\t") for line in (tmp_path / "log").read_text().splitlines() if "\tID:1\t!" in line]
    assert all(mote == "ID:1" for _, mote, _ in found)
    return [(int(time), text[1:].split(",")) for time, _, text in found]


def notifications(records, subscriber: int) -> list[tuple[int, int, int]]:
    """(time, delay, deadline) of one subscriber."""
    return [
        (time, int(fields[4]), int(fields[5]))
        for time, fields in records
        if fields[0] == "ntf" and int(fields[2]) == subscriber
    ]


@pytest.mark.parametrize("extra", [0, 5, 15, 25, 40])
def test_the_blackboard_waits_for_the_publisher_or_for_the_end_of_the_slice(tmp_path, extra):
    """Whichever is first; slices begin at multiples of 20 ms since S's boot."""
    records = lines(tmp_path, "figure-7.yaml", f"D10-{extra:02d}")
    boot = records[0][0] // 1000 * 1000 - 1000  # it starts with the first clock tick
    told = notifications(records, 0)
    assert len(told) > 30
    for time, delay, deadline in told:
        published, wait = time - delay, delay - COST
        to_the_end = SLICE - (published - boot) % SLICE
        assert wait == min(1000 * extra, to_the_end), (time, delay)
        assert deadline == 10_000
    assert {deadline for _, _, deadline in notifications(records, 1)} == {10_000 + LATER}
    counted = next(fields for _, fields in records if fields[0] == "nts" and fields[2] == "0")
    assert [int(field) for field in counted[5:]] == [
        len(told),
        sum(delay > 10_000 for _, delay, _ in told),
        sum(delay for _, delay, _ in told),
        max(delay for _, delay, _ in told),
    ]


@pytest.mark.parametrize("extra", ["09", "15", "30"])
def test_the_deadline_changes_no_notification(tmp_path, extra):
    """So Figure 7's deadlines are all judged on one series of runs."""
    first, *others = (
        [
            (time, delay)
            for time, delay, _ in notifications(
                lines(tmp_path, "figure-7.yaml", f"D10-{extra}", deadline=1000 * ms), 0
            )
        ]
        for ms in figure_7.DEADLINES
    )
    assert len(first) > 30 and others == [first] * 3


def test_a_publisher_that_gives_up_the_cpu_lets_the_blackboard_run_at_once(tmp_path):
    assert {delay for _, delay, _ in notifications(lines(tmp_path, "figure-7.yaml", "G10-40"), 0)} == {COST}


def test_the_deadline_grows_by_a_millisecond_after_each_miss(tmp_path):
    told = notifications(lines(tmp_path, "adaptive.yaml", "A-20"), 0)
    assert told[0][2] == 10_000 and told[-1][2] > 15_000
    for (_, delay, deadline), (_, _, following) in zip(told, told[1:]):
        assert following == deadline + (1000 if delay > deadline else 0)


def test_the_same_seed_the_same_log_and_another_another_phase(tmp_path):
    first, again, other = (lines(tmp_path, "test-case.yaml", "no-extra-work", seed) for seed in (1, 1, 2))
    assert first == again
    assert [time % SLICE for time, _, _ in notifications(first, 0)][:5] != [
        time % SLICE for time, _, _ in notifications(other, 0)
    ][:5]


def test_each_blackboard_cost_is_another_firmware(tmp_path):
    for variant, cost in (("blackboard-0.1", 100), ("blackboard-2", 2000)):
        told = notifications(lines(tmp_path, "costs.yaml", f"{variant}-00"), 0)
        assert {delay for _, delay, _ in told} == {cost}
