# SPDX-License-Identifier: Apache-2.0
"""Judges trials: which are hopeless, which are on the front, and which may be called the best.

An interval decides, not a mean: a constraint is kept if the interval's worse end keeps it. The best is judged
by fresh seeds alone, since of many noisy means the smallest is too small.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from orchestrator.features.search.model import Measure, Search, Trial
from orchestrator.statistics.effects import paired_difference
from orchestrator.statistics.estimates import Estimate
from orchestrator.words import counted

_EDGE = 0.01  # a value nearer to an end of its range than this share of the range is at that end


@dataclass(frozen=True)
class Confirmed:
    """A candidate with fresh seeds. `kept`: whether the constraints hold by the bounds of these intervals."""

    trial: Trial
    fresh: Trial
    kept: bool


def kept(search: Search, trial: Trial) -> bool:
    """Whether a trial keeps every constraint, by its intervals' worse ends."""
    return all(constraint.excess(trial.of(constraint.measure)) <= 0 for constraint in search.constraints)


def hopeless(search: Search, trial: Trial, earlier: Sequence[Trial]) -> str:
    """Say why more seeds of a trial are not worth their time; "" if they are. This claims nothing."""
    for constraint in search.constraints:
        if constraint.hopeless(trial.of(constraint.measure)):
            return f"{constraint.written} is missed by the whole interval"
    for other in earlier:
        if (
            not other.failed
            and kept(search, other)
            and all(
                goal.loss(_end(other.of(goal.measure), goal.smallest))
                < goal.loss(_end(trial.of(goal.measure), not goal.smallest))
                for goal in search.goals
            )
        ):
            return f"trial {other.number} is better by whole intervals"
    return ""


def _end(estimate: Estimate, high: bool) -> float:
    return estimate.high if high else estimate.low


def front(search: Search, trials: Sequence[Trial]) -> list[Trial]:
    """Return the trials that keep the constraints and are not worse than another in every goal, by means.

    Trials of the same settings count once. With one goal these are the `candidates` best, the best first.
    """
    first: dict[str, Trial] = {}
    for trial in trials:
        if not trial.failed and not trial.stopped and kept(search, trial):
            first.setdefault(trial.label, trial)
    losses = {label: _losses(search, number) for label, number in first.items()}
    ordered = sorted(first.values(), key=lambda trial: (losses[trial.label], trial.number))
    if len(search.goals) == 1:
        return ordered[: search.candidates]
    best = _undominated(losses)
    return [trial for trial in ordered if trial.label in best]


def _losses(search: Search, trial: Trial) -> tuple[float, ...]:
    return tuple(goal.loss(trial.of(goal.measure).mean) for goal in search.goals)


def _undominated(losses: Mapping[Any, tuple[float, ...]]) -> set:
    """Return the keys of the losses than which no others are better in one goal and not worse in the rest."""
    return {
        key for key, mine in losses.items() if not any(_dominates(other, mine) for other in losses.values())
    }


def _dominates(first: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return first != other and all(a <= b for a, b in zip(first, other, strict=True))


def winners(search: Search, confirmed: Sequence[Confirmed]) -> list[Confirmed]:
    """Return what fresh seeds confirm: with one goal the best alone, with several the front."""
    good = [candidate for candidate in confirmed if candidate.kept]
    if len(search.goals) > 1 or not good:
        fresh = front_of(search, good)
        return [candidate for candidate in good if candidate.fresh.number in fresh]
    return [min(good, key=lambda candidate: (_losses(search, candidate.fresh), candidate.trial.number))]


def front_of(search: Search, confirmed: Sequence[Confirmed]) -> set[int]:
    """Return the numbers of those that fresh seeds leave on the front."""
    return _undominated({candidate.fresh.number: _losses(search, candidate.fresh) for candidate in confirmed})


def sentences(search: Search, trials: Sequence[Trial], confirmed: Sequence[Confirmed]) -> list[str]:
    """Return the result as whole sentences."""
    measured = [trial for trial in trials if not trial.failed]
    if not measured:
        reason = next((trial.failed for trial in trials), "nothing was tried")
        return [f"None of {counted(len(trials), 'trial')} could be measured: {reason}."]
    best = winners(search, confirmed)
    if not best:
        return _none(search, measured, confirmed)
    texts = []
    if len(search.goals) > 1:
        keeps = " that keeps the bounds" if search.constraints else ""
        texts.append(
            f"The front has {counted(len(best), 'setting')}: with fresh seeds no candidate{keeps} is better "
            "than one of them in one goal and not worse in the others, by their means."
        )
    for winner in best if len(search.goals) == 1 else ():
        texts.append(
            f"{winner.trial.told} is the best of {counted(len(measured), 'trial')} that were measured: "
            f"{values(search, winner.fresh)}."
        )
        texts += _apart(search, winner, confirmed)
    texts += [line for winner in best for line in edges(search, winner.trial)]
    return texts


def values(search: Search, trial: Trial) -> str:
    """Return a trial's measured values in words."""
    return "; ".join(with_interval(measure, trial.of(measure)) for measure in search.measures)


def with_interval(measure: Measure, estimate: Estimate) -> str:
    """Write a mean with its interval and seeds."""
    mean = f"{measure.name} {_number(measure, estimate.mean)}{' ' + measure.unit if measure.unit else ''}"
    if math.isnan(estimate.low):
        return f"{mean} ({counted(estimate.n, 'seed')}, no interval)"
    ends = f"{_number(measure, estimate.low)} to {_number(measure, estimate.high)}"
    return f"{mean} ({ends}, {counted(estimate.n, 'seed')})"


def _number(measure: Measure, value: float) -> str:
    return f"{value * measure.scale:.4g}"


def _none(search: Search, measured: Sequence[Trial], confirmed: Sequence[Confirmed]) -> list[str]:
    bounds = " and ".join(constraint.written for constraint in search.constraints)
    if confirmed and not search.constraints:
        return [f"No setting is confirmed: {confirmed[0].fresh.failed} with fresh seeds."]
    if confirmed:
        return [
            f"No setting is confirmed: with fresh seeds the interval of none of "
            f"{counted(len(confirmed), 'candidate')} keeps {bounds}. More seeds a trial (--seeds) make "
            "intervals narrower."
        ]
    texts = [f"No setting that was tried keeps {bounds}."]
    for constraint in search.constraints:
        near = min(measured, key=lambda trial: constraint.excess(trial.of(constraint.measure)))
        nearest = with_interval(constraint.measure, near.of(constraint.measure))
        texts.append(
            f"Nearest to {constraint.written} came trial {near.number} ({near.told}) with {nearest}."
        )
    return [*texts, "Other ranges, another bound or more seeds are needed."]


def _apart(search: Search, best: Confirmed, confirmed: Sequence[Confirmed]) -> list[str]:
    """Say whether the best can be told from the others with these seeds."""
    goal = search.goals[0]
    mine = pd.Series(best.fresh.values.get(goal.measure.name, {}))
    alike = []
    for candidate in confirmed:
        if candidate is best or not candidate.kept:
            continue
        other = paired_difference(
            mine, pd.Series(candidate.fresh.values.get(goal.measure.name, {})), effects=False
        )
        if not (other.low > 0 or other.high < 0) and not (other.constant and other.mean):
            alike.append(candidate.trial.told)
    if alike:
        return [
            f"With these seeds it can't be told from {'; '.join(alike)} (paired by seed, 95 % intervals)."
        ]
    return []


def edges(search: Search, trial: Trial) -> list[str]:
    """Say where a setting lies at the end of its range."""
    texts = []
    for parameter in search.parameters:
        if parameter.choices or parameter.path not in trial.settings:
            continue
        value = float(trial.settings[parameter.path].split()[0])
        for end in (parameter.low, parameter.high):
            if abs(value - end) <= _EDGE * (parameter.high - parameter.low):
                last = parameter.text(int(end) if parameter.whole else end)
                texts.append(
                    f"{parameter.path} = {trial.settings[parameter.path]} lies at the end of its range: what "
                    f"lies beyond {last} was not tried."
                )
                break
    return texts
