# SPDX-License-Identifier: Apache-2.0
"""Cells placed: control node, EEPROM images (decoded independently by struct), the run's end, the .csc."""

import struct
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.applications import descriptor, eeprom, place
from orchestrator.applications.model import Application, EepromField
from orchestrator.csc.read import read
from orchestrator.csc.write import write
from orchestrator.errors import FaultyInput
from orchestrator.scenario.load import loads
from orchestrator.vocabulary.parameters import Parameter
from tests.placed import simulation as simulation_of
from tests.tier import examples

BASE = """\
experiment: trial
topology: {{shape: {shape}}}
application: {{name: probe-app, {parameters}}}
duration: 15 min
seeds: 1
"""


def cell(shape="chain, publishers: 4", parameters="rate: low"):
    return loads(BASE.format(shape=shape, parameters=parameters), "x.yaml").cells[0]


def decoded(image: bytes) -> dict:
    """Decodes an image as configuration code on a mote does, written anew from application.yaml with
    struct."""
    head = struct.Struct("<HBBBBBBBBBIIiBBBHhBIH")
    names = [
        "magic",
        "role",
        "id",
        "index",
        "parent",
        "control",
        "subscriber",
        "publishers",
        "through",
        "depth",
        "seed",
        "duration_ms",
        "drain_ms",
        "trace",
        "rate",
        "aggregate",
        "delay_ms",
        "reach_cm",
        "share",
        "bitrate",
        "count",
    ]
    fields = dict(zip(names, head.unpack_from(image), strict=True))
    at = head.size
    for name, kind in (("children", "B"), ("neighbours", "H"), ("motes", "I")):
        count = image[at]
        items = struct.Struct(f"<{count}{kind}")
        fields[name] = list(items.unpack_from(image, at + 1))
        at += 1 + items.size
    assert at == len(image)
    return fields


def test_the_image_of_a_mote_in_the_chain():
    simulation = simulation_of(
        cell(parameters="rate: low, aggregate: false, delay: 250 ms, reach: 1.5 m"), seed=70_000
    )
    assert decoded(simulation.motes[2].eeprom) == {
        "magic": 0x4F52, "role": 2, "id": 3, "index": 2, "parent": 2, "control": 6, "subscriber": 1, "publishers": 4,  # noqa: E501
        "through": 3, "depth": 2, "seed": 70_000, "duration_ms": 900_000, "drain_ms": 10_000, "trace": 0, "rate": 2,  # noqa: E501
        "aggregate": 0, "delay_ms": 250, "reach_cm": 150, "share": 50, "bitrate": 250_000, "count": 3,
        "children": [4], "neighbours": [2, 4], "motes": [1, 2, 4, 5, 6],
    }  # fmt: skip
    ends = [decoded(simulation.motes[number].eeprom) for number in (0, 4, 5)]
    assert [
        (e["role"], e["index"], e["parent"], e["through"], e["depth"], e["children"], e["neighbours"])
        for e in ends
    ] == [
        (1, 0, 0, 4, 0, [2], [2]),
        (2, 4, 4, 1, 4, [], [4]),
        (4, 0, 0, 0, 0, [], []),
    ]


@settings(max_examples=examples(40), deadline=None)
@given(
    st.sampled_from(["chain, publishers: 9", "star, publishers: 7", "tree, depth: 3", "tree, depth: 2, inner: relay",  # noqa: E501
                     "grid", "mesh, rows: 4", "grid, subscriber: centre"]),
    st.integers(0, 10_000), st.integers(0, 10_000), st.integers(0, 100), st.integers(1, 300), st.integers(0, 2**31 - 1),  # noqa: E501
)  # fmt: skip
def test_images_agree_with_the_layout(shape, delay_ms, reach_cm, share, count, seed):
    parameters = f"delay: {delay_ms} ms, reach: {reach_cm} cm, share: {share} %, count: {count}"
    made = cell(shape, parameters)
    layout = place.place(made).acting
    images = [decoded(mote.eeprom) for mote in simulation_of(made, seed).motes]
    publishers = {node.mote for node in layout.nodes if node.role == "publisher"}
    by_mote = {node.mote: node for node in layout.nodes}

    def way(mote):
        while mote:
            yield mote
            mote = by_mote[mote].parent

    for node, image in zip(layout.nodes, images, strict=True):
        assert (image["id"], image["parent"], image["seed"]) == (node.mote, node.parent, seed)
        assert (image["delay_ms"], image["reach_cm"], image["share"], image["count"]) == (
            delay_ms,
            reach_cm,
            share,
            count,
        )
        assert image["children"] == [other.mote for other in layout.nodes if other.parent == node.mote]
        assert image["neighbours"] == [mote for mote in [node.parent, *image["children"]] if mote]
        assert image["through"] == sum(node.mote in way(mote) for mote in publishers)
        assert image["depth"] == len(list(way(node.mote))) - 1
        assert image["publishers"] == len(publishers)
    assert sorted(image["index"] for image in images if image["role"] == 2) == list(
        range(1, len(publishers) + 1)
    )


@pytest.mark.parametrize(
    "shape", ["chain", "star", "tree", "grid", "mesh, jitter: 10 m", "grid, spacing: 1 m"]
)
def test_the_control_node_is_the_last_one_a_metre_beside_the_subscriber(shape):
    nodes = place.place(cell(shape)).acting.nodes
    control, subscriber = nodes[-1], nodes[0]
    assert (control.role, control.name, control.mote, control.parent) == ("control", "C", len(nodes), 0)
    dx, dy = control.x - subscriber.x, control.y - subscriber.y
    assert (dx**2 + dy**2) ** 0.5 == pytest.approx(1.0, abs=2e-3)
    first = nodes[1]
    along = (first.x - subscriber.x, first.y - subscriber.y)
    assert abs(dx * along[0] + dy * along[1]) / (along[0] ** 2 + along[1] ** 2) ** 0.5 < 2e-3
    assert (control.x, control.y) not in {(node.x, node.y) for node in nodes[:-1]}


def test_the_simulation_as_a_whole():
    made = cell(parameters="mac: nullmac")
    simulation = simulation_of(made, 9)
    (kind,) = simulation.mote_types
    assert kind.identifier == "probe_app"
    assert kind.source == "[CONFIG_DIR]/../../../firmware/probe-app/probe-app.c"
    assert kind.commands == "$(MAKE) -j$(CPUS) probe-app.cooja TARGET=cooja MAC=nullmac"
    assert {"ContikiEEPROM", "ContikiRadio", "ContikiClock", "Position"} <= set(kind.interfaces)
    assert (simulation.seed, simulation.motedelay_us) == (9, 1_000_000)
    assert (simulation.medium.transmitting_range, simulation.medium.success_ratio_rx) == (50.0, 1.0)
    # The motes boot up to the start delay late. Then come the measured time, the drain, and the time that
    # the application needs beside them.
    assert simulation.script.timeout_us == (1 + 900 + 10 + 30) * 1_000_000
    assert (simulation.script.success_line, simulation.script.fail_line) == ("!run,end", "!run,unverified")
    assert [mote.id for mote in simulation.motes] == [1, 2, 3, 4, 5, 6]
    assert simulation_of(made, 9) == simulation
    own = simulation_of(made, 9, source="a.c", commands="make a").mote_types[0]
    assert (own.source, own.commands) == ("a.c", "make a")


def test_the_csc_keeps_positions_and_images(tmp_path):
    simulation = simulation_of(cell("mesh, rows: 4"), 5)
    (tmp_path / "simulation.csc").write_bytes(write(simulation))
    again = read(tmp_path / "simulation.csc")
    images = [mote.eeprom.ljust(eeprom.SIZE, b"\0") for mote in simulation.motes]
    assert [(m.id, m.x, m.y) for m in again.motes] == [(m.id, m.x, m.y) for m in simulation.motes]
    assert [mote.eeprom.ljust(eeprom.SIZE, b"\0") for mote in again.motes] == images
    assert again.script == simulation.script


def test_a_cell_that_cannot_be_simulated_says_why():
    made = cell()
    far = replace(made, radio=replace(made.radio, range_m=3.0))
    for call in (place.place, lambda bad: simulation_of(bad, 1)):
        with pytest.raises(FaultyInput, match="P1 is 5.000 m from its next hop S, the range is 3 m"):
            call(far)


def application(*fields: EepromField) -> Application:
    return replace(descriptor.load("probe-app"), eeprom=fields)


@pytest.mark.parametrize(
    ("kind", "code"), [("u8", "B"), ("u16", "H"), ("u32", "I"), ("i16", "h"), ("i32", "i")]
)
@given(data=st.data())
def test_every_type_is_little_endian_and_checked(kind, code, data):
    low, high = eeprom.RANGES[kind]
    number = data.draw(st.integers(low - 5, high + 5))
    items = data.draw(st.lists(st.integers(max(low, 0), high), max_size=40))
    app = application(
        EepromField("n", kind, source="id"), EepromField("list", kind, array=True, source="motes")
    )
    facts = {"id": number, "motes": items}
    if low <= number <= high:
        expected = struct.pack(f"<{code}B{len(items)}{code}", number, len(items), *items)
        assert eeprom.encode(app, facts, "mote 1") == expected
    else:
        with pytest.raises(FaultyInput, match=f"n is {number}, a {kind} holds"):
            eeprom.encode(app, facts, "mote 1")


def test_without_eeprom_fields_there_is_no_image(monkeypatch):
    made = cell()
    bare = application()
    monkeypatch.setattr(descriptor, "load", lambda name: bare)
    assert {mote.eeprom for mote in simulation_of(made, 1).motes} == {None}


def test_images_have_a_largest_size():
    words = EepromField("list", "u32", array=True, source="motes")
    assert len(eeprom.encode(application(words), {"motes": list(range(255))}, "m")) == 1021
    with pytest.raises(FaultyInput, match="has 256 items"):
        eeprom.encode(application(words), {"motes": list(range(256))}, "m")
    with pytest.raises(FaultyInput, match="1025 bytes, 1024 fit"):
        eeprom.encode(application(words, EepromField("n", "u32", value=1)), {"motes": list(range(255))}, "m")


def test_all_fields_that_do_not_fit_are_told():
    app = application(
        *(EepromField(name, "u8", source="id", line=line) for line, name in enumerate("abc", 5))
    )
    with pytest.raises(FaultyInput) as caught:
        eeprom.encode(app, {"id": 256}, "mote 256 (P9)")
    assert [fault.line for fault in caught.value.faults] == [5, 6, 7]


def test_more_than_the_firmware_has_room_for_is_refused_at_the_topologys_line(monkeypatch):
    app = descriptor.load("probe-app")
    fields = [replace(field, most={"publishers": 4, "neighbours": 2}.get(field.name)) for field in app.eeprom]
    monkeypatch.setattr(descriptor, "load", lambda name: replace(app, eeprom=tuple(fields)))
    assert cell("chain, publishers: 4")
    with pytest.raises(FaultyInput) as caught:
        cell("star, publishers: 5")
    found = {(fault.line, fault.remedy) for fault in caught.value.faults}
    assert found == {(2, "4 publishers at most"), (2, "2 neighbours at most")}
    assert "publishers is 5, the firmware has room for 4" in str(caught.value)
    assert "neighbours has 5 items, the firmware has room for 2" in str(caught.value)


def test_roles_are_what_the_parameters_say_and_next_hops_only_what_is_configured():
    of = cell()
    app, placed = descriptor.load(of.application.where), place.place(of).acting
    lists = {name: Parameter(name, "motes", "none") for name in ("who", "what", "lost")}
    app = replace(
        app,
        parameters={**app.parameters, **lists},
        parts={"subscriber": "who", "publisher": "what", "dies": "lost"},
        routes="found",
    )
    made = {
        node.name: node
        for node in place.acting(app, placed, {"who": "S P2", "what": "P2 P3", "lost": "P1"}).nodes
    }
    assert [
        (made[name].role, made[name].also, made[name].dies) for name in ("S", "P1", "P2", "P3", "P4")
    ] == [
        ("subscriber", "", False),
        ("relay", "", True),
        ("subscriber", "publisher", False),
        ("publisher", "", False),
        ("relay", "", False),
    ]
    assert made["C"].role == "control" and not any(node.parent for node in made.values())
    assert place.acting(replace(app, parts={}, routes="configured"), placed, {}) == placed
