# SPDX-License-Identifier: Apache-2.0
"""A kernel built with address and undefined-behaviour sanitizers: no description and no file that claims to
be firmware makes it do anything but run or say what is wrong. The golden cases run in it, too."""

from __future__ import annotations

import json
import mmap
import random
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from engine_firmware import simulation
from engine_harness import SANITIZED, build_kernel
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.csc.read import read
from orchestrator.engines.embedded.description import describe

sys.path.append(str(Path(__file__).resolve().parents[1] / "golden"))
import golden_cases
import probes

from tests import tier
from tests.tier import examples
from tests.waiting import HANG_S

BODY = (
    'void cooja_tick(void) { if(first()) { SAY("up\\n"); etimer(100); } else if(due()) { simOutSize = 20; '
    "etimer(50); } }"
)
OK, FAILED, DESCRIPTION, LOAD, CRASH, TIME, STORAGE, MEMORY, KERNEL = range(9)
BEYOND = 12  # the script comes to what only an interpreter does


@pytest.fixture(scope="module")
def sanitized():
    return build_kernel(SANITIZED)


@pytest.fixture(scope="module")
def call(sanitized, tmp_path_factory):
    log = tmp_path_factory.mktemp("log") / "COOJA.testlog"

    def call(description: bytes, *, arguments=("--limit", "5")):
        done = subprocess.run(
            [sanitized, "--log", log, *arguments],
            input=description,
            capture_output=True,
            timeout=HANG_S,
            check=False,
        )
        assert b"Sanitizer" not in done.stderr and b"runtime error" not in done.stderr, done.stderr.decode()[
            :3000
        ]
        report = json.loads(done.stdout.decode("utf-8"))
        assert done.returncode in (*range(9), BEYOND) and report["report"] in (
            "end",
            "error",
            "crash",
            "time",
        ), (done, report)
        return done.returncode, report, log

    return call


@pytest.fixture(scope="module")
def good(firmware):
    simulated = simulation([(0, 0), (30, 0), (60, 5)], 1, success="up", fail="down", eeprom=b"\x01\x02")
    return describe(simulated, 5, {"t": firmware(BODY)}, "2026.07")


def test_the_good_one_runs(call, good):
    assert call(good)[0] == OK


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return tmp_path_factory.mktemp("probes")


@pytest.mark.parametrize(
    ("case", "rules"),
    [
        (case, rules)
        for number, case in enumerate(golden_cases.CASES + golden_cases.OTHER_MEDIA)
        for rules in (golden_cases.RULES if tier.ALL else [golden_cases.RULES[number % 2]])
    ],
)
def test_golden_cases_are_clean(case, rules, call, built):
    simulated = read(golden_cases.simulation(case))
    description = describe(simulated, simulated.seed, probes.firmware(simulated, built), rules)
    status, _, log = call(description, arguments=("--radio", built))
    assert status == OK
    assert log.read_bytes() == golden_cases.log_for(case, rules).read_bytes()


LINES = [
    b"",
    b"end",
    b"seed",
    b"seed ",
    b"seed 1 2",
    b"seed 9223372036854775808",
    b"seed +1",
    b"seed 0x1",
    b"seed  1",
    b"start-delay -1",
    b"start-delay 2147483648",
    b"ranges nan 1",
    b"ranges inf inf",
    b"ranges -1 5",
    b"ranges 1e999 1",
    b"ranges 0x1p3 4",
    b"ratios 1.1 1",
    b"ratios 0.5",
    b"timeout 0",
    b"timeout 99999999999999999999",
    b"spare",
    b"spare -1",
    b"javascript 1",
    b"program",
    b"program 1 2 0 0",
    b"program 0 0 0 99",
    b"do",
    b"do nothing",
    b"do text 0g",
    b"do text 0",
    b"do jump 999999",
    b"do load 5",
    b"do store 0",
    b"do method shout 1",
    b"do method trim 0",
    b"do function String 9",
    b"do local 3",
    b"do give_back",
    b"do enter 1 1",
    b"do drop",
    b"do list 200",
    b"do log",
    b"do number nan",
    b"do call 3 9",
    b"do add",
    b"do wait",
    b"do jump 0",
    b"type",
    b"type /",
    b"type /dev/zero",
    b"interface",
    b"interface LED",
    b"interface ContikiClock",
    b"mote",
    b"mote 1 1 0 0 0 -",
    b"mote -1 1 0 0 0 -",
    b"mote 0 99999999999 0 0 0 -",
    b"mote 0 1 0 0 0",
    b"mote 0 1 0 0 0 0",
    b"mote 0 1 0 0 0 0g",
    b"mote 0 1 0 0 0 AA",
    b"mote 0 1 0 0 0 " + b"00" * 1025,
    b"mote 0 1 1e308 -1e308 1e-320 " + b"ff" * 1024,
    b"mote 0 -5 0 0 0 00 ",
    b"x" * 20000,
    b"a\0b",
    b"simulation 2",
    b"rules 5.1",
    b"rules",
    b"medium",
    b"medium disk",
    b"medium directed-graph",
    b"edge",
    b"edge 0 1 1 -10 105 0 -1",
    b"edge 0 0 1 -10 105 0 -1",
    b"edge 0 99 1 -10 105 0 -1",
    b"edge 0 1 1.5 -10 105 0 -1",
    b"edge 0 1 1 nan 105 0 -1",
    b"edge 0 1 1 -10 105 -5 -1",
    b"edge 0 1 1 -10 9999999999 0 -1",
    b"edge 0 1 1 -10 105 0",
    b"\r",
    b" seed 5",
    b"medium silent 1",
    b"medium logistic-loss",
    b"loss 1 2 3 4",
    b"varies yes 1 2",
    b"quiet 0 nan",
    b"quiet 99 -90",
    b"sending 0",
    b"sending 0 -5 1",
    b"mobility",
    b"mobility 1",
    b"move 0 1 1 1",
]


@settings(
    max_examples=examples(120), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_no_description_breaks_it(call, good, data):
    lines = good.split(b"\n")
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(lines) - 1))
        how = data.draw(st.sampled_from(["replace", "insert", "delete", "repeat", "cut", "bytes"]))
        if how == "replace":
            lines[at] = data.draw(st.sampled_from(LINES))
        elif how == "insert":
            lines.insert(at, data.draw(st.sampled_from(LINES)))
        elif how == "delete" and len(lines) > 1:
            del lines[at]
        elif how == "repeat":
            lines.insert(at, lines[at])
        elif how == "cut":
            lines[at] = lines[at][: data.draw(st.integers(0, max(0, len(lines[at]))))]
        elif how == "bytes":
            lines[at] += data.draw(st.binary(min_size=1, max_size=8))
    status, report, _ = call(b"\n".join(lines)[: data.draw(st.sampled_from([None, None, None, 50]))])
    assert status in (OK, FAILED, DESCRIPTION, LOAD, TIME, KERNEL, BEYOND)
    if status == DESCRIPTION:
        assert report["message"].startswith("line ")


@pytest.mark.parametrize("line", LINES)
def test_each_bad_line_is_named_by_its_number(line, call, good):
    lines = good.split(b"\n")
    lines[2] = line
    status, report, _ = call(b"\n".join(lines))
    assert status == DESCRIPTION
    assert report["message"].startswith("line 3 ")


def test_arguments(sanitized, tmp_path):
    for arguments in ([], ["--log"], ["--limit", "x"], ["--what", "1"]):
        done = subprocess.run([sanitized, *arguments], input=b"", capture_output=True, check=False)
        assert done.returncode == DESCRIPTION
        assert json.loads(done.stdout)["kind"] == "description"


def damaged(content: bytes, draw: random.Random) -> bytes:
    """Some fields of the tables that a loader follows set to other numbers; code and data as they were."""
    bytes_ = bytearray(content)
    segments, sections = struct.unpack_from("<QQ", content, 32)
    (count,) = struct.unpack_from("<H", content, 60)
    tables = [(0, 64), (segments, 56 * 9), (sections, 64 * count)]
    for i in range(count):
        (kind,) = struct.unpack_from("<I", content, sections + 64 * i + 4)
        offset, size = struct.unpack_from("<QQ", content, sections + 64 * i + 24)
        if kind in (2, 3, 4, 6, 11):  # symbols, names, relocations, dynamic
            tables.append((offset, size))
    for _ in range(draw.choice([1, 1, 2, 5])):
        start, size = draw.choice(tables)
        at = start + 4 * draw.randrange(max(1, size // 4))
        if at + 8 <= len(bytes_):
            value = draw.choice(
                [0, 1, 7, 2**31, 2**32 - 1, 2**63, 2**64 - 1, len(content), draw.randrange(2**16)]
            )
            bytes_[at : at + 8] = (
                struct.pack("<Q", value)
                if draw.random() < 0.5
                else (struct.pack("<I", value % 2**32) + bytes(bytes_[at + 4 : at + 8]))
            )
    return bytes(bytes_[: draw.randrange(len(bytes_))] if draw.random() < 0.1 else bytes_)


def test_no_firmware_file_breaks_the_loader(call, firmware, tmp_path):
    """A damaged file is refused, or it loads and then runs or crashes as a mote of its own."""
    content = firmware(BODY).read_bytes()
    seen = set()
    for number in range(150):
        library = tmp_path / "damaged.cooja"
        library.write_bytes(damaged(content, random.Random(number)))
        description = describe(simulation([(0, 0), (10, 0)], 0.2), 1, {"t": library}, "5.0")
        status, report, _ = call(description)
        assert status in (OK, LOAD, CRASH, TIME, MEMORY), report
        seen.add(status)
    assert LOAD in seen


def resized(content: bytes, variable: str, more: int) -> bytes:
    """An ELF file in which a variable reaches to the end of the data, and so many bytes further."""
    bytes_ = bytearray(content)
    segments, sections = struct.unpack_from("<QQ", content, 32)
    loads, count = struct.unpack_from("<H2xH", content, 56)
    ends = []
    for i in range(loads):
        kind, flags, place, size = struct.unpack_from("<II8xQ16xQ", content, segments + 56 * i)
        if kind == 1 and flags & 2:  # loaded, writable
            ends.append(place + size)
    for i in range(count):
        kind, offset, length, link = struct.unpack_from("<4xI16xQQI", content, sections + 64 * i)
        if kind not in (2, 11):  # symbols
            continue
        (names,) = struct.unpack_from("<Q", content, sections + 64 * link + 24)
        for symbol in range(offset, offset + length, 24):
            name, value = struct.unpack_from("<I4xQ", content, symbol)
            if content[names + name :].startswith(variable.encode() + b"\0"):
                struct.pack_into("<Q", bytes_, symbol + 16, max(ends) - value + more)
    return bytes(bytes_)


@pytest.mark.parametrize(("more", "wanted"), [(0, OK), (mmap.PAGESIZE, LOAD), (1 << 30, LOAD)])
def test_a_variable_that_reaches_beyond_the_data_is_none(call, firmware, tmp_path, more, wanted):
    library = tmp_path / "resized.cooja"
    library.write_bytes(resized(firmware(BODY).read_bytes(), "simEEPROMData", more))
    status, report, _ = call(describe(simulation([(0, 0)], 0.2), 1, {"t": library}, "5.0"))
    assert status == wanted, report
    assert status == OK or "simEEPROMData" in report["message"]
