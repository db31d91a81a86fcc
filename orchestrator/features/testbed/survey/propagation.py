# SPDX-License-Identifier: Apache-2.0
"""Fits a propagation model to a survey: log-distance path loss with shadowing (media.log_distance).

The strength of a frame is known only if it was received, so that links on which little is received look
stronger than they are. The likelihood therefore has two parts for each direction: how strong its frames were,
and how many of them came. If none came, the second part is averaged over the possible strengths.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from orchestrator.features.testbed.survey.measure import MeasuredLink
from orchestrator.media.log_distance import LogDistance

LEAST_LINKS = 6  # directions with a known strength; four numbers are fitted to them
NODES = 24  # of the Gauss-Hermite quadrature over the strength of frames that were not received
CAPTURE_DB = 3.0  # co-channel rejection of the CC2420 (data sheet, section 8); a survey can't measure it
LEAST_PROBABILITY = 1e-9
# Beyond what is measured indoors and out (exponents of 1.6 to 6, shadowing of 3 to 14 dB: Rappaport, Wireless
# Communications, 2002, sections 4.9 and 4.11). A fit that comes here doesn't describe the lab.
MOST_EXPONENT, MOST_SHADOWING_DB = 8.0, 16.0
LEAST_WIDTH_DB, MOST_WIDTH_DB = 0.1, 20.0
STRAINED = (
    "The model doesn't describe this lab: a number stands at the end of what is plausible. Use the links."
)
_STRENGTH_ERROR_DB = 0.5  # of a link's mean strength, because radios report whole dBm


@dataclass(frozen=True)
class Fit:
    """A fitted model and its data.

    `directions`: their number. `heard`: the number with a known strength. `unexplained_db`: the standard
    deviation of measured strengths from the path loss alone. `known_exponent`: whether links have different
    lengths. `known_sensitivity`: whether some links carried some but not all of their frames; otherwise the
    curve of reception is only bounded. `strained`: whether a number is at the end of its plausible range, so
    that the model doesn't describe this lab.
    """

    model: LogDistance
    directions: int
    heard: int
    unexplained_db: float
    known_exponent: bool
    known_sensitivity: bool
    strained: bool = False


def fit(links: Sequence[MeasuredLink], places: Mapping[int, tuple[float, float]]) -> Fit | None:
    """Return the most likely model for what was measured at one power; None if too few links were heard."""
    from scipy.optimize import minimize

    links = [link for link in links if link.sent]
    heard = [link for link in links if link.rssi is not None]
    if len(heard) < LEAST_LINKS:
        return None
    apart = [math.dist(places[link.source], places[link.destination]) for link in links]
    lengths = np.maximum(apart, 0.01)
    data = _data(links, lengths)
    spread = bool(len(np.unique(np.round(lengths[~np.isnan(data.rssi)], 6))) > 1)
    start = _start(data, spread)
    options = {"maxiter": 2000, "xatol": 1e-3, "fatol": 1e-3}
    best = minimize(
        lambda values: -data.likelihood(values, spread), start, method="Nelder-Mead", options=options
    )
    reference, exponent, deviation, sensitivity, width = _unpacked(best.x, spread)
    residuals = {
        (link.source, link.destination): link.rssi - (reference - exponent * loss)
        for link, loss in zip(links, data.losses, strict=True)
        if link.rssi is not None
    }
    shadowing, asymmetry = _split(residuals, deviation)
    return Fit(
        LogDistance(
            *(
                round(float(each), 3)
                for each in (reference, exponent, shadowing, asymmetry, sensitivity, width)
            ),
            CAPTURE_DB,
        ),
        len(links),
        len(heard),
        float(np.std(list(residuals.values()))),
        spread,
        any(0 < link.heard < link.sent for link in links),
        exponent > 0.99 * MOST_EXPONENT
        or deviation > 0.99 * MOST_SHADOWING_DB
        or width > 0.99 * MOST_WIDTH_DB,
    )


@dataclass(frozen=True)
class _Data:
    """The data of each direction: 10 log10 of its length in m, mean strength (NaN: nothing heard), frames."""

    losses: np.ndarray
    rssi: np.ndarray
    sent: np.ndarray
    heard: np.ndarray

    def likelihood(self, values: np.ndarray, spread: bool) -> float:
        """Return the logarithm of the likelihood of the data, up to a constant."""
        reference, exponent, deviation, sensitivity, width = _unpacked(values, spread)
        mean = reference - exponent * self.losses
        measured = ~np.isnan(self.rssi)
        rssi = self.rssi[measured]
        apart = math.hypot(deviation, _STRENGTH_ERROR_DB)
        total = -0.5 * np.sum(((rssi - mean[measured]) / apart) ** 2) - np.sum(measured) * math.log(apart)
        chance = _chance(rssi, sensitivity, width)
        heard, sent = self.heard[measured], self.sent[measured]
        total += np.sum(heard * np.log(chance) + (sent - heard) * np.log1p(-chance))
        nodes, weights = _quadrature()
        strengths = mean[~measured, None] + deviation * nodes[None, :]
        missed = (1 - _chance(strengths, sensitivity, width)) ** self.sent[~measured, None]
        return float(total + np.sum(np.log(missed @ weights + 1e-300)))


def _data(links: Sequence[MeasuredLink], lengths: np.ndarray) -> _Data:
    return _Data(
        10 * np.log10(lengths),
        np.array([math.nan if link.rssi is None else link.rssi for link in links]),
        np.array([link.sent for link in links]),
        np.array([link.heard for link in links]),
    )


@cache
def _quadrature() -> tuple[np.ndarray, np.ndarray]:
    """Return places and weights for the mean over a standard normal variable; the weights' sum is 1."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    return nodes, weights / weights.sum()


def _chance(signal: np.ndarray, sensitivity: float, width: float) -> np.ndarray:
    from scipy.special import expit

    return np.clip(expit((signal - sensitivity) / width), LEAST_PROBABILITY, 1 - LEAST_PROBABILITY)


def _start(data: _Data, spread: bool) -> np.ndarray:
    """Return where the search begins: the line through the known strengths, and the weakest of them."""
    measured = ~np.isnan(data.rssi)
    rssi, losses = data.rssi[measured], data.losses[measured]
    exponent, reference = 3.0, float(np.mean(rssi + 3.0 * losses))
    if spread:
        slope, reference = np.polyfit(losses, rssi, 1)
        exponent = max(0.5, -float(slope))
    deviation = max(1.0, float(np.std(rssi - (reference - exponent * losses))))
    sensitivity = float(np.min(rssi)) - 1
    first = [float(reference), math.log(exponent)] if spread else [float(reference)]
    return np.array([*first, math.log(deviation), sensitivity, 0.0])


def _unpacked(values: np.ndarray, spread: bool) -> tuple[float, float, float, float, float]:
    """Return reference, exponent (3 where all links have one length), deviation, sensitivity and width."""
    reference, *middle, deviation, sensitivity, width = (float(value) for value in values)
    exponent = math.exp(min(middle[0], math.log(MOST_EXPONENT))) if spread else 3.0
    return (
        reference,
        exponent,
        math.exp(min(deviation, math.log(MOST_SHADOWING_DB))),
        sensitivity,
        math.exp(max(min(width, math.log(MOST_WIDTH_DB)), math.log(LEAST_WIDTH_DB))),
    )


def _split(residuals: Mapping[tuple[int, int], float], deviation: float) -> tuple[float, float]:
    """Return the deviation's two parts: that of both directions of a link together, and that of each alone.

    Pairs whose directions are both known tell them apart: half the variance of their difference is that of
    one direction.
    """
    apart = [value - residuals[b, a] for (a, b), value in residuals.items() if a < b and (b, a) in residuals]
    if not apart:
        return deviation, 0.0
    alone = min(float(np.mean(np.square(apart))) / 2, deviation**2)
    return math.sqrt(max(0.0, deviation**2 - alone)), math.sqrt(alone)


def predicted(model: LogDistance, length: float) -> float:
    """Return the share of frames that the model lets through over a length in m, averaged over shadowing."""
    nodes, weights = _quadrature()
    return float(_let_through(model, length, nodes) @ weights)


def predicted_quantile(model: LogDistance, length: float, deviations: float) -> float:
    """Return the share for a link whose shadowing lies so many standard deviations above the mean."""
    return float(_let_through(model, length, np.array([deviations]))[0])


def _let_through(model: LogDistance, length: float, deviations: np.ndarray) -> np.ndarray:
    """Return the shares of links of one length, by their shadowing's standard deviations from the mean."""
    mean = model.reference_dbm - 10 * model.path_loss_exponent * math.log10(max(length, 0.01))
    signals = mean + math.hypot(model.shadowing_db, model.asymmetry_db) * deviations
    if model.width_db <= 0:
        return (signals >= model.sensitivity_dbm).astype(float)
    return _chance(signals, model.sensitivity_dbm, model.width_db)
