# SPDX-License-Identifier: Apache-2.0
"""The record that the engine keeps of radios: the capture's frames, whole at any moment, and no trace of it
in the log.
"""

from __future__ import annotations

import csv
import os
import signal
import subprocess

import pytest
from engine_firmware import simulation
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.build import kernel
from orchestrator.engines.embedded.description import describe
from orchestrator.inspect import pcap
from orchestrator.inspect.radio import events
from tests.waiting import wait_until

# Mote 1 sends the frames of its EEPROM, each behind its length, one every 10 ms.
SENDER = """
static int at;
void cooja_tick(void) {
  if(first()) { if(simMoteID == 1) etimer(10); return; }
  if(simInSize > 0) simInSize = 0;
  if(due() && (unsigned char)simEEPROMData[at] != 0) {
    simOutSize = (unsigned char)simEEPROMData[at];
    memcpy(simOutDataBuffer, simEEPROMData + at + 1, simOutSize);
    at += simOutSize + 1;
    SAY("sent %d\\n", simOutSize);
    etimer(10);
  }
}
"""


def fcs(data: bytes) -> bytes:
    """ITU-T CRC-16 as IEEE 802.15.4 has it, bit by bit."""
    remainder = 0
    for byte in data:
        for bit in range(8):
            mixed = (remainder ^ byte >> bit) & 1
            remainder = remainder >> 1 ^ (0x8408 if mixed else 0)
    return remainder.to_bytes(2, "little")


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(frames=st.lists(st.binary(min_size=1, max_size=127), min_size=1, max_size=7))
def test_a_capture_gives_back_what_was_sent(frames, firmware, run, tmp_path_factory):
    record = tmp_path_factory.mktemp("record")
    eeprom = b"".join(bytes([len(frame)]) + frame for frame in frames) + b"\0"
    run_of = simulation([(0, 0), (10, 0)], 0.2, eeprom=eeprom)
    ended = run(run_of, firmware(SENDER), radio=record)
    captured = list(pcap.read(record / "radio.pcap"))
    assert [frame.data for frame in captured] == [frame + fcs(frame) for frame in frames]
    said = [when for when, mote, text in ended.lines if mote == 1]
    assert [frame.time_us for frame in captured] == said, "a frame begins in the tick that printed its line"
    assert [event.frame for event in events(record) if event.event == "received"] == list(
        range(1, len(frames) + 1)
    )
    assert run(run_of, firmware(SENDER)).log == ended.log


@pytest.mark.parametrize("cut", [1, 15, 17, 30])
def test_a_capture_cut_short_is_read_up_to_there(cut, firmware, run, tmp_path):
    run(simulation([(0, 0)], 0.2, eeprom=b"\x05abcde\x05fghij\0"), firmware(SENDER), radio=tmp_path)
    path = tmp_path / "radio.pcap"
    path.write_bytes(path.read_bytes()[:-cut])
    assert [frame.data[:-2] for frame in pcap.read(path)] == ([b"abcde"] if cut < 24 else [])


def test_a_record_survives_kill_9(firmware, tmp_path):
    """Twice a second what is there goes to the disk, whole records."""
    body = """void cooja_tick(void) {
      if(simInSize > 0) simInSize = 0;
      if(simOutSize == 0) { simOutSize = 20 + simCurrentTime % 100; }
      etimer(1);
    }"""
    library = firmware(body)
    described = describe(simulation([(i, 0) for i in range(4)], 1e6), 1, {"t": library}, "5.0")
    command = [str(kernel.executable()), "--log", str(tmp_path / "log"), "--radio", str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        process.stdin.write(described)
        process.stdin.close()
        wait_until(
            lambda: (tmp_path / "radio.pcap").exists() and (tmp_path / "radio.pcap").stat().st_size >= 100_000
        )
        os.kill(process.pid, signal.SIGKILL)
    frames = list(pcap.read(tmp_path / "radio.pcap"))
    assert len(frames) > 500 and all(fcs(frame.data[:-2]) == frame.data[-2:] for frame in frames[-5:])
    assert len(list(events(tmp_path))) > 500


def test_a_crash_keeps_what_was_recorded(firmware, run, tmp_path):
    body = """void cooja_tick(void) {
      if(first()) { etimer(20); return; }
      if(due()) { if(simOutSize == 0 && simCurrentTime < 30) { simOutSize = 5; etimer(20); } else { *(volatile int *)0 = 1; } }
    }"""  # noqa: E501
    ended = run(simulation([(0, 0)], 1), firmware(body), radio=tmp_path).result
    assert ended.outcome.value == "crash"
    assert len(list(pcap.read(tmp_path / "radio.pcap"))) == 1
    assert [event.event for event in events(tmp_path)][-3:] == ["transmitting", "sent", "listening"]
    assert not (tmp_path / "states.csv").exists(), "times that have no end"
    (row,) = csv.DictReader((tmp_path / "states-cut.csv").open(encoding="ascii"))
    times = {name: int(value) for name, value in row.items()}
    assert times.pop("mote") == 1 and times["transmitting_us"] > 0 and sum(times.values()) == ended.sim_us > 0
