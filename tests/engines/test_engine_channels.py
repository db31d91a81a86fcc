# SPDX-License-Identifier: Apache-2.0
"""Channels of the directed graph: who receives a frame and who hears its signal, by the channels of sender,
receiver and edge. What the link quality of an edge becomes at a radio.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from engine_firmware import simulation

from orchestrator.csc.model import DirectedGraph, Edge

CHANNELS = (-2, -1, 0, 1, 26)  # -1 is any channel; Cooja takes other negative ones for it in places
QUALITIES = (-300, -1, 0, 1, 254, 255, 256, 100_000)
# Motes of odd id send once, at 100 ms; the others say what they hear meanwhile, and what they receive.
BODY = """
static const int channels[] = { CHANNELS };
void cooja_tick(void) {
  int sends = simMoteID % 2;
  if(first()) { simRadioChannel = channels[simMoteID]; etimer(sends ? 100 : 102); return; }
  if(due()) {
    if(sends) simOutSize = 100;
    else SAY("hears %d quality %d\\n", simSignalStrength, simLQI);
  }
  if(!sends && simInSize > 0) { SAY("frame\\n"); simInSize = 0; }
}
"""


def heard(firmware, run, rules: str, pairs: list[tuple[int, int, Edge]]) -> list[list[str]]:
    """What the receivers of pairs say: the channels of sender and receiver, and their edge, which is given
    their ids here.
    """
    channels, edges = [0], []
    for number, (sender, receiver, edge) in enumerate(pairs):
        channels += [sender, receiver]
        edges.append(replace(edge, source=2 * number + 1, destination=2 * number + 2))
    body = BODY.replace("CHANNELS", ", ".join(map(str, channels)))
    places = [(0, 0)] * (2 * len(pairs))
    ended = run(simulation(places, 0.2, medium=DirectedGraph(tuple(edges))), firmware(body), ruleset=rules)
    said: dict[int, list[str]] = {}
    for _, mote, text in ended.lines:
        said.setdefault(mote, []).append(text)
    return [said[2 * number + 2] for number in range(len(pairs))]


@pytest.mark.parametrize("rules", ["5.0", "2026.07"])
def test_who_receives_and_who_hears_on_which_channel(firmware, run, rules):
    """A frame is received where the edge has the receiver's channel and the sender has it, too, any negative
    channel being every channel; its signal is heard by Cooja's other rule, by which only -1 is.
    """
    cases = list(product(CHANNELS, repeat=3))
    found = heard(firmware, run, rules, [(s, r, Edge(1, 2, 1.0, -44.0, 99, 0, e)) for s, r, e in cases])
    for (sender, receiver, edge), said in zip(cases, found, strict=True):
        takes_part = edge < 0 or receiver < 0 or edge == receiver
        receives = takes_part and (sender < 0 or receiver < 0 or sender == receiver)
        hears = sender == -1 or (edge in (-1, sender) and receiver in (-1, sender))
        assert said[0].split()[1] == ("-44" if hears else "-100"), (sender, receiver, edge)
        assert said[1:] == ["frame"] * receives, (sender, receiver, edge)


def test_the_quality_of_an_edge_is_a_byte_at_the_radio(firmware, run):
    found = heard(firmware, run, "5.0", [(26, 26, Edge(1, 2, 1.0, -44.0, lqi)) for lqi in QUALITIES])
    assert [said[0] for said in found] == [f"hears -44 quality {min(max(lqi, 0), 255)}" for lqi in QUALITIES]
