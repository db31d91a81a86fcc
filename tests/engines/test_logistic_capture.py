# SPDX-License-Identifier: Apache-2.0
"""Which of two frames that overlap logistic loss lets through: the new one is compared with the strength that
the radio had, which is cut to whole dBm.
"""

from __future__ import annotations

import json
import math
import subprocess
from itertools import product

import pytest
from engine_firmware import simulation
from test_log_distance import sending

from orchestrator.build import kernel
from orchestrator.csc.model import LogisticLoss
from orchestrator.engines.embedded.description import describe

RANGE, SENSITIVITY = 100.0, -100.0  # m, dBm
REJECTION = 3.0  # dB
DISTANCES = (0.1, 1.0, 7.0, 10.0, 30.0)  # m
EXPONENTS = (0.3, 0.31, 0.6)  # with 0.3 a tenth of the distance is just 3 dB


def strength(distance: float, exponent: float) -> float:
    return 0.0 - (-SENSITIVITY + 10 * exponent * math.log10(distance / RANGE))


def winner(first: float, second: float) -> int:
    """By Cooja's rule: the old frame is kept (1), or the new one (2), or none (0)."""
    before = int(first)
    if before - REJECTION > second:
        return 1
    return 2 if second - REJECTION > before else 0


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_the_stronger_of_two_frames(exponent, firmware, tmp_path):
    """The medium counts a new frame that wins as received; the radio, which is interfered by then, never
    takes it, as in Cooja.
    """
    medium = LogisticLoss(RANGE, 1.0, SENSITIVITY, -300.0, exponent, 0.0)
    library = firmware(sending((1, 1000, 60), (2, 1001, 60)))
    winners = set()
    for first, second in product(DISTANCES, repeat=2):
        simulated = simulation([(-first, 0), (second, 0), (0, 0)], 1.1, medium=medium)
        done = subprocess.run(
            [kernel.executable(), "--log", tmp_path / "log"],
            input=describe(simulated, 1, {"t": library}, "5.0"),
            capture_output=True,
            check=True,
        )
        wins = winner(strength(first, exponent), strength(second, exponent))
        assert json.loads(done.stdout)["receptions"] == (wins > 0), (first, second)
        assert ((tmp_path / "log").read_bytes().count(b"from 1") == 1) == (wins == 1), (first, second)
        winners.add(wins)
    assert winners == {0, 1, 2}
