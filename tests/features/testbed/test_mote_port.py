# SPDX-License-Identifier: Apache-2.0
"""A mote's port and its log, in this process."""

from __future__ import annotations

import errno
import json
import os

import pytest
from orchestrate_testbed.gateway import runs
from orchestrate_testbed.gateway.disk import Disk
from orchestrate_testbed.gateway.loop import Loop
from orchestrate_testbed.gateway.mote_log import MOST_WAITING, MoteLog
from orchestrate_testbed.gateway.mote_port import MotePort
from orchestrate_testbed.gateway_log import Chunk, Note, records


class FullDisk(Disk):
    """Takes nothing while it is full."""

    full = False

    def write(self, descriptor: int, content: bytes) -> int:
        if self.full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return os.write(descriptor, content[:1000])  # as a disk may, in parts


@pytest.fixture
def disk(tmp_path):
    return FullDisk(str(tmp_path), 0, 0)


def read(log: MoteLog) -> list:
    with open(log.path, "rb") as file:
        return list(records(file.read()))


def test_all_that_was_dropped_is_in_one_note_with_the_time_since_when(disk, tmp_path):
    log = MoteLog(str(tmp_path), "M1", disk)
    log.chunk(b"first\n")
    disk.full = True
    part = b"x" * 1023 + b"\n"
    for _ in range(MOST_WAITING // len(part) + 100):
        log.chunk(part)
    assert log.error == "No space left on device" and log.lost_bytes > 50 * len(part)
    disk.full = False
    log.flush()
    log.chunk(b"last\n")
    assert log.close() == 0
    found = read(log)
    (note,) = [each for each in found if isinstance(each, Note)]
    assert (note.what["bytes"], note.what["lines"]) == (log.lost_bytes, log.lost_lines)
    assert note.what["since_us"] <= note.gateway_us
    kept = b"".join(each.content for each in found if isinstance(each, Chunk))
    assert len(kept) + log.lost_bytes == log.bytes and kept.endswith(b"last\n")
    assert isinstance(found[-2], Note), "the gap is where the bytes are missing"


@pytest.fixture
def port(disk, tmp_path, plugged):
    mote = plugged("M1")
    loop = Loop()
    found = MotePort(loop, MoteLog(str(tmp_path), "M1", disk), str(mote.link), 115200)
    found.mote, found.loop = mote, loop
    found.open()
    yield found
    if found.state != "closed":
        found.close()
    loop.close()


@pytest.mark.parametrize("left", [MotePort.lend, MotePort.close])
def test_what_came_before_a_port_is_left_is_logged_first(left, port):
    content = b"".join(b"%06d\n" % number for number in range(800))  # two reads
    port.mote.say(content)
    left(port)
    assert b"".join(each.content for each in read(port.log) if isinstance(each, Chunk)) == content


def test_what_a_mote_was_not_sent_before_it_went_is_never_sent_to_the_next_one(port):
    port.write(b"y" * 60_000)  # more than a terminal's buffer holds
    port.mote.unplug()
    while port.state != "gone":
        port.loop.turn(1000)
    (gone,) = [
        each.what for each in read(port.log) if isinstance(each, Note) and each.what["event"] == "gone"
    ]
    assert gone["unsent"] > 0 and json.dumps(gone)
    port.mote.plug()
    while port.state != "open":
        port.loop.turn(1000)
    port.write(b"hello\n")
    assert os.read(port.mote.master, 100) == b"hello\n"


def test_a_daemon_that_starts_on_a_disk_without_room_for_a_segment_logs_when_there_is(
    tmp_path, monkeypatch, plugged
):
    """The run's earlier logs can be fetched meanwhile."""
    open_before = [[run, "M1", str(tmp_path / "M1"), 115200] for run in ("ended", "r")]
    for run, *_ in open_before:
        (tmp_path / "runs" / run).mkdir(parents=True)
    (tmp_path / "ports.json").write_text(json.dumps(open_before))
    room = []

    def log(folder, mote, disk):
        if mote == "M1" and not room:
            raise OSError(errno.ENOSPC, "No space left on device")
        return MoteLog(folder, mote, disk)

    monkeypatch.setattr(runs, "MoteLog", log)
    made = runs.Runs(Loop(), FullDisk(str(tmp_path), 0, 0), str(tmp_path))
    made.restore()
    assert made.ports == {} and made.on_disk() == ["ended", "r"]
    made.close("ended")
    made.open("other", "M2", str(plugged("M2").link), 115200)
    assert "M1" in (tmp_path / "ports.json").read_text(), "the daemon after this one is to open it, too"
    room.append(True)
    made.flush()
    assert made.ports[("r", "M1")].state == "gone", "nothing is plugged in"
    assert ("ended", "M1") not in made.ports
