# SPDX-License-Identifier: Apache-2.0
"""application.yaml: what it says, and every fault of a bad one at once, with its line."""

import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.applications import descriptor
from orchestrator.applications.model import Course
from orchestrator.errors import FaultyInput, NoSuchThing
from tests.tier import examples

GOOD = """\
name: small
summary: a small one
roles: [subscriber, publisher]
parameters:
  rate: {type: choice, choices: [high, low], default: high}
  delay: {type: time, default: 0 s, max: 5 s}
  mac: {type: choice, choices: [a, b], default: a, build: {a: "", b: "MAC=b WITH_B=1"}}
  debug: {type: bool, default: false, build: {true: "DEBUG=1", false: "DEBUG=0"}}
eeprom:
  - {field: role, type: u8, source: role, map: {subscriber: 1, publisher: 2}}
  - {field: delay, type: u32, source: parameter.delay, unit: ms}
"""


def read(tmp_path, text):
    folder = tmp_path / "small"
    folder.mkdir(exist_ok=True)
    (folder / "application.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
    return descriptor.load(folder)


def test_the_probe_application():
    app = descriptor.load("probe-app")
    assert app.identifier == "probe_app"
    assert app.roles == ("subscriber", "publisher", "relay", "control")
    assert app.control_node
    assert app.parameters["delay"].maximum == 10_000_000
    assert app.parameters["share"].default == 0.5
    assert (app.success_line, app.fail_line, app.course.outside) == (
        "!run,end",
        "!run,unverified",
        30_000_000,
    )
    assert [field.name for field in app.eeprom][:3] == ["magic", "role", "id"]
    assert app.eeprom[0].value == 0x4F52
    assert descriptor.names() == ["probe-app"]


def test_build_parameters_make_variants_and_the_others_do_not(tmp_path):
    app = read(tmp_path, GOOD)
    assert app.variant({}) == {"DEBUG": "0"}
    assert app.variant({"rate": "low", "delay": 3}) == app.variant({})
    assert app.variant({"mac": "b", "debug": True}) == {"DEBUG": "1", "MAC": "b", "WITH_B": "1"}
    assert list(app.variant({"mac": "b"})) == ["DEBUG", "MAC", "WITH_B"]


def test_when_a_run_begins_and_what_is_simulated_beside_it(tmp_path):
    app = read(
        tmp_path,
        GOOD + "begins-parameter: delay\nbegins: 10 s\nbegins-growth: 200 ms\nbegins-within: 300 s\n"
        "begins-within-growth: 300 ms\ntime-outside: 2 s\n",
    )
    assert app.course == Course("delay", 10_000_000, 200_000, 300_000_000, 300_000, 2_000_000)


def test_minimal_and_unknown(tmp_path):
    app = read(tmp_path, "name: small\nroles: [subscriber, publisher]\n")
    assert (app.control_node, list(app.parameters), app.eeprom, app.success_line, app.course) == (
        False,
        ["platform", "clock", "clock-phase", "cca-threshold"],
        (),
        None,
        Course(),
    )
    with pytest.raises(NoSuchThing, match="did you mean probe-app"):
        descriptor.load("probe-ap")
    with pytest.raises(NoSuchThing):
        descriptor.load(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("old", "new", "line", "what"),
    [
        ("name: small", "name: other", 1, "its folder is small"),
        ("name: small\n", "", 1, "no name"),
        ("summary:", "sumary:", 2, "'sumary' is unknown"),
        ("roles: [subscriber, publisher]", "roles: subscriber", 3, "roles is one value"),
        (
            "roles: [subscriber, publisher]",
            "roles: [subscriber, publisher]\ncontrol-node: yes",
            4,
            "'yes' is neither",
        ),
        ("type: choice, choices: [high, low], default: high", "default: high", 5, "no type"),
        (
            "type: choice, choices: [high, low]",
            "type: chioce, choices: [high, low]",
            5,
            "type 'chioce' is unknown",
        ),
        ("choices: [high, low], ", "", 5, "no choices"),
        ("default: high", "default: hihg", 5, "'hihg' is not one of its choices"),
        ("default: 0 s, max: 5 s", "default: 9 s, max: 5 s", 6, "out of range"),
        ("default: 0 s, max: 5 s", "default: 0, max: 5 s", 6, "0 has no unit"),
        ("max: 5 s", "max: 5 s, maximum: 6 s", 6, "'maximum' is unknown"),
        ("max: 5 s", "max: 5 s, choices: [a]", 6, "has choices"),
        ("max: 5 s", 'max: 5 s, build: {a: "B=1"}', 6, "only a choice or a bool"),
        ('a: "", b', "b", 7, "no build for a"),
        ("MAC=b", "MAC=$(rm)", 7, "not a make variable"),
        ("MAC=b", "CC=evil", 7, "belongs to the build"),
        ('{a: "", ', '{a: "", c: "", ', 7, "build of 'c'"),
        (
            "source: role, map: {subscriber: 1, publisher: 2}",
            "source: role",
            10,
            "no number for subscriber, publisher",
        ),
        ("publisher: 2}", "publisher: two}", 10, "'two' is not a whole number"),
        ("source: role, map: {subscriber: 1, publisher: 2}", "value: 300", 10, "300 does not fit u8"),
        (
            "source: role, map: {subscriber: 1, publisher: 2}",
            "value: 3, source: role",
            10,
            "either a value or a source",
        ),
        ("type: u8", "type: u9", 10, "type 'u9' is unknown"),
        ("source: parameter.delay", "source: parameter.dealy", 11, "'parameter.dealy' is unknown"),
        (", unit: ms", "", 11, "a time needs its unit"),
        (", unit: ms", ", unit: m", 11, "a time needs its unit"),
        ("source: parameter.delay, unit: ms", "source: id, unit: ms", 11, "id has no unit"),
        ("u32, source: parameter.delay, unit: ms", "u32, source: children", 11, "children is a list"),
        ("u32, source: parameter.delay, unit: ms", '"u32[]", source: id', 11, "id is one value"),
        ("field: delay, ", "", 11, "without a name"),
        ("unit: ms", "unit: ms, max: some", 11, "'some' is not a whole number"),
        ("source: role, map", "source: role, max: 256, map", 10, "max 256 does not fit"),
        (
            "u32, source: parameter.delay, unit: ms",
            '"u32[]", source: children, max: 256',
            11,
            "max 256 does not fit",
        ),
        ("name: small", "name: small\nbegins-growth: 3", 2, "3 has no unit"),
        ("name: small", "name: small\nbegins-parameter: delai", 2, "'delai' is not a parameter of type time"),
        ("name: small", "name: small\nbegins-parameter: mac", 2, "'mac' is not a parameter of type time"),
    ],
)
def test_one_fault_one_message(tmp_path, old, new, line, what):
    assert old in GOOD
    with pytest.raises(FaultyInput) as caught:
        read(tmp_path, GOOD.replace(old, new, 1))
    found = [(fault.line, fault.what) for fault in caught.value.faults]
    assert len(found) == 1, found
    assert found[0][0] == line
    assert what in found[0][1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("source: role, map: {subscriber: 1, publisher: 2}", "value: 255"),
        ("source: role, map: {subscriber: 1, publisher: 2}", "value: 0"),
        ("source: role, map", "source: role, max: 255, map"),
        ("u32, source: parameter.delay, unit: ms", '"u32[]", source: children, max: 255'),
    ],
)
def test_the_bounds_of_an_eeprom_field_belong_to_it(tmp_path, old, new):
    assert old in GOOD
    assert len(read(tmp_path, GOOD.replace(old, new, 1)).eeprom) == 2


@settings(max_examples=examples(100), deadline=None)
@given(st.binary(max_size=200), st.integers(0, len(GOOD)))
def test_any_bytes_are_a_descriptor_or_faulty(tmp_path_factory, data, cut):
    folder = tmp_path_factory.getbasetemp() / "fuzz"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for whole in (data, GOOD[:cut].encode() + data, GOOD[:cut].encode() + data + GOOD[cut:].encode()):
        try:
            read(folder, whole)
        except FaultyInput as faulty:
            assert all(fault.what and fault.remedy for fault in faulty.faults)


def test_every_application_has_a_clock_unless_it_has_its_own(tmp_path):
    app = read(tmp_path, GOOD)
    assert app.parameters["clock"].choices == ("1000", "128")
    assert app.variant({"clock": "128", "clock-phase": "drawn"}) == {
        "CLOCK": "128",
        "DEBUG": "0",
        "PHASE": "drawn",
    }
    assert app.variant({"clock": "1000", "clock-phase": "in-step"}) == app.variant({})
    own = read(tmp_path, GOOD.replace("parameters:", "parameters:\n  clock: {type: int, default: 7}", 1))
    assert own.parameters["clock"].default == 7
    assert own.variant({"clock": 128}) == {"DEBUG": "0"}


def test_parts_are_parameters_of_motes_and_routes_one_of_three(tmp_path):
    lists = GOOD.replace(
        "parameters:\n",
        "parameters:\n  who: {type: motes, default: S}\n  lost: {type: motes, default: none}\n",
    )
    app = read(tmp_path, lists + "parts: {subscriber: who, dies: lost}\nroutes: found\n")
    assert (app.parts, app.routes) == ({"subscriber": "who", "dies": "lost"}, "found")
    assert (read(tmp_path, GOOD).parts, read(tmp_path, GOOD).routes) == ({}, "configured")
    with pytest.raises(FaultyInput) as caught:
        read(tmp_path, lists + "parts: {subscriber: rate, eats: who}\nroutes: lost\n")
    said = [fault.what for fault in caught.value.faults]
    assert (
        len(said) == 3
        and "'rate' is not a parameter of type motes" in said[0]
        and "'eats' is not a role" in said[1]
        and "lost" in said[2]
    )
