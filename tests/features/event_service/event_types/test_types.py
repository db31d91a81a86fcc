# SPDX-License-Identifier: Apache-2.0
"""Types of events: one description, C and Python read and write the same; quality attributes' text."""

from __future__ import annotations

import struct
import subprocess
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from orchestrate_testbed.gateway.event_service import terms
from orchestrate_testbed.gateway.event_service.frames import LONGEST_DATA

from orchestrator.applications import descriptor
from orchestrator.build import sources
from orchestrator.errors import FaultyInput
from orchestrator.features.event_service.event_types import c_header, files, quality
from orchestrator.features.event_service.event_types.condition import Unclear
from orchestrator.features.event_service.event_types.description import EventField, EventType, load
from orchestrator.features.event_service.event_types.files import DESCRIPTION
from tests import needs
from tests.tier import examples
from tests.waiting import HANG_S

KINDS = ("u8", "u16", "u32", "i8", "i16", "i32")
EVERY = "every:\n" + "".join(f"  a_{kind}: {{type: {kind}}}\n" for kind in KINDS)
MAIN = """#include <stdio.h>
#include "event-types.h"
int
main(void)
{
  struct every_event event;
  uint8_t data[EVERY_EVENT_SIZE], again[EVERY_EVENT_SIZE];
  unsigned i;

  while(fread(data, 1, sizeof(data), stdin) == sizeof(data)) {
    if(!every_event_decode(&event, data, sizeof(data)) || every_event_decode(&event, data, 13)) {
      return 1;
    }
    printf("%lld %lld %lld %lld %lld %lld ", (long long)event.a_u8, (long long)event.a_u16,
           (long long)event.a_u32, (long long)event.a_i8, (long long)event.a_i16,
           (long long)event.a_i32);
    every_event_encode(&event, again);
    for(i = 0; i < sizeof(again); i++) {
      printf("%02x", again[i]);
    }
    printf("\\n");
  }
  return 0;
}
"""


@pytest.fixture(scope="module")
def every(tmp_path_factory):
    folder = tmp_path_factory.mktemp("types")
    (folder / DESCRIPTION).write_text(EVERY)
    return load(folder / DESCRIPTION)["every"]


@pytest.fixture(scope="module")
def program(every, tmp_path_factory):
    needs.a_compiler()
    folder = tmp_path_factory.mktemp("program")
    (folder / files.HEADER).write_text(c_header.header([every]))
    (folder / "main.c").write_text(MAIN)
    flags = ["-Wall", "-Wextra", "-Werror", "-fsanitize=undefined", "-fno-sanitize-recover=all"]
    subprocess.run(["cc", *flags, "main.c", "-o", "main"], cwd=folder, check=True)
    return folder / "main"


@settings(max_examples=examples(30), deadline=None)
@given(data=st.lists(st.binary(min_size=14, max_size=14), min_size=1, max_size=40))
def test_c_and_python_read_and_write_the_same(every, program, data):
    done = subprocess.run([program], input=b"".join(data), capture_output=True, timeout=HANG_S, check=True)
    for line, one in zip(done.stdout.decode().splitlines(), data, strict=True):
        numbers = every.decode(one)
        assert line == " ".join(map(str, numbers.values())) + f" {one.hex()}"
        assert every.encode(numbers) == one


def test_another_description_has_another_digest(tmp_path):
    def digest(text: str) -> int:
        (tmp_path / DESCRIPTION).write_text(text)
        (found,) = load(tmp_path / DESCRIPTION).values()
        return found.digest

    others = {
        digest(text)
        for text in (
            "a: {b: {type: u8}}",
            "a: {b: {type: i8}}",
            "a: {b: {type: u8, unit: m}}",
            "a: {b: {type: u8, scale: 0.1}}",
            "a: {c: {type: u8}}",
            "b: {b: {type: u8}}",
        )
    }
    assert len(others) == 6
    assert digest("a: {b: {type: u8, help: words}}") in others


def described(tmp_path, text: str) -> dict[str, EventType]:
    (tmp_path / DESCRIPTION).write_text(text)
    return load(tmp_path / DESCRIPTION)


def faults(tmp_path, text: str) -> list[tuple[int, str, str]]:
    with pytest.raises(FaultyInput) as caught:
        described(tmp_path, text)
    return [(fault.line, fault.what, fault.remedy) for fault in caught.value.faults]


CLIMATE = """climate:
  temperature: {type: i16, unit: C, scale: 0.01, help: "of the air */"}
  doors: {type: u8}
  count: {type: u32, scale: 2, help: all}
"""


def test_fields_follow_each_other_in_the_data(tmp_path):
    one = described(tmp_path, CLIMATE)["climate"]
    assert one.fields == (
        EventField("temperature", "i16", "C", Fraction(1, 100), 0, "of the air */"),
        EventField("doors", "u8", "", Fraction(1), 2),
        EventField("count", "u32", "", Fraction(2), 3, "all"),
    )
    assert one.fields[1].help == "" and one.size == 7
    numbers = {"temperature": -2, "doors": 3, "count": 1 << 24}
    assert one.encode(numbers) == b"\xfe\xff\x03\0\0\0\x01"
    assert one.decode(one.encode(numbers)) == numbers
    with pytest.raises(struct.error):
        one.decode(bytes(8))
    with pytest.raises(struct.error):
        one.encode(numbers | {"doors": 256})
    with pytest.raises(KeyError):
        one.encode({"doors": 1})


@pytest.mark.parametrize(
    ("kind", "low", "high"),
    [("u8", 0, 255), ("u16", 0, 65535), ("u32", 0, 2**32 - 1),
     ("i8", -128, 127), ("i16", -32768, 32767), ("i32", -(2**31), 2**31 - 1)],
)  # fmt: skip
def test_each_kind_holds_its_range(every, kind, low, high):
    (field,) = (field for field in every.fields if field.type == kind)
    assert field.range == (low, high)


def test_the_header_says_what_each_field_stands_for(tmp_path):
    text = c_header.header(described(tmp_path, CLIMATE).values())
    assert text.startswith("/* SPDX-License-Identifier: Apache-2.0 */\n") and text.endswith("\n#endif\n")
    assert "#define CLIMATE_EVENT_TYPE 0x580d /*" in text and "#define CLIMATE_EVENT_SIZE 7\n" in text
    for line in (
        "  int16_t temperature; /* 0.01 C, of the air * / */",
        "  uint8_t doors;",
        "  uint32_t count; /* 2, all */",
        "  data[2] = (uint8_t)((uint8_t)event->doors >> 0);",
        "  data[1] = (uint8_t)((uint16_t)event->temperature >> 8);",
        "  event->temperature = (int16_t)(uint16_t)((uint16_t)data[0] << 0 | (uint16_t)data[1] << 8);",
        "  event->doors = (uint8_t)(uint8_t)((uint8_t)data[2] << 0);",
    ):
        assert line in text.splitlines()


def test_each_fault_has_its_line_and_a_remedy(tmp_path):
    assert faults(tmp_path, "[a]\n") == [
        (1, "no types of events", "write `climate: {temperature: {type: i16}}`")
    ]
    long_name = "a" * 33
    text = f"""one: 1
Two:
  B: {{type: u8}}
  c: {{type: i9}}
  d: {{unit: m}}
  e: 3
  f: {{type: u8, scale: -1}}
  g: {{type: u8, scale: x}}
  h: {{type: u8, help: [a]}}
  {long_name}: {{type: u8}}
"""
    small = "write small letters, digits and _, 32 at most"
    scale = "is not a number above 0", "write for example 0.01"
    no_type = "add `type:`, one of u8, u16, u32, i8, i16, i32"
    assert faults(tmp_path, text) == [
        (1, "one is one value", "write its fields, one a line"),
        (2, "'Two' is not a valid name", small),
        (3, "'B' is not a valid name", small),
        (
            4,
            "Two: c has no type, or an unknown one",
            "there are: u8, u16, u32, i8, i16, i32",
        ),
        (5, "Two: d has no type, or an unknown one", no_type),
        (6, "Two: e has no type, or an unknown one", no_type),
        (7, f"Two: f's scale {scale[0]}", scale[1]),
        (8, f"Two: g's scale {scale[0]}", scale[1]),
        (9, "Two: help is a list", "write one value"),
        (10, f"'{long_name}' is not a valid name", small),
    ]
    (tmp_path / DESCRIPTION).write_bytes(b"a: \xff\n")
    with pytest.raises(FaultyInput, match="is not UTF-8"):
        load(tmp_path / DESCRIPTION)


def test_an_event_is_as_long_as_a_frame_has_room(tmp_path):
    def fields(count: int) -> str:
        return "long: {" + ", ".join(f"f{number}: {{type: u8}}" for number in range(count)) + "}"

    assert described(tmp_path, fields(LONGEST_DATA))["long"].size == LONGEST_DATA
    assert faults(tmp_path, fields(LONGEST_DATA + 1)) == [
        (1, f"long takes {LONGEST_DATA + 1} bytes", f"an event has {LONGEST_DATA} at most: use fewer fields")
    ]


def test_all_faults_at_once(tmp_path):
    (tmp_path / DESCRIPTION).write_text(
        "Big: {b: {type: u8}}\nlist: [1]\n"
        "one: {x: {type: u9}, y: {type: u8, scale: 0}, z: {typ: u8}, v: {type: [u8]}}\n"
        "long: {" + ", ".join(f"f{number}: {{type: u32}}" for number in range(9)) + "}\n"
    )
    with pytest.raises(FaultyInput) as caught:
        load(tmp_path / DESCRIPTION)
    said = " / ".join(f"{fault.line} {fault.what}" for fault in caught.value.faults)
    for part in (
        "1 'Big' is not a valid name",
        "2 list is",
        "3 one: x has no type",
        "3 one: y's scale",
        "3 one: 'typ' is unknown",
        "3 one: type is",
        "4 long takes 36 bytes",
    ):
        assert part in said, said


def test_our_header_is_made_of_the_description():
    """Made anew by `orchestrate build --event-types event-service`."""
    folder = descriptor.load("event-service").file.parent
    text = c_header.header(load(folder / DESCRIPTION).values())
    assert (folder / files.HEADER).read_text() == text
    assert sources.collect(folder).made[f"apps/event-service/{files.HEADER}"] == text.encode()


def test_quality_attributes_are_read():
    found = quality.read("period 200 ms, deadline 1 s, omission 2, ttl 0")
    assert found == {"period": 200, "deadline": 1000, "omission": 2, "ttl": 0}
    assert quality.read("none") == {}
    assert quality.read("period 4294967295 ms") == {"period": 4294967295}, "the most that 32 bits hold"
    written = terms.written(terms.Terms(**found))
    assert terms.read(written) == terms.Terms(period=200, deadline=1000, omission=2, ttl=0)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("speed 3", "'speed' is not a quality attribute"),
        ("ttl 3, ttl 4", "ttl is there twice"),
        ("period 1500 us", "period is '1500 us'"),
        ("period 0 ms", "period is '0 ms'"),
        ("deadline 4294967296 ms", "deadline is '4294967296 ms'"),
        ("deadline soon", "deadline"),
        ("omission many", "omission is 'many'"),
        ("ttl 256", "ttl is '256'"),
        ("omission", "omission is empty"),
    ],
)
def test_attributes_that_are_none(text, what):
    with pytest.raises(Unclear, match=what) as caught:
        quality.read(text)
    assert caught.value.remedy
