# SPDX-License-Identifier: Apache-2.0
"""Whatever arrives over the air: no sanitizer complains, and every frame is counted exactly once."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import c_tests
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tier import examples
from tests.waiting import HANG_S

OWN, PARENT, CHILD, CONTROL, EVERYBODY = 4, 3, 5, 9, 0xFFFF


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fuzz")
    return c_tests.build(c_tests.library(folder), Path(__file__).parent / "unit" / "fuzz_main.c")


motes = st.sampled_from([0, 1, OWN, PARENT, CHILD, CONTROL, EVERYBODY]) | st.integers(0, 0xFFFF)
contributors = st.lists(st.tuples(st.integers(1, 12), st.integers(0, 0xFFFF)), min_size=1, max_size=26)


@st.composite
def event_body(draw):
    names = draw(contributors)
    data = draw(st.binary(min_size=2, max_size=2) | st.binary(max_size=10))
    subject = draw(st.sampled_from([b"t", b"u", b"v"])).ljust(8, b"\0")[::-1]
    flags = draw(st.sampled_from([0, 1]))
    body = subject + bytes([flags, len(names), len(data)]) + data
    return body + b"".join(struct.pack("<BH", *name) for name in names)


commands = st.builds(
    lambda n, code, target, times, k, hops, a, b: struct.pack("<HBBBBBII", n, code, target, times, k, hops, a, b),  # noqa: E501
    st.integers(0, 0xFFFF), st.integers(0, 5), st.integers(0, 12), st.integers(0, 3), st.integers(0, 255), st.integers(0, 255),  # noqa: E501
    st.integers(0, 0xFFFFFFFF), st.integers(0, 0xFFFFFFFF),
)  # fmt: skip
bodies = event_body() | commands | st.binary(min_size=4, max_size=4) | st.binary(max_size=90)


@st.composite
def frame(draw):
    """A frame that is right, nearly right, or noise."""
    kind = draw(st.integers(1, 5) | st.integers(0, 255))
    header = struct.pack(
        "<BHHH", (0x10 | kind) & 0xFF, draw(motes), draw(motes), draw(st.integers(0, 0xFFFF))
    )
    whole = bytearray((header + draw(bodies))[:255])
    for _ in range(draw(st.integers(0, 2))):
        whole[draw(st.integers(0, len(whole) - 1))] = draw(st.integers(0, 255))
    return bytes(whole[: draw(st.integers(1, len(whole)) | st.just(len(whole)))])


noise = st.binary(min_size=1, max_size=127)
right = st.builds(
    lambda body, sender: struct.pack("<BHHH", 0x11, sender, OWN, 1) + body,
    event_body(),
    st.sampled_from([CHILD, PARENT]),
)


def play(program: Path, frames: list[bytes]) -> dict[str, int]:
    fed = b"".join(bytes([len(f)]) + f for f in frames)
    done = subprocess.run([program], input=fed, capture_output=True, timeout=HANG_S, check=False)
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    return {name: int(value) for name, value in (line.split() for line in done.stdout.decode().splitlines())}


@settings(max_examples=examples(150), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(frame() | noise | right | st.just(b""), max_size=60))
def test_any_frames(program, frames):
    counted = play(program, frames)
    assert counted["frames"] == sum(bool(f) for f in frames)
    ends = ("malformed", "off_topology", "events", "control")
    assert sum(counted[end] for end in ends) == counted["frames"]


@settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(right, min_size=1, max_size=60))
def test_right_events_are_all_taken(program, frames):
    counted = play(program, frames)
    fit = [f for f in frames if len(f) <= 100]
    assert counted["events"] == len(fit)
    assert counted["malformed"] == len(frames) - len(fit)
