# SPDX-License-Identifier: Apache-2.0
"""Bounds on response times: two analyses that agree, bounds by job between them and simulated schedules."""

import random
from pathlib import Path

import pytest

from orchestrator.features.distribution.load import load
from orchestrator.features.distribution.priorities import table
from orchestrator.features.distribution.readings import EARLIEST_STAMP, Reading
from orchestrator.features.distribution.schedulability import busy_window, by_job, end_to_end, verified
from orchestrator.features.distribution.schedulability.simulate import simulate
from orchestrator.features.distribution.schedulability.verdict import schedulable, verdict
from orchestrator.features.distribution.sensitivity import margins, together
from orchestrator.features.distribution.settings import LONGEST
from orchestrator.features.distribution.tasks import LOAD, STEP, TRANSMISSION, Task
from orchestrator.features.distribution.utilisation import percent, utilisation

PAPER = Path(__file__).resolve().parents[3] / "orchestrator" / "features" / "distribution" / "paper"


def task(name, resource, period, execution, priority, **more) -> Task:
    kind = TRANSMISSION if resource == "net" else LOAD
    values = {"kind": kind, "release": 0, "deadline": period} | more
    return Task(name=name, resource=resource, period=period, execution=execution, priority=priority, **values)


def random_tasks(chance: random.Random) -> list[Task]:
    """Loads on two nodes, and paths that cross a network once or twice, with a short superperiod."""
    found: list[Task] = []
    for number in range(chance.randint(1, 3)):
        period = chance.choice([40, 60, 80, 120, 240])
        execution = chance.randint(1, period // 6)
        found.append(
            task(f"l{number}", chance.choice("ab"), period, execution, 0, release=chance.randrange(period))
        )
    for path in range(chance.randint(1, 2)):
        period, after = chance.choice([80, 120, 240]), ""
        release = chance.randrange(period)
        for step, resource in enumerate(
            chance.choice([("a", "net", "b"), ("a", "net", "b", "net", "a"), ("b",)])
        ):
            name = f"p{path}{step}"
            found.append(task(name, resource, period, chance.randint(1, 8), 0, release=release, after=after))
            after = name
    order = list(range(1, len(found) + 1))
    chance.shuffle(order)
    return [Task(**(vars(one) | {"priority": rank})) for one, rank in zip(found, order)]


def test_two_analyses_agree_and_no_simulated_response_is_longer_than_a_bound():
    chance, exact, shorter, unbounded = random.Random(7), 0, 0, 0
    for _ in range(120):
        tasks = random_tasks(chance)
        first = end_to_end.bounds(tasks, verified.response)
        assert first == end_to_end.bounds(tasks, busy_window.response)
        with_releases = by_job.bounds(tasks)
        until = 3 * by_job.superperiod(tasks)
        runs = [simulate(tasks, until)]
        # Executions that end early can make others later: the bounds hold for all of them.
        runs += [simulate(tasks, until, lambda one, _: chance.randint(1, one.execution) if one.preemptive
                          else one.execution) for _ in range(2)]  # fmt: skip
        for bound, job_bound in zip(first, with_releases):
            seen = max(run.worst(bound.task.name) for run in runs)
            for found in (bound, job_bound):
                assert found.response is None or seen <= found.response, (tasks, found, seen)
            if bound.response is None:
                unbounded += 1
            elif job_bound.response is not None:
                assert job_bound.response <= bound.response
                exact += seen == job_bound.response
                shorter += job_bound.response < bound.response
    assert exact > 100 and shorter > 100 and unbounded > 0


def test_a_textbook_example():
    """Joseph and Pandya (1986), as often repeated: C = 3, 3, 5, T = 7, 12, 20 gives responses of 3, 6, 20."""
    tasks = [task("1", "a", 7, 3, 3), task("2", "a", 12, 3, 2), task("3", "a", 20, 5, 1)]
    assert [bound.response for bound in end_to_end.bounds(tasks, verified.response)] == [3, 6, 20]


def test_a_transmission_waits_for_one_that_has_begun():
    tasks = [task("short", "net", 100, 10, 2), task("long", "net", 100, 50, 1)]
    first, second = end_to_end.bounds(tasks, verified.response)
    assert (first.response, second.response) == (59, 60)
    late = simulate([tasks[0], Task(**(vars(tasks[1]) | {"release": 0}))], 100)
    assert late.worst("long") == 60 and late.worst("short") == 10


def test_tasks_that_are_alike_are_not_taken_for_one():
    tasks = [task("x", "a", 10, 4, 2), task("y", "a", 10, 4, 1)]
    assert [bound.response for bound in end_to_end.bounds(tasks, verified.response)] == [4, 8]


def test_an_end_to_end_bound_grows_by_what_a_task_waits_for():
    tasks = [
        task("send", "a", 100, 5, 4, kind=STEP),
        task("send>take", "net", 100, 10, 3, after="send"),
        task("take", "b", 100, 5, 2, after="send>take", kind=STEP),
        task("other", "b", 30, 7, 5),
    ]
    assert [bound.response for bound in end_to_end.bounds(tasks, verified.response)] == [5, 15, 27, 7]
    assert simulate(tasks, 300).worst("take") == 22


def test_the_longest_times_that_a_file_may_have_are_bounded_as_short_ones_are():
    unit = LONGEST // 10
    tasks = [task("often", "a", 3 * unit, 2 * unit + 1, 2), task("rarely", "a", LONGEST, 2 * unit, 1)]
    for response in (verified.response, busy_window.response):
        assert [bound.response for bound in end_to_end.bounds(tasks, response)] == [
            2 * unit + 1,
            2 * unit + 3 * (2 * unit + 1),
        ]


def test_a_path_longer_than_its_period_has_no_bound():
    tasks = [task("x", "a", 10, 6, 2, kind=STEP), task("x>y", "net", 10, 6, 1, after="x")]
    assert [bound.response for bound in end_to_end.bounds(tasks, verified.response)] == [6, None]
    assert {bound.response for bound in by_job.bounds(tasks)} == {None}
    assert not schedulable(tasks)


def test_a_resource_without_a_moment_to_spare_has_no_bound():
    tasks = [task("x", "a", 10, 5, 2), task("y", "a", 10, 5, 1)]
    assert [bound.response for bound in end_to_end.bounds(tasks, busy_window.response)] == [5, None]
    assert [bound.response for bound in by_job.bounds(tasks)] == [5, 10]


@pytest.mark.parametrize(
    "scenario, node_2, network, without_clocks",
    [
        (1, "16.53 %", "1.20 %", True),
        (2, "72.15 %", "1.20 %", True),
        (3, "16.53 %", "4.48 %", True),
        (4, "8.20 %", "0.30 %", False),
    ],
)
def test_the_papers_scenarios_are_schedulable(scenario, node_2, network, without_clocks):
    system = load(PAPER / f"scenario-{scenario}.yaml")
    judged = verdict(system, Reading())
    shares = utilisation(judged.tasks)
    assert (percent(shares["node-2"]), percent(shares["lan"])) == (node_2, network)
    assert judged.schedulable and judged.needs_clocks != without_clocks
    assert judged.second == judged.verified
    schedule = judged.simulated(100)
    assert not any(job.late for jobs in schedule.jobs.values() for job in jobs)
    for one in judged.deadlines:
        completions = schedule.completions(judged.tasks, one.distribution.name)
        assert len(completions) >= 100 and max(time for _, time in completions) <= one.deadline
    reads = schedule.reads(system, judged.tasks)
    assert {read.target for read in reads} == set(system.targets)
    for read in reads:
        assert read.stamp is not None and read.oldest <= system.objects[system.targets[read.target].object]


def test_a_late_distribution_lets_targets_read_outdated_data():
    """The simulation can tell: with a delay that the deadline forbids, ages exceed the validity."""
    system = load(PAPER / "scenario-4.yaml")
    judged = verdict(system, Reading())
    more = {
        "MissilesBackgroundProcessing2": 240_000,
        "WeaponDataConversion2": 90_000,
        "WeaponInterchanges2": 130_000,
    }
    slow = [Task(**(vars(one) | {"execution": more.get(one.name, one.execution)})) for one in judged.tasks]
    schedule = simulate(slow, 50_000_000)
    assert any(job.late for job in schedule.jobs["WeaponInterchanges2"])
    reads = [read for read in schedule.reads(system, slow) if read.target == "WeaponSubsystems2"]
    assert max(read.oldest for read in reads if read.stamp) > 800_000


def test_without_a_deadline_a_system_is_not_schedulable():
    judged = verdict(load(PAPER / "scenario-4.yaml"), Reading(EARLIEST_STAMP))
    assert [one.distribution.name for one in judged.impossible] == ["to-weapon-2"]
    assert not judged.schedulable


def test_priorities_are_deadline_monotonic_and_unique():
    judged = verdict(load(PAPER / "scenario-1.yaml"), Reading())
    ordered = sorted(judged.tasks, key=lambda one: -one.priority)
    assert [one.priority for one in ordered] == list(range(len(ordered), 0, -1))
    assert [one.deadline for one in ordered] == sorted(one.deadline for one in ordered)
    assert ordered[0].name == "DataSource1"


def test_the_table_of_tasks_and_priorities():
    import yaml

    judged = verdict(load(PAPER / "scenario-1.yaml"), Reading())
    written = yaml.safe_load(table(judged))
    assert written["nodes"]["node-1"]["DataSource1"] == {
        "kind": "source",
        "priority": 6,
        "period": 100_000,
        "release": 0,
        "deadline": 10_000,
        "execution": 1_500,
    }
    assert written["nodes"]["node-2"]["Consumer1/Target1.2"]["after"] == "EC1>Consumer1/Target1.2"
    assert len(written["nodes"]["node-2"]) == 14 and len(written["networks"]["lan"]) == 7


def test_a_margin_may_use_a_node_up():
    """In floating point, the shares of these five have a sum of more than 1."""
    used = zip((5, 5, 20, 50, 100), (1, 1, 4, 3, 30))
    tasks = [task(f"{at}", "a", *one, 5 - at, part=f"{at}") for at, one in enumerate(used)]
    assert {margin.name: margin.most for margin in margins(tasks)}["4"] == 34


def test_margins_are_the_largest_that_hold():
    tasks = [task("1", "a", 7, 3, 3), task("2", "a", 12, 3, 2), task("3", "a", 20, 4, 1)]
    named = [Task(**(vars(one) | {"part": one.name})) for one in tasks]
    found = {margin.name: margin.most for margin in margins(named)}
    assert found == {"1": 3, "2": 3, "3": 5}
    scaled = [
        Task(
            **(vars(one) | {name: 1000 * getattr(one, name) for name in ("period", "deadline", "execution")})
        )
        for one in named
    ]
    factor = together(scaled)
    assert factor > 1 and schedulable(longer(scaled, factor))
    assert not schedulable(longer(scaled, factor + 0.001))


def longer(tasks: list[Task], factor: float) -> list[Task]:
    return [Task(**(vars(one) | {"execution": round(one.execution * factor)})) for one in tasks]


def test_a_late_bound_is_a_bound_unless_it_is_only_asked_whether_deadlines_are_held():
    urgent, late = task("a", "node", 20, 6, 2), task("b", "node", 20, 3, 1, deadline=8)
    assert [one.response for one in by_job.bounds([urgent, late])] == [6, 9]
    assert [one.response for one in by_job.bounds([urgent, late], held=True)] == [None, None]
    in_time = task("b", "node", 20, 3, 1, deadline=9)
    assert [one.response for one in by_job.bounds([urgent, in_time], held=True)] == [6, 9]
    assert by_job.jobs([urgent, task("c", "node", 30, 1, 1)]) == 5
