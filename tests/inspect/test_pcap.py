# SPDX-License-Identifier: Apache-2.0
"""Captures, byte by byte, and damaged ones."""

from __future__ import annotations

import struct

import pytest

from orchestrator.errors import StorageFailed
from orchestrator.inspect import pcap
from orchestrator.inspect.pcap import LONGEST, MAGIC_US, WITH_FCS, Frame

HEAD = struct.pack("<IHHiIII", MAGIC_US, 2, 4, 0, 0, LONGEST, WITH_FCS)


def record(seconds, microseconds, kept, data=None):
    return struct.pack("<IIII", seconds, microseconds, kept, kept) + (bytes(kept) if data is None else data)


def read(tmp_path, content):
    (tmp_path / "radio.pcap").write_bytes(content)
    return list(pcap.read(tmp_path / "radio.pcap"))


def test_times_are_seconds_and_microseconds(tmp_path):
    content = HEAD + record(3, 999_999, 2, b"ab") + record(4, 0, LONGEST)
    assert read(tmp_path, content) == [Frame(3_999_999, b"ab"), Frame(4_000_000, bytes(LONGEST))]


def test_what_was_cut_short_at_the_end_is_left_out(tmp_path):
    whole = HEAD + record(1, 2, 3, b"abc")
    for cut in (record(1, 3, 4)[:-1], record(1, 3, 4)[:15], b"\1"):
        assert read(tmp_path, whole + cut) == [Frame(1_000_002, b"abc")]


@pytest.mark.parametrize("damaged", [record(1, 1_000_000, 2), record(1, 2, LONGEST + 1)])
def test_a_record_that_the_engine_never_writes_is_damage(tmp_path, damaged):
    with pytest.raises(
        StorageFailed, match=r"radio.pcap: damaged before byte 40\n    remove its folder; it is made"
    ):
        read(tmp_path, HEAD + damaged)


@pytest.mark.parametrize(
    "head",
    [
        b"",
        HEAD[:-1],
        HEAD.replace(b"\xd4", b"\xd5"),
        struct.pack("<IHHiIII", MAGIC_US, 2, 4, 0, 0, LONGEST, WITH_FCS + 1),
    ],
)
def test_another_file_is_no_capture(tmp_path, head):
    with pytest.raises(
        StorageFailed, match="not a capture that the engine wrote\n    remove its folder; it is made"
    ):
        read(tmp_path, head)


def test_a_tagged_capture_byte_by_byte():
    frames = [
        Frame(1_000_002, b"abc"),
        Frame((1 << 32) * 1_000_000 + 7, b"d", channel=65535, signal_dbm=-78),
        Frame(0, b"", channel=65536, signal_dbm=0),
        Frame(0, b"", channel=-1),
        Frame(0, b"", channel=0),
    ]
    fcs = struct.pack("<HHB3x", 0, 1, 1)

    def packet(seconds, us, tags, data):
        whole = struct.pack("<BBH", 0, 0, 4 + len(tags)) + tags + data
        return struct.pack("<IIII", seconds, us, len(whole), len(whole)) + whole

    def signal(dbm):
        return struct.pack("<HHf", 1, 4, dbm)

    def channel(number):
        return struct.pack("<HHHBx", 3, 3, number, 0)

    assert list(pcap.tap(frames)) == [
        struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 283),
        packet(1, 2, fcs, b"abc"),
        packet(0, 7, fcs + signal(-78) + channel(65535), b"d"),
        packet(0, 0, fcs + signal(0), b""),
        packet(0, 0, fcs, b""),
        packet(0, 0, fcs + channel(0), b""),
    ]
