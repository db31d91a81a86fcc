# SPDX-License-Identifier: Apache-2.0
"""What a mote's radio does before the mote boots: it has the values with which the firmware's variables
begin, a flag being on if it is 1, as Cooja takes them.
"""

from __future__ import annotations

import pytest
from engine_firmware import HEAD, JavaRandom, simulation

from orchestrator.csc.model import DirectedGraph, Edge, LogisticLoss, Udgm

# Mote 1 sends two frames of 3.2 ms, at 5 and 25 ms; mote 2 boots between them.
BODY = """
static int sent;
void cooja_tick(void) {
  if(first()) {
    if(simMoteID == 1) { simRadioHWOn = 1; simReceiving = 0; etimer(5); }
    else SAY("boot %d %d %d %d %d at %lld\\n", simReceiving, simInSize, simSignalStrength, simLQI, (int)simLastPacketTimestamp, (long long)simRtimerCurrentTicks);
    return;
  }
  if(simMoteID == 2 && !simReceiving && simInSize > 0) { SAY("frame %d\\n", simInSize); simInSize = 0; }
  if(due() && sent++ < 2) { simOutSize = 100; etimer(20); }
}
"""  # noqa: E501
VARIABLES = "simInSize, simOutSize, simSignalStrength, simLastSignalStrength, simLQI,"
MEDIA = {
    "disk": Udgm(50.0, 70.0),
    "logistic": LogisticLoss(100.0, awgn_sigma=0.0, path_loss_exponent=1.0),
    "graph": DirectedGraph((Edge(1, 2, lqi=66),)),
}


def firmware_with(firmware, receiving: int = 0, on: int = 1):
    head = HEAD.replace(
        "simRadioHWOn = 1, simReceiving,", f"simRadioHWOn = {on}, simReceiving = {receiving},"
    )
    head = head.replace(VARIABLES, VARIABLES.replace("simLQI,", "simLQI = 77,"))
    assert f"simReceiving = {receiving}" in head and "simLQI = 77" in head
    return firmware(BODY, head=head)


def booted(run, library, medium, boots_ms: int) -> list[str]:
    """What mote 2 says, which boots in this millisecond, mote 1 in the first."""
    draws = ((seed, JavaRandom(seed)) for seed in range(100_000))
    delays = ((seed, [draw.next_int(30_000) // 1000 for _ in range(2)]) for seed, draw in draws)
    seed = next(seed for seed, delay in delays if delay == [0, boots_ms])
    ended = run(simulation([(0, 0), (10, 0)], 0.06, medium=medium, motedelay_us=30_000), library, seed=seed)
    return [text for _, mote, text in ended.lines if mote == 2]


@pytest.mark.parametrize("medium", MEDIA)
@pytest.mark.parametrize("receiving", [0, 1, 2, -1])
@pytest.mark.parametrize("on", [1, 0, 2])
def test_a_frame_before_boot(on, receiving, medium, firmware, run):
    """It is received if the radio is on and is not receiving yet. Else the radio is interfered, which ends a
    reception, too; but for those that are off in a directed graph. The mote takes the frame when the next
    one wakes it.
    """
    said = booted(run, firmware_with(firmware, receiving, on), MEDIA[medium], 12)
    heard = on == 1 and receiving != 1
    flag = receiving if on != 1 and medium == "graph" else 0
    lqi = 66 if medium == "graph" else 77
    assert said == [
        f"boot {flag} {100 if heard else 0} -100 {lqi} {5000 if heard else 0} at 12000",
        *["frame 100"] * (on == 1),
    ]
