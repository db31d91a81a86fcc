# SPDX-License-Identifier: Apache-2.0
"""A deployment's gateways, from settings: whom the instructor tells what and when, and what doesn't go."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from orchestrator.applications import gateways as settings
from orchestrator.applications import image, platform, tasks
from orchestrator.applications.channels import of_setting
from orchestrator.applications.course import CellCourse
from orchestrator.applications.model import EepromField
from orchestrator.errors import FaultyInput
from orchestrator.gateways.model import Delays, Gateways
from orchestrator.scenario.model import LinkedRadioSpec, RadioSpec
from orchestrator.topology.model import Layout, Node
from orchestrator.vocabulary.parameters import Parameter
from tests.applications.an_application import an_application

VALUES = {
    "gateway-fan-out": 2,
    "uart-rate": 57_600,
    "usb-latency": 16_000,
    "forwarder": 1_000,
    "processing": 200,
    "gateway-queue": 64,
    "tcp-delay": 500,
    "nagle": True,
    "delayed-ack": 40_000,
    "formation": "a",
    "propagation": "b",
    "relay": "c",
    "sender": "d",
    "delivery": "e",
    "patience": 5,
    "renewal": 0,
    "start": "instructor",
    "events": 2,
    "suppliers": "P1 P2 P3",
    "consumers": "P3",
    "interval": 500_000,
    "bridged": False,
    "size": 0,
    "type": "none",
    "offers": "none",
    "asks": "none",
    "condition": "none",
    "tables": "gateway",
    "killed": "none",
    "identifiers": False,
}
NODES = (
    Node(1, "S", "subscriber", 0.0, 0.0),
    Node(2, "P1", "publisher", 3.0, 0.0, 1),
    Node(3, "P2", "publisher", 0.0, 4.0, 1),
    Node(4, "S2", "subscriber", 0.0, 1.0),
    Node(5, "P3", "publisher", 1.0, 1.0, 4),
    Node(6, "S3", "subscriber", 2.0, 1.0),
    Node(7, "C", "control", 0.0, 0.0),
)


class App:
    gateways, success_line, file = "event-service", "over", Path("/apps/application.yaml")

    def complete(self, given):
        return VALUES | given


def made(radio=None, nodes=NODES, start_delay=100_000, begins=9_000_000, **changes):
    cell = SimpleNamespace(
        application=SimpleNamespace(parameters=changes),
        start_delay_us=start_delay,
        radio=radio or RadioSpec(range_m=4.0),
    )
    return settings.gateways(App(), Layout("boards", nodes), cell, CellCourse(begins, 77_000_000))


def test_the_gateways_of_a_deployment():
    assert made() == Gateways(
        base_stations=(1, 4, 6),
        parents={2: 1, 3: 1},
        instructor=7,
        commands=(
            (1_100_000, "-5-11-temp-"),
            (1_350_000, "-2-10-temp-"),
            (1_600_000, "-2-13-0500-"),
            (1_850_000, "-3-10-pres-"),
            (2_100_000, "-3-13-0500-"),
            (2_350_000, "-5-10-temp-"),
            (2_600_000, "-5-13-0500-"),
            (9_100_000, "-2-12-temp-"),
            (9_350_000, "-3-12-pres-"),
            (9_600_000, "-5-12-temp-"),
        ),
        apart_us=250_000,
        delays=Delays(57_600, 16_000, 1_000, 200, 64, 500, True, 40_000),
        readings=dict(formation="a", propagation="b", relay="c", sender="d", delivery="e"),
        success_line="over",
        timeout_us=77_000_000,
        patience_us=5,
        renewal_us=0,
    )
    assert made(**{"gateway-fan-out": 1, "start": "at-once"}).parents == {2: 1, 3: 2}
    assert made(start="at-once").commands == ()
    assert [text for _, text in made(suppliers="P1 X", consumers="none").commands] == [
        "-2-10-temp-",
        "-2-13-0500-",
        "-2-12-temp-",
    ]
    app = SimpleNamespace(gateways="")
    assert settings.gateways(app, None, None, None) is None


@pytest.mark.parametrize(
    ("changes", "faults"),
    [
        ({}, []),
        (
            {"size": 3, "type": "x"},
            ["type: x isn't described", "size: an event of a type has the type's size"],
        ),
        (
            {"tables": "base-station", "offers": "a", "asks": "b", "renewal": 7},
            [
                "offers: ",
                "asks: ",
                "tables: base-station is for a single board, and nobody can adopt its motes",
                "tables: base-station leaves the gateway out, which compares offers and asks",
                "tables: base-station is for a single board, and there are 3",
            ],
        ),
        ({"begins": 2_749_999}, ["warm-up: the instructor's 7 commands take 2.75 s"]),
        ({"begins": 2_750_000}, []),
        ({"begins": 1, "start": "at-once"}, []),
        (
            {"radio": RadioSpec(range_m=3.9)},
            ["start: the instructor C is not heard by P2, beyond the range of 3.9 m"],
        ),
        (
            {"radio": RadioSpec(range_m=2.0)},
            ["start: the instructor C is not heard by P1, P2, beyond the range of 2 m"],
        ),
        ({"radio": RadioSpec(range_m=2.0), "start": "at-once"}, []),
        ({"radio": LinkedRadioSpec(range_m=2.0)}, []),
        (
            {"radio": RadioSpec("udgm-constant-loss", range_m=3.9, interference_m=1)},
            ["start: the instructor C"],
        ),
        (
            {"killed": "P1 S2 C P3"},
            ["killed: P1, C, P3 supplies, consumes or is the instructor"],
        ),
        (
            {
                "bridged": True,
                "consumers": "S2 P3",
                "size": 2,
                "identifiers": True,
                "renewal": 3,
                "tables": "x",
            },
            [
                "bridged: there is no instructor",
                "bridged: size, identifiers, renewal, events, tables is the event service's",
                "consumers: P3 is no base station, and events of the publish/subscribe middleware end there",
            ],
        ),
        ({"bridged": True, "consumers": "S2", "start": "at-once", "events": 1}, []),
    ],
)
def test_settings_that_do_not_go_together(changes, faults):
    if not faults:
        assert made(**changes)
        return
    with pytest.raises(FaultyInput) as raised:
        made(**changes)
    found = [fault.what for fault in raised.value.faults]
    assert [text[: len(want)] for text, want in zip(found, faults, strict=True)] == faults
    assert all(fault.remedy and fault.file == "/apps/application.yaml" for fault in raised.value.faults)


def test_remedies_of_settings():
    remedies = {
        "base-station is for a single board, and there are 3": "use tables: gateway, or one board",
        "the instructor's 7 commands take 2.75 s": "raise application.warm-up above 2.75 s",
        "P3 is no base station, and events of the publish/subscribe middleware end there": "name some of "
        "S, S2, S3",
        "there is no instructor": "use start: at-once",
        "an event of a type has the type's size": "leave size or type out",
    }
    told = {}
    for changes in (
        {"tables": "base-station", "begins": 1},
        {"bridged": True},
        {"size": 1, "type": "x"},
    ):
        with pytest.raises(FaultyInput) as raised:
            made(**changes)
        told |= {fault.what.partition(": ")[2]: fault.remedy for fault in raised.value.faults}
    assert {what: told.get(what) for what in remedies} == remedies


# --- images, platforms, tasks


def a_field(name, kind="u8", **more):
    return EepromField(name, kind, **more)


APP = an_application(
    eeprom=(
        a_field("magic", "u16", value=0x102),
        a_field("children", "i16", array=True),
        a_field("role", map={"relay": 3}),
    )
)


@pytest.mark.parametrize(
    ("octets", "decoded"),
    [
        (b"\x02\x01\x02\x01\x00\xff\xff\x03", {"magic": 0x102, "children": [1, -1], "role": "relay"}),
        (b"\x02\x01\x00\x04", {"magic": 0x102, "children": [], "role": 4}),
        (b"\x02\x01\x00\x04\x00\x00", {"magic": 0x102, "children": [], "role": 4}),
        (b"\x02\x01\x00\x04\x00\x01", None),
        (b"\x03\x01\x00\x04", None),
        (b"\x02\x01", None),
        (b"\x02\x01\x00", None),
        (b"\x02\x01\x02\x01\x00\xff", None),
        (b"\x02", None),
        (b"", None),
    ],
)
def test_images_are_read_back(octets, decoded):
    assert image.decode(APP, octets) == decoded


def test_whose_image_it_is(tmp_path, monkeypatch):
    loaded = []
    monkeypatch.setattr(image.descriptor, "load", lambda where: loaded.append(where) or APP)
    monkeypatch.setattr(image.descriptor, "names", lambda: ["known"])
    (tmp_path / "b" / "apps" / "x").mkdir(parents=True)
    (tmp_path / "b" / "apps" / "x" / "application.yaml").write_text("")
    fields = image.decoder([tmp_path / "a", tmp_path / "b"])
    for _ in range(2):
        assert fields("[CONFIG_DIR]/apps/x/x.c", b"\x02\x01\x00\x04")["role"] == 4
    assert loaded == [tmp_path / "b" / "apps" / "x"]
    assert fields(str(tmp_path / "b" / "apps" / "x" / "y.c"), b"") is None
    assert fields("/gone/known/known.c", b"\x02\x01\x00\x04")["role"] == 4 and loaded[-1] == "known"
    assert fields("/gone/other/other.c", b"\x02\x01\x00\x04") is None and len(loaded) == 3

    def fails(where):
        raise FaultyInput([])

    monkeypatch.setattr(image.descriptor, "load", fails)
    assert image.decoder([])("/gone/known/known.c", b"\x02\x01\x00\x04") is None


def test_what_no_tree_obeys():
    variant = {"MAC": "radio-csma", "CLOCK": "128", "PHASE": "drawn", "X": "1"}
    assert [one for one, _ in platform.embedded_only(variant)] == [
        "MAC=radio-csma",
        "CLOCK=128",
        "PHASE=drawn",
    ]
    assert list(platform.embedded_only({"MAC": "csma"})) == []
    assert all(why for _, why in platform.embedded_only(variant))


def test_what_an_application_did_not_declare_is_kept_where_it_is_set():
    own = Parameter("clock", "choice", "1000", choices=("1000", "5"))
    undeclared = platform.PARAMETERS["clock"]
    assert platform.kept({"clock": "1000", "a": 1}, {"clock": undeclared, "a": Parameter("a", "int", 1)}) == {
        "a": 1
    }
    assert platform.kept({"clock": "128"}, {"clock": undeclared}) == {"clock": "128"}
    assert platform.kept({"clock": "1000"}, {"clock": own}) == {"clock": "1000"}
    assert (undeclared.default, undeclared.choices) == ("1000", ("1000", "128"))
    phase = platform.PARAMETERS["clock-phase"]
    assert (phase.default, phase.choices) == ("in-step", ("in-step", "drawn"))
    assert platform.BUILD == {
        "clock": {"1000": {}, "128": {"CLOCK": "128"}},
        "clock-phase": {"in-step": {}, "drawn": {"PHASE": "drawn"}},
        "cca-threshold": {"-96": {"CCA": "-96"}, "-95": {}, "-76": {"CCA": "-76"}},
    }


@pytest.mark.parametrize(
    ("written", "network", "found"),
    [
        ("none", "radio", set()),
        ("all", "modelled", {"a", "b"}),
        ("b", "modelled", {"b"}),
        ("c", "modelled", [("gateways: the system has no node 'c'", "there are: a, b")]),
        ("b", "radio", [("gateways: they have no radio", "use network: modelled, or leave gateways out")]),
    ],
)
def test_which_nodes_are_gateways(written, network, found):
    nodes = [SimpleNamespace(name=name) for name in "ab"]
    values = {"gateways": written, "network": network}
    app = an_application()
    if isinstance(found, set):
        assert tasks.gateway_nodes(app, values, nodes) == found
        return
    with pytest.raises(FaultyInput) as raised:
        tasks.gateway_nodes(app, values, nodes)
    assert list(raised.value.faults) == [
        of_setting(app, "gateways", what.partition(": ")[2], remedy) for what, remedy in found
    ]
