# SPDX-License-Identifier: Apache-2.0
"""The record that the engine keeps of radios: the capture's frames, whole at any moment, and no trace of it
in the log.
"""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess

import pytest
from engine_firmware import simulation
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.build import kernel
from orchestrator.csc.interfaces import STANDARD_INTERFACES
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


# Sends frames of 11 bytes, which makes 29 bytes of the capture each, one after the other; and ends by ACTION.
SENDING = """
#include <signal.h>
#include <unistd.h>
static int sent;
void cooja_tick(void) {
  if(simOutSize > 0 || sent == MOST) return;
  if(++sent == MOST) { ACTION; return; }
  simOutSize = 11;
  etimer(1);
}
"""


def recorded(described: bytes, folder, *arguments: str, radio: str = ".") -> tuple[int, dict]:
    """The kernel's exit code and its report; the log and the record are in the folder."""
    done = subprocess.run(
        [kernel.executable(), "--log", "log", "--radio", radio, *arguments],
        input=described,
        cwd=folder,
        capture_output=True,
        check=False,
    )
    return done.returncode, json.loads(done.stdout or "{}")


def sending(firmware, most: int, action: str = "", **options) -> bytes:
    library = firmware(SENDING.replace("MOST", str(most)).replace("ACTION", action))
    return describe(simulation([(0, 0)], 30, **options), 1, {"t": library}, "5.0")


def test_a_record_is_whole_whenever_it_ends(firmware, tmp_path):
    """The mote itself kills the process: the files have what left their buffers of 256 KB by then."""
    status, _ = recorded(sending(firmware, 10_000, "kill(getpid(), SIGKILL)"), tmp_path)
    assert status == -signal.SIGKILL
    content = (tmp_path / "radio.pcap").read_bytes()
    assert len(content) > 250_000 and (len(content) - 24) % 29 == 0
    text = (tmp_path / "events.csv").read_bytes()
    assert len(text) > 250_000 and text.endswith(b"\n")


def test_a_record_may_be_as_long_as_the_log(firmware, tmp_path):
    described = sending(firmware, 100)
    assert recorded(described, tmp_path)[0] == 0
    longest = max((tmp_path / name).stat().st_size for name in ("radio.pcap", "events.csv"))
    assert recorded(described, tmp_path, "--log-limit", str(longest))[0] == 0
    assert recorded(described, tmp_path, "--log-limit", str(longest - 1)) == (
        6,
        {
            "report": "error",
            "kind": "storage",
            "message": f"a record of the radios in . reached the log's limit of {longest - 1} bytes; "
            "simulate a shorter time",
        },
    )


@pytest.mark.parametrize(
    "full", [["radio.pcap"], ["events.csv"], ["states.csv"], ["radio.pcap", "events.csv"]]
)
def test_a_record_that_cannot_be_written(full, firmware, tmp_path):
    for name in full:
        (tmp_path / name).symlink_to("/dev/full")
    status, report = recorded(sending(firmware, 5), tmp_path)
    assert (status, report["message"]) == (6, "can't write the record of the radios in .")
    for name in {"radio.pcap", "events.csv"}.difference(full):
        assert (tmp_path / name).stat().st_size > 50, "the other one is there"


def test_the_longest_path_of_a_record(firmware, tmp_path):
    """4,095 bytes, as for any file."""
    described = sending(firmware, 5)
    for length in (4095, 4096, 4097):
        folder = "./" + "/" * (length - len(".//./radio.pcap") + 1) + "."
        assert len(f"{folder}/radio.pcap") == length
        status, report = recorded(described, tmp_path, radio=folder)
        assert status == (0 if length == 4095 else 6)
        assert status == 0 or report["message"] == "the path of radio.pcap is too long"
    assert {path.name for path in tmp_path.iterdir()} == {"log", "radio.pcap", "events.csv", "states.csv"}


def test_a_mote_without_a_radio_is_in_no_record(firmware, tmp_path):
    interfaces = tuple(one for one in STANDARD_INTERFACES if one != "ContikiRadio")
    assert recorded(sending(firmware, 5, interfaces=interfaces), tmp_path)[0] == 0
    assert [(tmp_path / name).read_text().count("\n") for name in ("events.csv", "states.csv")] == [1, 1]
