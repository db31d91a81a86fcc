# SPDX-License-Identifier: Apache-2.0
"""Policies that firmware has linked, with the lorry of the policies paper; tasks and networks of nodes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from orchestrate_testbed.gateway.distribution.table import Link, NodeTable, NodeTask

from orchestrator.applications import descriptor
from orchestrator.applications.course import CellCourse
from orchestrator.errors import FaultyInput, NoSuchThing
from orchestrator.features.distribution import networks
from orchestrator.features.distribution import placed_tasks as tasks
from orchestrator.features.distribution.partners import Networks, Processes
from orchestrator.features.policies import linked
from orchestrator.features.policies.c_code import table as c_tables
from orchestrator.features.policies.spec import PolicySpec
from orchestrator.resources import contiki_apps
from orchestrator.scenario.model import ApplicationSpec
from orchestrator.topology.model import Layout, Node
from orchestrator.vocabulary.parameters import Parameter
from tests.applications.an_application import an_application

LORRY = contiki_apps() / "apps" / "lorry"
FIGURE = contiki_apps() / "policies" / "figure-03.escape"
OTHER = contiki_apps() / "policies" / "figure-15.escape"


@pytest.fixture
def lorry():
    return descriptor.load(LORRY)


def test_where_a_file_of_policies_is(tmp_path, lorry):
    assert linked.find(FIGURE.name, lorry, None) == FIGURE
    assert linked.find(FIGURE.name, lorry, tmp_path) == FIGURE
    (tmp_path / FIGURE.name).write_text("")
    assert linked.find(FIGURE.name, lorry, tmp_path) == tmp_path / FIGURE.name
    app = an_application(file=tmp_path / "application.yaml")
    assert linked.find(FIGURE.name, app, None) == tmp_path / FIGURE.name
    (tmp_path / "sub").mkdir()
    for written, folder, seen in (
        ("../" + FIGURE.name, tmp_path / "sub", "beside the scenario"),
        ("gone.escape", None, "in the application's folder"),
    ):
        with pytest.raises(NoSuchThing) as raised:
            linked.find(written, lorry, folder)
        first, second = str(raised.value).split("\n")
        assert first.startswith("there is no file '") and second == (
            f"put it {seen}, or name one of contiki-apps/policies"
        )


def test_policies_are_compiled_with_their_numbers(lorry):
    texts = linked.checked({FIGURE.name: FIGURE, OTHER.name: OTHER}, lorry)
    assert texts == {one.name: one.read_text(encoding="utf-8") for one in (FIGURE, OTHER)}
    made = linked.compiled(texts, lorry)
    assert made and all(isinstance(content, bytes) for content in made.values())
    numbers = linked.numbers(texts)
    assert list(numbers) == [FIGURE.name, OTHER.name] and not numbers[FIGURE.name] & numbers[OTHER.name]
    assert sum(numbers.values()) == (1 << sum(bin(one).count("1") for one in numbers.values())) - 1
    assert linked.numbers({FIGURE.name: texts[FIGURE.name]})[FIGURE.name] == numbers[FIGURE.name]
    spec = PolicySpec("lorry", {}, "", texts)
    app = linked.with_policies(lorry, spec)
    assert app.made == made and linked.with_policies(lorry, ApplicationSpec("lorry")) is lorry
    place = linked.compiled(texts, lorry, True)
    assert place != made


def test_firmware_can_switch_its_policies(lorry, monkeypatch):
    asked = []
    real = c_tables.code
    monkeypatch.setattr(c_tables, "code", lambda *given, **more: asked.append(more) or real(*given, **more))
    text = FIGURE.read_text(encoding="utf-8")
    linked.compiled({"switched.escape": text}, lorry)
    linked.compiled({"placed.escape": text}, lorry, True)
    assert [(one["switched"], one["place"] is None) for one in asked] == [(True, True), (True, False)]


def test_faults_of_policies_have_their_file_and_line(tmp_path, lorry):
    (tmp_path / "a.escape").write_text("policy {\n")
    with pytest.raises(FaultyInput) as raised:
        linked.checked({"a.escape": tmp_path / "a.escape"}, lorry)
    for fault in raised.value.faults:
        assert fault.file == str(tmp_path / "a.escape") and fault.line >= 1 and fault.remedy
        assert fault.what.startswith("column ")


def test_which_policies_a_mote_loads(lorry):
    texts = linked.checked({FIGURE.name: FIGURE, OTHER.name: OTHER}, lorry)
    named = [name for name, one in lorry.parameters.items() if one.type == "policies"]
    values = dict.fromkeys(named, "none") | {
        named[0]: f"{FIGURE.name} {OTHER.name}",
        named[1]: OTHER.name,
        named[2]: "gone.escape",
    }
    numbers = linked.numbers(texts)
    assert linked.loaded(lorry, PolicySpec("lorry", values, "", texts)) == {
        f"loaded.{name}": 0 for name in named
    } | {
        f"loaded.{named[0]}": sum(numbers.values()),
        f"loaded.{named[1]}": numbers[OTHER.name],
    }
    assert set(linked.loaded(lorry, ApplicationSpec("lorry", values)).values()) == {0}


def test_programs_in_bytecode(lorry, tmp_path):
    (one,) = (name for name, declared in lorry.parameters.items() if declared.type == "bytecode")
    values = lorry.complete({})
    assert linked.code(lorry, values | {one: "none"}) == {f"code.{one}": []}
    assert linked.code(lorry, values | {one: "01ff"}) == {f"code.{one}": [1, 255]}
    assert linked.has_place(lorry, {}) is False
    (choice,) = (name for name, words in lorry.build.items() if {"BYTECODE": "1"} in words.values())
    assert linked.has_place(lorry, {choice: "code"}) is True
    both = linked.numbers({"both": FIGURE.read_text(encoding="utf-8") + OTHER.read_text(encoding="utf-8")})[
        "both"
    ]
    (tmp_path / "two.escape").write_text("".join(one.read_text(encoding="utf-8") for one in (FIGURE, OTHER)))
    with pytest.raises(FaultyInput) as raised:
        linked.program(tmp_path / "two.escape", {}, lorry)
    (fault,) = raised.value.faults
    assert (fault.file, fault.line, fault.what, fault.remedy) == (
        str(tmp_path / "two.escape"),
        1,
        f"the file holds {bin(both).count('1')} policies, a mote has a place for one in bytecode",
        "put each into a file of its own",
    )


def test_policies_that_a_folder_has_by_default():
    own = {"Makefile": LORRY / "Makefile"}
    made = linked.by_default(LORRY, own)
    assert made == linked.by_default(LORRY, {**own, "a.c": LORRY / "lorry.c"}) and made
    assert linked.by_default(LORRY, {}) == {}
    assert linked.by_default(LORRY, {**own, next(iter(made)): LORRY}) in ({}, made)
    plain = contiki_apps() / "apps" / "aggregation"
    assert linked.by_default(plain, {"Makefile": plain / "Makefile"}) == {}


# --- tasks

TABLES = (
    NodeTable("a", (NodeTask("S", "source", 1, 2, 300, 4, 290, 10), NodeTask("L", "last", 2, 1, 300, 0, 280, 5, 1, 900)), (Link(1, 3, 1, "bus", 7), Link(1, 2, 0))),  # noqa: E501
    NodeTable("b", (NodeTask("T", "target", 3, 1, 300, 0, 300, 5),), ()),
)  # fmt: skip
NODES = (Node(4, "S", "subscriber", 0, 0), Node(5, "P1", "publisher", 1, 0), Node(6, "C", "control", 0, 1))
VALUES = {
    "network": "modelled",
    "gateways": "none",
    "scale": 1,
    "release": "x",
    "bound": "y",
    "system": "text",
}


@pytest.fixture
def app(monkeypatch):
    for module in (tasks, networks):
        monkeypatch.setattr(module, "tables", lambda *_: TABLES)
        monkeypatch.setattr(
            module, "system_of", lambda *_: SimpleNamespace(networks={"bus": 1000, "air": 300})
        )
    declared = {"system": Parameter("system", "file", "text")}
    declared |= {name: Parameter(name, "text", value) for name, value in VALUES.items() if name != "system"}
    for name, value in (("warm-up", 7), ("shortest", 0.5), ("clock-interval", 9)):
        declared[name] = Parameter(name, "time", value)
    return an_application(gateways="distribution", tasks="system", parameters=declared, success_line="over")


def test_what_images_say_of_tasks(app):
    layout = Layout("x", NODES)
    facts = tasks.Facts(app, layout, VALUES, 1_000_000)
    assert facts.common == {"nodes": [4, 5], "least": 300}
    assert facts.of(4) == {
        "node": 1,
        "tasks": [
            300,
            4,
            290,
            10,
            0,
            1 | 1 << 8 | 2 << 16,
            300,
            0,
            280,
            5,
            900,
            2 | 3 << 8 | 1 << 16 | 1 << 24,
        ],
        "links": [1 | 3 << 8 | 7 << 16 | 1 << 24, 1 | 2 << 8],
        "names": [ord("S"), 0, ord("L"), 0],
    }
    assert facts.of(6) == {"node": 0, "tasks": [], "links": [], "names": []}
    radio = tasks.Facts(app, layout, VALUES | {"network": "radio"}, 1)
    assert radio.common["least"] == 0
    there = tasks.Facts(app, layout, VALUES | {"gateways": "b"}, 1)
    assert there.of(5)["node"] == 0 and there.of(4)["node"] == 1


@pytest.mark.parametrize(
    ("nodes", "duration", "names", "faults"),
    [
        (NODES, 1_800_000_000, ("S", "L"), []),
        (NODES, 1, ("S" * 64, "L" * 64), []),
        (
            NODES[1:],
            1,
            ("S", "L"),
            [
                (
                    "system: the system has 2 nodes, the topology 1 motes",
                    "add motes to the topology, one for each node",
                )
            ],
        ),
        (
            NODES,
            1_800_000_001,
            ("S", "L"),
            [
                (
                    "a run of 1800000001 us is too long for clocks of 32 bits",
                    "make the duration 30 min at most",
                )
            ],
        ),
        (
            NODES,
            1,
            ("S" * 65, "L"),
            [
                (
                    f"system: the task {'S' * 65} has a name of 65 characters, 64 fit the log",
                    "shorten the names of its step and target",
                )
            ],
        ),
    ],
)
def test_systems_that_do_not_fit_the_motes(app, monkeypatch, nodes, duration, names, faults):
    first = replace(
        TABLES[0],
        tasks=tuple(replace(one, name=name) for one, name in zip(TABLES[0].tasks, names, strict=True)),
    )
    monkeypatch.setattr(tasks, "tables", lambda *_: (first, TABLES[1]))
    if not faults:
        assert tasks.Facts(app, Layout("x", nodes), VALUES, duration)
        return
    with pytest.raises(FaultyInput) as raised:
        tasks.Facts(app, Layout("x", nodes), VALUES, duration)
    assert [(one.what, one.remedy) for one in raised.value.faults] == faults


def test_names_of_a_node_s_tasks_have_255_bytes(app):
    def table(size):
        return NodeTable(
            "n", tuple(NodeTask("x" * (size - 1), "load", n, 1, 1, 0, 1, 1) for n in range(5)), ()
        )

    assert tasks._too_long(app, table(51)) == []
    (fault,) = tasks._too_long(app, table(52))
    assert (fault.what, fault.remedy) == (
        "system: the names of n's tasks take 260 bytes, 255 fit",
        "shorten the names of steps, targets and loads, or move some to another node",
    )


def test_networks_between_nodes(app):
    cell = SimpleNamespace(
        application=SimpleNamespace(parameters={}), duration_us=100, drain_us=20, start_delay_us=3
    )
    times = CellCourse(5, 777)

    def made(**changes):
        cell.application.parameters = changes
        return networks.networks(app, Layout("x", NODES), cell, times)

    plain = Networks({"bus": 1000, "air": 300}, {3: ("bus", 7)}, (4, 5), "over", 777, None)
    assert made() == plain and made(network="radio") is None
    processes = Processes({1: TABLES[1]}, 7, 100, 100 + 20 + 3_000_000, 0.5, 9, 3)
    assert made(gateways="b") == replace(plain, gateways=processes)
    with pytest.raises(FaultyInput, match="they have no radio"):
        made(network="radio", gateways="b")
    assert Path(app.file).name == "application.yaml"
