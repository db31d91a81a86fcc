# SPDX-License-Identifier: Apache-2.0
"""However many frames were sent, no memory is kept of them."""

from __future__ import annotations

import pytest
from engine_firmware import simulation

from orchestrator.csc.model import DirectedGraph, Edge, LogisticLoss, Udgm
from orchestrator.runs.model import Outcome

# Each mote sends 120 bytes every 10 ms, one 5 ms after the other.
BODY = """
void cooja_tick(void) {
  if(first()) { etimer(5 * (simMoteID % 2) + 10 - simCurrentTime % 10); return; }
  if(simInSize > 0) { simInSize = 0; received++; }
  if(due()) {
    if(++sent % 900 == 0) SAY("%d of %d\\n", received, sent);
    simOutSize = 120;
    etimer(10);
  }
}
"""
SHORT_S, LONG_S = 10, 300
LEAST = 8  # bytes that anything kept of a frame would have
MEDIA = {
    "disk": Udgm(50.0, 70.0),
    "graph": DirectedGraph((Edge(1, 2), Edge(2, 1))),
    "late": DirectedGraph((Edge(1, 2, delay_us=40), Edge(2, 1, delay_us=300), Edge(2, 1, delay_us=300))),
    "logistic": LogisticLoss(50.0),
}


@pytest.mark.parametrize(("medium", "apart"), [*((medium, 10) for medium in MEDIA), ("disk", 1000)])
def test_memory_does_not_grow_with_the_frames(medium, apart, firmware, run):
    library = firmware("static int sent, received;" + BODY)
    peaks = []
    for seconds in (SHORT_S, LONG_S):
        ended = run(simulation([(0, 0), (apart, 0)], seconds, medium=MEDIA[medium]), library)
        assert ended.result.outcome is Outcome.OK, ended.result.evidence
        received, sent = map(int, ended.lines[-1][2].split(" of "))
        assert sent > 90 * (seconds - 1)
        assert received >= sent - 1 if apart == 10 else received == 0
        peaks.append(ended.result.peak_memory)
    frames = 200 * (LONG_S - SHORT_S)
    assert peaks[1] - peaks[0] < LEAST * frames
