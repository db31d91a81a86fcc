# SPDX-License-Identifier: Apache-2.0
"""The lines by which another process drives the kernel (kernel/run/door.h): what is refused, and large
answers.
"""

from __future__ import annotations

import time

import pytest
from engine_firmware import HEAD
from engine_harness import SANITIZED, build_kernel

from orchestrator.csc.model import Silent
from orchestrator.engines.embedded import live as drive
from orchestrator.engines.embedded.live import Live, LiveMote, Output, SimulationEnded, Stage
from orchestrator.errors import Unsupported
from orchestrator.runs.model import Outcome
from tests.waiting import wait_until

TICKING = 'void cooja_tick(void) { if(first()) { SAY("up\\n"); } etimer(1); }'
GONE, FOLLOWS = "that mote is not in the simulation any more", "something follows that doesn't belong there"
FULL = "3 motes are or were in the simulation, and it has no room for one more"
RANGE, UNKNOWN = "a number out of its range", "an unknown command (see door.h)"
OF_A_MOTE = ("write {} 00", "listen {} lines", "remove {}", "move {} 0 0 0")
COMPLETE = (*(command.format(0) for command in OF_A_MOTE), "advance 5 yes", "end yes")
REFUSED = [
    *((command.format(index), RANGE) for command in OF_A_MOTE for index in (-1, 2)),
    *((f"{command} more", FOLLOWS) for command in COMPLETE),
    ("remove 0\nwrite 0 00", GONE),
    ("remove 0\nmove 0 1 1 1", GONE),
    ("remove 0\nremove 0", GONE),
    ("advance -1 no", RANGE),
    (f"advance {2**53 + 1} no", RANGE),
    ("advance 5 maybe", "an unknown choice"),
    ("move 0 1e309 0 0", RANGE),
    ("move 0 0 0 -1e309", RANGE),
    (f"note {2**31} x", RANGE),
    ("write 0 0g", "bytes must be in hexadecimal, 0-9 and a-f"),
    ("edge 0 1 1 -10 105 0 -1", "this medium has no edges"),
    ("dance", UNKNOWN),
    ("advances 5 yes", UNKNOWN),
    ("type /nowhere\ninterface LED", "an interface that the embedded engine doesn't have"),
    ("add 0 9 0 0 0 -\nadd 0 9 0 0 0 -", FULL),
]  # fmt: skip


@pytest.fixture
def log(tmp_path):
    return tmp_path / "log"


def motes(library, count: int = 2) -> list[LiveMote]:
    return [LiveMote(library, number, 10.0 * number) for number in range(1, count + 1)]


@pytest.mark.parametrize(("lines", "said"), REFUSED)
def test_what_may_not_be_said(lines, said, firmware, log, monkeypatch):
    monkeypatch.setattr(drive, "MOST_ADDED", 1)
    with Live(Stage(Silent(), 1, log), motes(firmware(TICKING))) as live:
        for line in lines.split("\n"):
            live._say(line.encode())
        with pytest.raises(Unsupported) as raised:
            live.advance(10)
    expected = said if said is FULL else f"what the driver of the simulation says: {said}"
    assert str(raised.value).endswith(expected)


PRINTING = """
static char row[39000];
void cooja_tick(void) {
  static int tick;
  memset(row, 'a' + tick % 26, sizeof(row));
  for(int i = 99; i < (int)sizeof(row); i += 100) row[i] = '\\n';
  print(row, 100 * (tick % 389) + 100);
  tick += 7;
  etimer(1);
}
"""


def test_large_answers_are_whole(firmware, log):
    """Much more than a socket's buffer, in the kernel with sanitizers."""
    kernel = build_kernel(SANITIZED)
    stage = Stage(Silent(), 1, log)
    with Live(stage, motes(firmware(PRINTING)), executable=kernel) as live:
        live.listen(1, "lines")
        live.listen(2, "bytes")
        heard = live.advance(60_000, stop_on_output=False)
        assert live.end().outcome is Outcome.OK
    lines, pieces = [], []
    for tick in range(60):
        letter, rows = b"abcdefghijklmnopqrstuvwxyz"[7 * tick % 26 :][:1], 7 * tick % 389 + 1
        lines += [Output(1000 * tick, 1, letter * 99)] * rows
        pieces.append(Output(1000 * tick, 2, (letter * 99 + b"\n") * rows))
    assert [one for one in heard if one.mote == 1] == lines
    assert [one for one in heard if one.mote == 2] == pieces


def test_a_log_is_as_long_as_it_may_be(firmware, log, monkeypatch):
    library = firmware('void cooja_tick(void) { SAY("tick\\n"); etimer(1); }')

    def ended() -> Outcome:
        with Live(Stage(Silent(), 1, log), motes(library)) as live:
            try:
                live.advance(20_000)
            except SimulationEnded as end:
                return end.result.outcome
            return live.end().outcome

    assert ended() is Outcome.OK
    size = log.read_bytes().index(b"TEST OK")
    for limit, outcome in ((size, Outcome.OK), (size - 1, Outcome.TRUNCATED)):
        monkeypatch.setenv("ORCHESTRATE_LOG_LIMIT", str(limit))
        assert ended() is outcome


def test_the_driver_may_take_its_time(firmware, log):
    """The log is flushed meanwhile, and the step's limit doesn't run: it is 1.8 s here, of real time."""
    with Live(Stage(Silent(), 1, log, step_limit_s=0.03), motes(firmware(TICKING), 1)) as live:
        live.advance(5000)
        wait_until(lambda: b"\tup\n" in log.read_bytes())
        time.sleep(2)
        live.advance(10_000)
        assert live.now_us == 10_000 and live.end().outcome is Outcome.OK


def test_a_fault_at_a_command_ends_the_simulation(firmware, log):
    """It is no mote's own, also where those are contained."""
    with Live(Stage(Silent(), 1, log, contain=True), motes(firmware(TICKING))) as live:
        live.advance(5000)
        live.write(2, b"x")
        with pytest.raises(SimulationEnded) as raised:
            live.advance(10_000)
    assert raised.value.result.outcome is Outcome.CRASH and live.fallen == {}
    assert raised.value.result.evidence[0].startswith("mote 2: the script writes to its serial port")


def test_an_image_that_is_too_long_is_that_mote_s(firmware, log):
    small = firmware(TICKING, head=HEAD.replace("simEEPROMData[1024]", "simEEPROMData[8]"))
    with Live(Stage(Silent(), 1, log), motes(small)) as live:
        live.add(LiveMote(small, 77, image=b"123456789"))
        with pytest.raises(SimulationEnded) as raised:
            live.advance(10)
    assert "the EEPROM image of mote 77 has 9 bytes and simEEPROMData 8" in raised.value.result.evidence[0]
