# SPDX-License-Identifier: Apache-2.0
"""A random number that is just the chance of a frame: java.util.Random's number must be above a ratio for the
frame to be lost, and below a logistic function's value for it to be received.
"""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal

import pytest
from engine_firmware import JavaRandom, simulation

from orchestrator.csc.model import DirectedGraph, Edge, LogDistance, LogisticLoss, Udgm, UdgmConstantLoss

SEED = 1  # its first number is 0.73: between 0.5 and 1 the logistic function has every number
BODY = """
void cooja_tick(void) {
  if(first()) { if(simMoteID == 1) etimer(100); return; }
  if(due()) simOutSize = 20;
  if(!simReceiving && simInSize > 0) { SAY("frame\\n"); simInSize = 0; }
}
"""
STEP = 2.0**-50  # what no sum of a ratio and 1 rounds away


def drawn(count: int) -> float:
    """The number that decides, the last of so many; no number is drawn for starts without a delay."""
    random = JavaRandom(SEED)
    return [random.next_double() for _ in range(count)][-1]


def received(firmware, run, medium, distance: float = 10.0) -> bool:
    ended = run(simulation([(0, 0), (distance, 0)], 0.2, medium=medium), firmware(BODY), seed=SEED)
    return bool(ended.lines)


RATIOS = {
    "disk, sender": (1, lambda ratio: Udgm(50.0, 70.0, ratio, 1.0)),
    "disk, receiver at the range": (1, lambda ratio: Udgm(10.0, 70.0, 1.0, ratio)),
    "disk, both": (2, lambda ratio: Udgm(10.0, 70.0, 0.999, ratio)),
    "constant loss, sender": (1, lambda ratio: UdgmConstantLoss(50.0, 70.0, ratio, 1.0)),
    "constant loss, receiver": (1, lambda ratio: UdgmConstantLoss(50.0, 70.0, 1.0, ratio)),
    "logistic loss, sender": (1, lambda ratio: LogisticLoss(50.0, ratio, awgn_sigma=0.0)),
    "directed graph": (1, lambda ratio: DirectedGraph((Edge(1, 2, ratio),))),
}


@pytest.mark.parametrize("case", RATIOS)
def test_a_frame_is_lost_above_the_ratio(case, firmware, run):
    count, medium = RATIOS[case]
    number = drawn(count)
    assert received(firmware, run, medium(number))
    assert not received(firmware, run, medium(number - STEP))


def chance(above: float) -> float:
    """The logistic function as the kernel rounds it: the exponential once, to a double."""
    return 1.0 / (1.0 + float(Decimal(-above).exp()))


def level_for(number: float) -> float:
    """The level (dBm) at which the chance of a signal of 0 dBm is just this number."""
    near = level = -math.log(number / (1 - number))
    for step in range(2, 1000):
        if chance(-level) == number:
            return level
        level = near + (step // 2) * (-1) ** step * math.ulp(near)
    raise AssertionError("no level has this chance")


def test_a_frame_is_received_below_the_logistic_function(firmware, run):
    """At a tenth of the range, and at 10 m, the logarithm is a whole number: the signal is 0 dBm, without
    noise.
    """
    level = level_for(drawn(1))
    logistic = LogisticLoss(100.0, 1.0, -30.0, level, 3.0, 0.0)
    assert not received(firmware, run, logistic)
    assert received(firmware, run, replace(logistic, rssi_inflection_point=level - STEP * 10))
    distance = LogDistance(20.0, 2.0, sensitivity_dbm=level, width_db=1.0)
    assert not received(firmware, run, distance)
    assert received(firmware, run, replace(distance, sensitivity_dbm=level - STEP * 10))
