# SPDX-License-Identifier: Apache-2.0
"""The log: lines from bytes as Cooja makes them, the script's end, streaming, and the process's own end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import unicodedata

import pytest
from engine_firmware import simulation

from orchestrator.engines.model import Job
from orchestrator.engines.protocol import run_one
from orchestrator.runs.model import Outcome
from tests.waiting import HANG_S, wait_until

TALKING = """
void cooja_tick(void) {
  if(first()) etimer(250 * simMoteID);
  else if(due()) { SAY("mote %d at %d\\n", simMoteID, (int)simCurrentTime); etimer(1000); }
}
"""
PRINTING = """
static const unsigned char TEXT[] = {BYTES};
void cooja_tick(void) { if(first()) print(TEXT, sizeof(TEXT)); }
"""


def java_line_texts(data: bytes) -> list[str]:
    """Cooja's rules (its serial interface), from the Unicode database instead of the kernel's table."""
    lines, text, received = [], "", 0
    for byte in data:
        received += 1
        character = chr(byte if byte < 128 else 0xFF00 + byte)
        if byte == 10:
            lines.append(text)
            text, received = "", 0
        elif received > 16384:
            lines.append("# [1024 bytes, no line ending]: " + text[:20] + "...")
            text, received = "", 0
        elif (
            unicodedata.category(character) in ("Lu", "Ll", "Lt", "Lm", "Lo", "Nd")
            or byte in b"\t\x0b\x0c\r\x1c\x1d\x1e\x1f "
            or 33 <= byte <= 126
        ):
            text += character
    return lines


@pytest.mark.parametrize(
    "data",
    [
        bytes(range(256)) + b"\n",
        b"\n\n\r\n",
        b"a" * 16383 + b"\nb\n",
        b"a" * 16384 + b"\nb\n",
        b"a" * 16385 + b"\nb\n",
        bytes([0x80, 0xC5] * 9000) + b"tail\n",
        b"\0" * 16385 + b"after\n",
        b"\0" * 20000 + b"\n",
    ],
    ids=["all bytes", "empty lines", "16383", "16384", "16385", "wide", "dropped", "dropped and cut"],
)
def test_bytes_become_lines_as_in_cooja(data, firmware, run):
    library = firmware(PRINTING.replace("BYTES", ",".join(map(str, data))))
    ended = run(simulation([(0, 0)]), library)
    assert [text for _, _, text in ended.lines] == java_line_texts(data)


def test_the_script_s_end(firmware, run):
    library = firmware(TALKING)
    for options, verdict, end in [
        ({}, Outcome.OK, "TEST OK"),
        ({"success": "mote 2 at"}, Outcome.OK, "TEST OK"),
        ({"success": "mote 3 at"}, Outcome.FAILED, "TEST FAILED"),
        ({"fail": "at 1250"}, Outcome.FAILED, "TEST FAILED"),
        ({"fail": "at 9999", "success": "at 250"}, Outcome.OK, "TEST OK"),
        ({"success": ""}, Outcome.OK, "TEST OK"),
        ({"fail": ""}, Outcome.FAILED, "TEST FAILED"),
        ({"verdict": False}, Outcome.NO_VERDICT, "TEST TIMEOUT\nTEST FAILED"),
    ]:
        ended = run(simulation([(0, 0), (9, 0)], 2.5, **options), library, seed=-77)
        assert ended.result.outcome is verdict, options
        assert ended.log.decode() == (
            "Random seed: -77\n"
            "250000\tID:1\tmote 1 at 250\n"
            "500000\tID:2\tmote 2 at 500\n"
            "1250000\tID:1\tmote 1 at 1250\n"
            "1500000\tID:2\tmote 2 at 1500\n"
            "2250000\tID:1\tmote 1 at 2250\n"
            f"{end}\nTest ended at simulation time: 2500000\n"
        ), "a mote's event at the time-out does not run"
        assert ended.result.sim_us == 2_500_000
        assert ended.result.peak_memory > 100_000


THREE_A_TICK = TALKING.replace("SAY(", 'SAY("before\\nmote %d, then\\n", simMoteID); SAY(')


def test_the_run_ends_with_the_line_that_decides(firmware, run):
    library = firmware(THREE_A_TICK)
    said = [
        f"{at}\tID:{mote}\t{text}\n"
        for at, mote in ((250_000, 1), (500_000, 2), (1_250_000, 1), (1_500_000, 2))
        for text in ("before", f"mote {mote}, then", f"mote {mote} at {at // 1000}")
    ]
    for options, lines, verdict, end, end_us in [
        ({"success": "mote 2, then"}, 5, Outcome.OK, "TEST OK", 500_000),
        ({"success": "at 500"}, 6, Outcome.OK, "TEST OK", 500_000),
        ({"success": ""}, 1, Outcome.OK, "TEST OK", 250_000),
        ({"success": "at 500", "fail": "2, then"}, 5, Outcome.FAILED, "TEST FAILED", 500_000),
        ({"success": "2, then", "fail": "at 500"}, 5, Outcome.OK, "TEST OK", 500_000),
        ({"success": "2 at", "fail": "at 500"}, 6, Outcome.FAILED, "TEST FAILED", 500_000),
        ({"fail": "1, then"}, 2, Outcome.FAILED, "TEST FAILED", 250_000),
        ({"fail": "never"}, 12, Outcome.OK, "TEST OK", 2_000_000),
        ({"success": "never"}, 12, Outcome.FAILED, "TEST FAILED", 2_000_000),
        (
            {"success": "never", "verdict": False},
            12,
            Outcome.NO_VERDICT,
            "TEST TIMEOUT\nTEST FAILED",
            2_000_000,
        ),
        ({"success": "at 500", "verdict": False}, 6, Outcome.OK, "TEST OK", 500_000),
        ({"success": "never", "fail": "at 500", "verdict": False}, 6, Outcome.FAILED, "TEST FAILED", 500_000),
    ]:
        ended = run(simulation([(0, 0), (9, 0)], 2, at_once=True, **options), library)
        assert ended.result.outcome is verdict, options
        whole = (
            "Random seed: 1\n" + "".join(said[:lines]) + f"{end}\nTest ended at simulation time: {end_us}\n"
        )
        assert ended.log.decode() == whole, options
        assert ended.result.sim_us == end_us


def test_the_same_bytes_twice(firmware, run):
    library = firmware(TALKING)
    simulated = simulation([(i, 0) for i in range(30)], 20, motedelay_us=1_000_000)
    first, second = run(simulated, library, seed=5), run(simulated, library, seed=5)
    assert first.log == second.log
    assert first.log != run(simulated, library, seed=6).log


def test_a_log_cut_after_the_run_is_noticed(firmware, run, monkeypatch):
    monkeypatch.setattr("orchestrator.engines.log.END_LINE", "something that is not there")
    assert run(simulation([(0, 0)]), firmware(TALKING)).result.outcome is Outcome.TRUNCATED


SLOW = TALKING.replace("SAY(", "for(volatile int i = 0; i < 40000000; i++) { } SAY(")
CHILD = """
import sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from engine_firmware import simulation
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
run_one(engine("embedded"), Job(simulation([(0, 0)], 100000), 1, {{"t": Path({library!r})}}, Path({log!r})))
"""


def kernels_of(log) -> list[int]:
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/cmdline", "rb") as stream:
                    if os.fsencode(log) in stream.read().split(b"\0"):
                        found.append(int(entry))
            except OSError:
                continue
    return found


def test_the_log_is_streamed_and_the_process_ends_with_its_parent(firmware, tmp_path):
    log = tmp_path / "COOJA.testlog"
    code = CHILD.format(tests=os.path.dirname(__file__), library=str(firmware(SLOW)), log=str(log))
    parent = subprocess.Popen([sys.executable, "-c", code])
    try:
        wait_until(lambda: log.exists() and log.read_bytes().count(b"\n") >= 3)  # lines come while it runs
        assert len(kernels_of(log)) == 1
        parent.send_signal(signal.SIGKILL)
        wait_until(lambda: not kernels_of(log))  # killed with its parent
    finally:
        parent.kill()
        parent.wait()


def test_a_killed_kernel_is_a_lost_run(firmware, embedded, tmp_path):
    from threading import Thread

    log = tmp_path / "COOJA.testlog"
    results = []
    thread = Thread(
        daemon=True,
        target=lambda: results.append(
            run_one(embedded, Job(simulation([(0, 0)], 100000), 1, {"t": firmware(SLOW)}, log))
        ),
    )
    thread.start()
    wait_until(lambda: kernels_of(log))
    os.kill(kernels_of(log)[0], signal.SIGKILL)
    thread.join(HANG_S)
    assert results[0].outcome is Outcome.LOST
    assert "signal 9" in results[0].evidence[0]
