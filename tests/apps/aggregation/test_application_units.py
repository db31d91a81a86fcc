# SPDX-License-Identifier: Apache-2.0
"""The application's C unit tests, and its configuration read from the images that the orchestrator makes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import c_tests
import pytest

from orchestrator.applications.descriptor import load as application
from orchestrator.applications.place import place
from orchestrator.scenario.load import loads

HERE = Path(__file__).parent
APP = c_tests.ROOT / "contiki-apps" / "apps" / "aggregation"
PARTS = {
    "test_schedule": ("publication-schedule.c",),
    "test_delay_histogram": ("delay-histogram.c",),
    "test_deployment": ("deployment.c",),
    "test_merge_choice": ("merge-choice.c",),
    "test_subscriber": ("subscriber.c", "merge-choice.c", "publication-schedule.c", "delay-histogram.c"),
    "configuration_main": ("configuration.c", "deployment.c"),
}
FILES = [HERE / "unit" / f"{name}.c" for name in PARTS if name.startswith("test_")]


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("aggregation")
    built: dict[str, Path] = {}

    def program(name: str) -> Path:
        if name not in built:
            parts = [APP / part for part in PARTS[name]]
            source = HERE / "unit" / f"{name}.c"
            built[name] = c_tests.build(c_tests.library(folder), source, *parts, folders=(APP,))
        return built[name]

    return program


@pytest.mark.parametrize(
    ("source", "case"), [(f, c) for f in FILES for c in c_tests.cases(f)], ids=lambda v: getattr(v, "stem", v)
)
def test_unit(programs, source, case):
    c_tests.run(programs(source.stem), case)


SCENARIO = """
experiment: images
topology: {shape: chain, publishers: 4, spacing: 5 m}
radio: {medium: udgm, range: 50 m, interference: 100 m, tx: 100 %, rx: 95 %}
application: {name: aggregation, rate: low, aggregate: false, delay: 700 ms, jitter: 30 ms, timeout: 4 s, full: network,
              high-min: 200 ms, high-max: 300 ms, low-interval: 50 s, merge: histogram, hold: endless, first: far, begin: 40 s}
duration: 20 min
drain: 7 s
seeds: 123456
trace: true
"""  # noqa: E501


def read(program: Path, image: bytes) -> dict[str, str | list[int]]:
    """Returns the values that the C code reads from an image."""
    done = subprocess.run([program], input=image.hex(), capture_output=True, text=True, check=True)
    pairs = [line.split("=", 1) for line in done.stdout.splitlines()]
    return {"hears": [int(v) for k, v in pairs if k == "hears"], **{k: v for k, v in pairs if k != "hears"}}


def made_images(text: str = SCENARIO) -> dict[str, bytes]:
    cell = loads(text, "images.yaml").cells[0]
    return {mote.name: mote.image for mote in place(cell).deployment(123456).motes}


def test_the_application_reads_the_images_that_the_orchestrator_writes(programs):
    got = {name: read(programs("configuration_main"), image) for name, image in made_images().items()}
    everywhere = {
        "control": "6", "subscriber": "1", "publishers": "4", "trace": "1", "aggregate": "0", "full": "2",
        "drain": "7000", "begins": "40000", "timeout": "4000", "rate": "2", "seed": "123456", "interval_min": "50000",  # noqa: E501
        "interval_max": "50000", "jitter": "30", "delay_step": "700", "duration": "1200000",
        "merge": "6", "hold": "3", "last_first": "4",
    }  # fmt: skip
    for name, fields in got.items():
        assert everywhere.items() <= (fields | ({"control": "6"} if name == "C" else {})).items(), name
    own = ("role", "mote", "parent", "index", "publishers_through", "hears")
    assert [tuple(got[name][field] for field in own) for name in ("S", "P1", "P2", "P4", "C")] == [
        ("subscriber", "1", "0", "0", "4", [2, 6]),
        ("publisher", "2", "1", "1", "4", [1, 3, 6]),
        ("publisher", "3", "2", "2", "3", [2, 4, 6]),
        ("publisher", "5", "4", "4", "1", [4, 6]),
        ("control", "6", "0", "0", "0", [1, 6]),
    ]


def test_a_wrong_image_is_refused_with_a_reason(programs):
    right = made_images()["P1"]
    program = programs("configuration_main")
    assert "fault" not in read(program, right)
    wrong = {
        "the EEPROM holds no image of "
        "this application": [b"", b"\0" * 1024, b"\xff" * 1024, right[1:], b"RO\1" + right[3:]],
        "the EEPROM image holds a value out of range": [
            right[:3] + bytes([role]) + right[4:] for role in (0, 5, 255)
        ] + [right[:16] + b"\0" + right[17:], right[:18] + b"\3" + right[19:], right[:35] + b"\0" * 4 + right[39:]]  # noqa: E501
        + [right[:at] + bytes([value]) + right[at + 1 :] for at, value in ((59, 0), (59, 7), (60, 0), (60, 4), (61, 4), (62, 101), (68, 0), (68, 3))],  # noqa: E501
        "more "
        "rounds "
        "than "
        "there "
        "are "
        "sequence "
        "numbers "
        "(65535)": [right[:16] + b"\1" + right[17:23] + (2**31 - 10**6).to_bytes(4, "little") + right[27:]],
        "more publishers than a subscriber has room for (64)": [right[:13] + b"\x41" + right[14:]],
        "more neighbours than this firmware has room for": [right[:72] + b"\xff" + bytes(range(256)) * 2],
    }  # fmt: skip
    for reason, pictures in wrong.items():
        for image in pictures:
            assert read(program, image).get("fault") == reason, image[:60].hex()


def test_the_descriptor_knows_what_the_firmware_has_room_for(programs):
    most = {field.name: field.most for field in application("aggregation").eeprom if field.most is not None}
    right, program = made_images()["P1"], programs("configuration_main")

    def fault(publishers: int) -> str | None:
        return read(program, right[:13] + bytes([publishers]) + right[14:]).get("fault")

    assert fault(most["publishers"]) is None and "publishers" in fault(most["publishers"] + 1)
    room = int((APP / "project-conf.h").read_text().split("PUBSUB_CONF_MAX_NEIGHBOURS ")[1].split()[0])
    assert most["neighbours"] == room - 1  # and the control node


def test_the_message_says_how_many_publishers_this_firmware_has_room_for(programs, tmp_path):
    archive = shutil.copy(programs("configuration_main").parent / "libmiddleware.a", tmp_path)
    parts = [APP / part for part in PARTS["configuration_main"]]
    flags = (*c_tests.SANITIZE, "-DSUBSCRIBER_CONF_MAX_PUBLISHERS=3")
    program = c_tests.build(
        Path(archive), HERE / "unit" / "configuration_main.c", *parts, folders=(APP,), flags=flags
    )
    assert read(program, made_images()["P1"])["fault"] == "more publishers than a subscriber has room for (3)"


def test_two_topics_have_routes_of_their_own(programs):
    """Figure 3 of the paper: who hears whom, how many publishers of each topic pass."""
    text = SCENARIO.replace("{shape: chain, publishers: 4, spacing: 5 m}", "{shape: figure-3}")
    got = {name: read(programs("configuration_main"), image) for name, image in made_images(text).items()}
    fields = ("topic", "parent", "second_hop", "publishers_through", "second_through", "hears")
    assert {
        name: tuple(got[name][field] for field in fields) for name in ("S", "P1", "P3", "R3", "R5", "R6")
    } == {
        "S": ("1", "0", "0", "2", "2", [6, 7, 12]),
        "P1": ("1", "10", "10", "1", "0", [10, 12]),
        "P3": ("2", "10", "10", "0", "1", [10, 12]),
        "R3": ("1", "6", "6", "2", "0", [6, 9, 10, 12]),
        "R5": ("1", "8", "11", "1", "1", [2, 4, 8, 11, 12]),
        "R6": ("1", "7", "7", "0", "2", [5, 7, 10, 12]),
    }


@pytest.mark.parametrize(
    ("where", "share", "those"),
    [("spread", "100 %", "1111"), ("spread", "0 %", "0000"), ("spread", "50 %", "0101"), ("near", "50 %", "1100"),  # noqa: E501
     ("far", "25 %", "0001"), ("far", "75 %", "0111"), ("spread", "25 %", "0001")],
)  # fmt: skip
def test_where_the_merge_function_is_deployed(programs, where, share, those):
    text = SCENARIO.replace(
        "aggregate: false", f"aggregate: true, deployed: {share}, deployed-where: {where}"
    )
    got = {name: read(programs("configuration_main"), image) for name, image in made_images(text).items()}
    assert "".join(got[f"P{n}"]["aggregate"] for n in range(1, 5)) == those
    assert got["S"]["aggregate"] == "0"
