# SPDX-License-Identifier: Apache-2.0
"""Types of events: one description, C and Python read and write the same; quality attributes' text."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from orchestrate_testbed.gateway.event_service import terms

from orchestrator.applications import descriptor
from orchestrator.build import sources
from orchestrator.errors import FaultyInput
from orchestrator.event_types import c_header, files, quality
from orchestrator.event_types.condition import Unclear
from orchestrator.event_types.description import load
from orchestrator.event_types.files import DESCRIPTION
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
        "1 'Big' is no name",
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
        ("speed 3", "'speed' is no quality attribute"),
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
