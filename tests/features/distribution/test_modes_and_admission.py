# SPDX-License-Identifier: Apache-2.0
"""Changes between modes, and targets that come while a system runs."""

from dataclasses import replace
from pathlib import Path

from orchestrator.features.distribution.admission import admit
from orchestrator.features.distribution.load import load
from orchestrator.features.distribution.model import Load, System, Target, Timing
from orchestrator.features.distribution.modes import change
from orchestrator.features.distribution.readings import Reading

PAPER = Path(__file__).resolve().parents[3] / "orchestrator" / "features" / "distribution" / "paper"


def normal() -> System:
    return load(PAPER / "scenario-1.yaml")


def with_load(share: int) -> System:
    """Scenario 1 with a load of that many percent on node 2."""
    timing = Timing(50_000, 0, 50_000, 500 * share)
    return replace(normal(), name=f"load-{share}", loads={"load": Load("load", "node-2", timing)})


def test_modes_that_can_be_there_at_once():
    found = change(normal(), load(PAPER / "scenario-2.yaml"), Reading())
    assert found.possible and found.at_once
    # What both modes have is there once: scenario 2 has 27 tasks of scenario 1 and three loads.
    assert len(found.together) == 30


def test_modes_that_need_a_pause():
    before, after = with_load(45), with_load(50)
    found = change(before, after, Reading())
    assert found.possible and not found.at_once
    assert found.overloaded == ("node-2",)
    assert found.pause == 100_000  # the longest deadline of the mode that ends, Target2.3's


def test_what_differs_is_there_twice_and_the_shorter_deadline_holds():
    before = normal()
    quicker = replace(before.sources["DataSource1"], timing=Timing(50_000, 0, 10_000, 1_500))
    after = replace(before, sources=before.sources | {"DataSource1": quicker})
    found = change(before, after, Reading())
    tasks = {bound.task.name: bound.task for bound in found.together}
    assert tasks["DataSource1"].period == 100_000 and tasks["DataSource1 (new)"].period == 50_000
    assert tasks["EC1 (new)"].after == "Supplier1 (new)"
    assert sum(name.startswith("DataSource2") for name in tasks) == 1
    assert len({task.priority for task in tasks.values()}) == len(tasks)

    stricter = replace(before, objects=before.objects | {"data-1": 130_000})
    tasks = {bound.task.name: bound.task for bound in change(before, stricter, Reading()).together}
    assert tasks["EC1"].deadline == 70_000  # case 2 in both
    stricter = replace(before, objects=before.objects | {"data-2": 120_000})
    tasks = {bound.task.name: bound.task for bound in change(stricter, before, Reading()).together}
    assert tasks["EC2"].deadline == 40_000


def test_a_mode_that_is_not_schedulable_itself():
    assert not change(normal(), with_load(95), Reading()).possible


def test_a_target_is_admitted_with_the_exact_deadline():
    target = Target("New", "node-2", "data-1", Timing(100_000, 75_000, 20_000, 1_000))
    found = admit(normal(), target, "data-1-to-targets", Reading())
    assert found.admitted
    assert (found.before, found.exact.deadline, found.exact.quick) == (70_000, 65_000, 50_000)
    assert found.exact.by.target.name == "New"
    assert "Consumer1/New" in {task.name for task in found.verdict.tasks}


def test_a_target_that_asks_for_too_much_is_refused():
    long = Target("New", "node-2", "data-1", Timing(100_000, 75_000, 90_000, 86_000))
    found = admit(normal(), long, "data-1-to-targets", Reading())
    assert not found.admitted and found.overloaded == ("node-2",)
    # Target1.1 is more urgent, and takes 1.5 ms of these 31 ms.
    urgent = Target("New", "node-2", "data-1", Timing(100_000, 75_000, 31_000, 30_000))
    found = admit(normal(), urgent, "data-1-to-targets", Reading())
    assert not found.admitted and not found.overloaded
