# SPDX-License-Identifier: Apache-2.0
"""Log-distance path loss with shadowing and capture, for labs that were measured (radio/log_distance.c)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from orchestrator.csc.model import FARTHEST, QUIET_DBM, DeclaredMedium, OwnSignal
from orchestrator.scenario.model import DeclaredRadioSpec
from orchestrator.vocabulary.parameters import Parameter


@dataclass(frozen=True)
class LogDistanceRadioSpec(DeclaredRadioSpec):
    """A scenario's radio with this medium; the fields are part of a run's identity."""

    medium: str = "log-distance"
    reference_dbm: float = -40.0
    exponent: float = 3.0
    shadowing_db: float = 0.0
    asymmetry_db: float = 0.0
    sensitivity_dbm: float = -90.0
    width_db: float = 1.0
    capture_db: float = 3.0


@dataclass(frozen=True)
class LogDistance(DeclaredMedium):
    """A medium that Cooja doesn't have, for labs that were measured; the embedded engine alone runs it.

    A sender at full power is heard with `reference_dbm` at 1 m, and with 10 `path_loss_exponent` dB less at
    each tenfold distance. Every link is shadowed by a normal number of `shadowing_db` standard deviation, and
    each of its directions by another one of `asymmetry_db`, both by the run's seed. Half of the frames are
    received at `sensitivity_dbm`, by a logistic function that `width_db` makes flat. A frame that is stronger
    than every other by `capture_db` is received in spite of them.
    """

    name = "log-distance"
    csc_class = "orchestrate.radiomediums.LogDistance"
    summary = "log-distance path loss with shadowing and capture"
    line = "distance"
    radio_spec = LogDistanceRadioSpec
    settings = (
        Parameter(
            "reference",
            "number",
            -40.0,
            -200.0,
            50.0,
            help="of log-distance: dBm received at 1 m, at full power",
        ),
        Parameter("exponent", "number", 3.0, 0.1, 20.0, help="of log-distance: of the path loss"),
        Parameter(
            "shadowing",
            "number",
            0.0,
            0.0,
            40.0,
            help="of log-distance: dB, standard deviation between links",
        ),
        Parameter(
            "asymmetry",
            "number",
            0.0,
            0.0,
            40.0,
            help="of log-distance: dB, standard deviation of each direction of a link, beside that",
        ),
        Parameter(
            "sensitivity", "number", -90.0, -200.0, 50.0, help="of log-distance: dBm, half the frames arrive"
        ),
        Parameter(
            "width",
            "number",
            1.0,
            0.0,
            40.0,
            help="of log-distance: dB, how slowly reception grows with the signal",
        ),
        Parameter(
            "capture",
            "number",
            3.0,
            0.0,
            100.0,
            help="of log-distance: dB, a frame stronger by this than all others is received in spite of them",
        ),
    )

    reference_dbm: float = -40.0
    path_loss_exponent: float = 3.0
    shadowing_db: float = 0.0
    asymmetry_db: float = 0.0
    sensitivity_dbm: float = -90.0
    width_db: float = 1.0
    capture_db: float = 3.0
    own_signals: tuple[OwnSignal, ...] = ()

    def reach(self, ratio: float = 0.5) -> float:
        """Return the distance (m) at which this share of the frames is received without shadowing."""
        signal = self.sensitivity_dbm - self.width_db * math.log(1 / ratio - 1)
        return self._distance(signal)

    @property
    def horizon(self) -> float:
        """The distance (m) beyond which nobody hears anything.

        There, five standard deviations of shadowing above the mean, a frame in a million is received, or the
        signal is that of silence.
        """
        deviation = math.hypot(self.shadowing_db, self.asymmetry_db)
        least = min(self.sensitivity_dbm - 14 * self.width_db, QUIET_DBM)
        return self._distance(least - 5 * deviation)

    def _distance(self, signal: float) -> float:
        if self.path_loss_exponent <= 0:
            return FARTHEST
        lost = (self.reference_dbm - signal) / (10 * self.path_loss_exponent)
        return min(10 ** min(lost, 300.0), FARTHEST)


MEDIUM = LogDistance
