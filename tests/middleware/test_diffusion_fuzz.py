# SPDX-License-Identifier: Apache-2.0
"""Whatever diffusion hears: no sanitizer complains, every frame comes to one end, no single event is
delivered twice.
"""

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

OWN, EVERYBODY, NO_WAY = 4, 0xFFFF, 0xFF


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("diffusion-fuzz")
    return c_tests.build(c_tests.library(folder), Path(__file__).parent / "unit" / "diffusion_fuzz_main.c")


near = st.sampled_from([1, 2, 3, 5, 6])
motes = near | st.sampled_from([0, OWN, 0xFFFE, EVERYBODY]) | st.integers(0, 0xFFFF)
subjects = st.sampled_from([b"t", b"u", b"v", b"w", b"x"]).map(lambda name: name.ljust(8, b"\0")[::-1])
contributors = st.lists(
    st.tuples(st.integers(1, 15), st.integers(1, 40) | st.integers(0, 0xFFFF)), min_size=1, max_size=1
) | st.lists(st.tuples(st.integers(1, 15), st.integers(0, 0xFFFF)), min_size=1, max_size=20)


@st.composite
def event(draw, booted=False):
    """With its publishers' incarnations: as many as it should have and, if they `booted` again, any or too
    few or too many.
    """
    names, data = draw(contributors), draw(st.binary(max_size=4))
    head = draw(subjects) + bytes([draw(st.sampled_from([0, 1])), len(names), len(data)])
    boots = [publisher % 4 for publisher, _ in names]
    if booted:
        boots = draw(st.just(boots) | st.lists(st.integers(0, 3), max_size=len(names) + 1))
    return (
        head
        + data
        + b"".join(struct.pack("<BH", *name) for name in names)
        + struct.pack(f"<{len(boots)}H", *boots)
    )


@st.composite
def interest(draw):
    """A frame of one to five interests."""
    sender = draw(near | motes)
    entries = b""
    for _ in range(draw(st.integers(1, 5))):
        subscriber = draw(st.just(sender) | near | motes)
        hops = 0 if sender == subscriber else draw(st.integers(1, 6) | st.just(NO_WAY) | st.integers(0, 255))
        renewal = draw(st.sampled_from([0, 1, 1000, 60000]) | st.integers(0, 2**32 - 1))
        number = draw(st.integers(0, 8) | st.integers(0, 0xFFFF))
        entries += draw(subjects) + struct.pack("<HHBI", subscriber, number, hops, renewal)
    return struct.pack("<BHHH", 0x15, sender, EVERYBODY, 1) + entries


@st.composite
def copy(draw, booted=False):
    """A diffused event and the subscribers that it is for."""
    listed = draw(st.lists(near | st.just(OWN) | motes, min_size=0, max_size=6))
    body = (
        bytes([draw(st.just(len(listed)) | st.integers(0, 255))])
        + struct.pack(f"<{len(listed)}H", *listed)
        + draw(event(booted))
    )
    return struct.pack("<BHHH", 0x16, draw(motes), draw(st.just(OWN) | motes), 2) + body


@st.composite
def damaged(draw):
    whole = bytearray(draw(interest() | copy(booted=True)))
    for _ in range(draw(st.integers(0, 3))):
        whole[draw(st.integers(0, len(whole) - 1))] = draw(st.integers(0, 255))
    return bytes(whole[: draw(st.integers(1, len(whole)) | st.just(len(whole)))])


noise = st.binary(min_size=1, max_size=127)


def play(program: Path, frames: list[bytes]) -> dict[str, int]:
    fed = b"".join(bytes([len(f)]) + f for f in frames)
    done = subprocess.run([program], input=fed, capture_output=True, timeout=HANG_S, check=False)
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    return {name: int(value) for name, value in (line.split() for line in done.stdout.decode().splitlines())}


@settings(max_examples=examples(200), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(interest() | copy(booted=True) | damaged() | noise | st.just(b""), max_size=80))
def test_any_frames(program, frames):
    """An event for this mote that has no route was accepted or, of an unknown topic, not."""
    counted = play(program, frames)
    assert counted["frames"] == sum(bool(f) for f in frames)
    ends = sum(
        counted[end] for end in ("malformed", "off_topology", "events", "control", "duplicate", "overheard")
    )
    assert ends <= counted["frames"] <= ends + counted["no_route"]


@settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(interest() | copy(), max_size=80))
def test_no_single_event_is_delivered_twice(program, frames):
    """Within the time that numbers are remembered for, no aggregate among them, and each publisher boots
    once.
    """
    single = [f for f in frames if len(f) < 60]
    assert play(program, single)["repeated"] == 0
