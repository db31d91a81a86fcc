# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import hashlib

import pytest
from orchestrate_testbed.client import Segment, Unreliable
from orchestrate_testbed.collect import collect


class Stored:
    """A gateway whose logs are bytes here; it may lie."""

    name = "G1"

    def __init__(self, **logs: bytes):
        self.logs = {("r", name.replace("_", "."), 1): content for name, content in logs.items()}
        self.fetches = 0
        self.digests = 0

    def segments(self, run):
        return [
            Segment(mote, number, len(content)) for (_, mote, number), content in sorted(self.logs.items())
        ]

    def unwritten(self, run):
        return {"M1": 7}

    def fetch(self, run, mote, segment, offset, length):
        self.fetches += 1
        return self.logs[run, mote, segment][offset : offset + min(length, 10)]

    def digest(self, run, mote, segment, length):
        self.digests += 1
        return hashlib.sha256(self.logs[run, mote, segment][:length]).hexdigest()


def test_it_goes_on_where_it_ended(tmp_path):
    gateway = Stored(M1=b"a" * 25, M2=b"b" * 5)
    found = collect(gateway, "r", tmp_path / "logs")
    assert found.unwritten == {"M1": 7}
    assert found.fetched == 30 and found.segments["M1"] == (tmp_path / "logs" / "M1.1.log",)
    gateway.logs["r", "M1", 1] += b"c" * 7
    gateway.fetches = 0
    assert collect(gateway, "r", tmp_path / "logs").fetched == 7
    assert gateway.fetches == 1
    assert (tmp_path / "logs" / "M1.1.log").read_bytes() == b"a" * 25 + b"c" * 7


def test_nothing_new_moves_no_byte_and_asks_for_no_checksum(tmp_path):
    gateway = Stored(M1=b"a" * 25)
    collect(gateway, "r", tmp_path)
    gateway.fetches = gateway.digests = 0
    assert collect(gateway, "r", tmp_path).fetched == 0
    assert gateway.fetches == gateway.digests == 0


def test_only_the_motes_of_the_run_are_fetched(tmp_path):
    found = collect(Stored(M1=b"a", M2=b"b"), "r", tmp_path, motes=frozenset({"M2"}))
    assert list(found.segments) == ["M2"] and not (tmp_path / "M1.1.log").exists()


def test_a_log_that_changed_behind_our_back_is_found(tmp_path):
    gateway = Stored(M1=b"a" * 25)
    collect(gateway, "r", tmp_path)
    gateway.logs["r", "M1", 1] = b"x" * 30
    with pytest.raises(Unreliable, match="isn't the one of which 25 bytes had come"):
        collect(gateway, "r", tmp_path)


def test_a_log_that_lost_its_end_keeps_what_came_before(tmp_path):
    gateway = Stored(M1=b"a" * 25)
    collect(gateway, "r", tmp_path)
    gateway.logs["r", "M1", 1] = b"a" * 20
    assert collect(gateway, "r", tmp_path).shrunk == ("M1.1.log",)
    assert (tmp_path / "M1.1.log").read_bytes() == b"a" * 25


def test_a_gateway_that_ends_early_or_never_is_refused(tmp_path):
    short = Stored(M1=b"a" * 5)
    short.segments = lambda run: [Segment("M1", 1, 50)]
    with pytest.raises(Unreliable, match="ends before"):
        collect(short, "r", tmp_path)
    with pytest.raises(Unreliable, match="larger than any"):
        collect(Stored(M2=b"a" * 500), "r", tmp_path, most=100)


def test_a_link_in_the_folder_is_not_followed(tmp_path):
    outside = tmp_path / "outside"
    outside.write_bytes(b"")
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "M1.1.log").symlink_to(outside)
    with pytest.raises(OSError):
        collect(Stored(M1=b"a" * 25), "r", tmp_path / "logs")
    (tmp_path / "link").symlink_to(tmp_path / "logs")
    with pytest.raises(OSError):
        collect(Stored(M1=b"a" * 25), "r", tmp_path / "link")
    assert outside.read_bytes() == b""
