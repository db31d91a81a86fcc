# SPDX-License-Identifier: Apache-2.0
"""The tables that run times take, and systems as texts."""

from __future__ import annotations

from pathlib import Path

import pytest
from orchestrate_testbed.gateway.distribution.table import LAST, Link

from orchestrator.features.distribution.load import load, loads
from orchestrator.features.distribution.readings import Reading
from orchestrator.features.distribution.run_time import CannotRun, node_tables
from orchestrator.features.distribution.tasks import STEP
from orchestrator.features.distribution.written import written

PAPER = Path(__file__).resolve().parents[3] / "orchestrator" / "features" / "distribution" / "paper"
SMALL = """distribution: small
nodes: [a, b]
networks: {lan: {delay: 150 us}}
objects: {o: {validity: 150 ms}}
sources: {S: {object: o, node: a, period: 100 ms, deadline: 10 ms, execution: 1 ms}}
targets: {T: {object: o, node: NODE, period: 200 ms, release: 180 ms, deadline: 40 ms, execution: 1 ms}}
"""
STEPS = """steps: {X: {node: AT, execution: 1 ms}}
distributions: {d: {object: o, path: [X], network: lan}}
"""
BARE = "distributions: {d: {object: o, network: lan}}\n"


def small(rest: str, **at: str):
    text = SMALL + rest
    for name, value in at.items():
        text = text.replace(name, value)
    return loads(text, Path("small.yaml"))


def shown(system) -> list[list[str]]:
    """The tasks of each node, and from where to where values go."""
    made = node_tables(system, Reading())
    names = {task.number: task.name for table in made for task in table.tasks}
    return [
        [f"{task.name} {task.kind}" for task in table.tasks]
        + [f"{names[link.origin]} -> {names[link.to]} {link.network}".strip() for link in table.links]
        for table in made
    ]


def test_a_path_on_one_node():
    assert shown(small(STEPS, NODE="a", AT="a")) == [
        ["S source", "X last", "T target", "X -> T"],
        [],
    ]


def test_a_path_whose_first_part_is_a_transmission():
    """What sends it takes no time of the source's node."""
    system = small(STEPS, NODE="b", AT="b")
    assert shown(system) == [
        ["S source", "S>X step", "S>X -> X lan"],
        ["X last", "T target", "X -> T"],
    ]
    sends = node_tables(system, Reading())[0].tasks[1]
    assert (sends.kind, sends.execution, sends.source) == (STEP, 0, 1)


def test_a_path_that_ends_with_a_transmission():
    """What arrives is there at once."""
    system = small(STEPS, NODE="b", AT="a")
    assert shown(system) == [
        ["S source", "X step", "X -> X>T lan"],
        ["X>T last", "T target", "X>T -> T"],
    ]


def test_a_path_without_steps():
    assert shown(small(BARE, NODE="a")) == [["S source", "T target", "S -> T"], []]
    assert shown(small(BARE, NODE="b")) == [
        ["S source", "S>T step", "S>T -> T lan"],
        ["T target"],
    ]


def test_the_paper_s_first_scenario():
    one, two = node_tables(load(PAPER / "scenario-1.yaml"), Reading())
    assert [task.name for task in sorted(one.tasks, key=lambda task: -task.priority)] == [
        "DataSource1", "DataSource2", "Supplier2", "EC2", "Supplier1", "EC1"
    ]  # fmt: skip
    assert [task.priority for task in sorted(one.tasks, key=lambda task: task.priority)] == [1, 2, 3, 4, 5, 6]
    supplier = next(task for task in one.tasks if task.name == "Supplier2")
    assert (supplier.source, supplier.release, supplier.deadline) == (2, 10_000, 60_000)
    consumers = [task for task in two.tasks if task.kind == LAST]
    assert len(consumers) == 7 and len(two.tasks) == 14
    remote = [link for link in one.links if link.network]
    assert len(remote) == 7 and {link.node for link in remote} == {1}
    # Data 2 is due first, so its transmissions come before those of data 1.
    second = {task.number for task in consumers if "Target2" in task.name}
    assert min(link.priority for link in remote if link.to in second) == 4
    assert all(link == Link(link.origin, link.to, 1) for link in two.links)
    assert {task.validity for task in two.tasks if task.name.startswith("Target2")} == {140_000}


def test_a_system_without_a_deadline_can_not_run():
    with pytest.raises(CannotRun, match="to-weapon-2"):
        node_tables(load(PAPER / "scenario-4.yaml"), Reading("earliest-stamp"))


@pytest.mark.parametrize("name", ["scenario-1", "scenario-2", "scenario-3", "scenario-4"])
def test_the_text_of_a_system_gives_the_same_system(name):
    system = load(PAPER / f"{name}.yaml")
    again = loads(written(system), Path("again.yaml"))
    assert written(again) == written(system)
    tables = [node_tables(one, Reading()) for one in (system, again)]
    assert tables[0] == tables[1]
    assert again.objects == system.objects and again.networks == system.networks
