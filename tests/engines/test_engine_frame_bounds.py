# SPDX-License-Identifier: Apache-2.0
"""Frames as long as a mote's memory reaches: Cooja reads two bytes behind the frame that is sent, and writes
a frame with its check sequence up to the end of the section in which simInDataBuffer lies.
"""

from __future__ import annotations

import pytest
from engine_firmware import HEAD, simulation

from orchestrator.runs.model import Outcome

ROOM = 40  # bytes of both buffers, each of which is the last variable of its section
BUFFERS = f"""
char simOutDataBuffer[{ROOM}] __attribute__((section(".data.last"))) = "x";
char simInDataBuffer[{ROOM}] __attribute__((section(".bss.last,\\"aw\\",@nobits#")));
"""
AT_THE_END = HEAD.replace("char simInDataBuffer[256], simOutDataBuffer[256];", BUFFERS)
WIDE_SENDER = AT_THE_END.replace(
    f"char simOutDataBuffer[{ROOM}] __attribute__", "char simOutDataBuffer[256] __attribute__"
)
BODY = """
void cooja_tick(void) {
  if(first()) { etimer(100 - simCurrentTime); return; }
  if(due() && simMoteID == 1) simOutSize = SIZE;
  if(!simReceiving && simInSize > 0) { SAY("frame %d\\n", simInSize); simInSize = 0; }
}
"""
PLACES = [(0, 0), (10, 0)]


@pytest.mark.parametrize("head", [AT_THE_END, WIDE_SENDER])
def test_the_longest_frame_arrives(head, firmware, run):
    ended = run(simulation(PLACES, 0.2), firmware(BODY.replace("SIZE", str(ROOM - 2)), head=head))
    assert ended.result.outcome is Outcome.OK, ended.result.evidence
    assert [(mote, text) for _, mote, text in ended.lines] == [(2, f"frame {ROOM - 2}")]


@pytest.mark.parametrize(
    ("head", "mote", "said"),
    [
        (AT_THE_END, 1, "simOutSize is larger than the mote's memory"),
        (WIDE_SENDER, 2, "a frame longer than simInDataBuffer arrived"),
    ],
)
def test_a_byte_more_is_the_mote_s_fault(head, mote, said, firmware, run):
    result = run(simulation(PLACES, 0.2), firmware(BODY.replace("SIZE", str(ROOM - 1)), head=head)).result
    assert result.outcome is Outcome.CRASH
    assert said in " ".join(result.evidence) and f"mote {mote}" in " ".join(result.evidence), result.evidence


def test_a_frame_of_no_length_is_none(firmware, run):
    for size in (0, -5):
        ended = run(simulation(PLACES, 0.2), firmware(BODY.replace("SIZE", str(size))))
        assert ended.result.outcome is Outcome.OK and not ended.lines
