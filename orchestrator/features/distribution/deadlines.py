# SPDX-License-Identifier: Apache-2.0
"""The Just-In-Time Data Distribution algorithm: the latest deadline at which no target reads outdated data.

The paper steps through the n periods of a superperiod and looks in each for data access windows that overlap
the invalid interval. Relative to the starts of the source's periods p, a target's windows begin at all phases
that equal its release modulo gcd(p, its own period), and at no others. So the window that matters is found at
once, however long the superperiod is, and so is the first period in which it matters. All arithmetic is on
integers; tests compare it with the paper's loop and with a simulation of every microsecond.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import gcd, lcm

from orchestrator.features.distribution.model import Distribution, System, Target, Timing
from orchestrator.features.distribution.readings import Reading

MOST = 2**63 - 1  # us: superperiods must fit 64 bits, because a run time counts them in 64 bits
UNBOUND, BEFORE, MINIMUM = 1, 2, 3  # the paper's three cases


@dataclass(frozen=True)
class Deciding:
    """The deadline that one target alone asks for, and the paper's case. Times are us.

    `period`: the number, in the superperiod, of the first period in which the target's window decides.
    `begins`, `ends`: the data access window, from the start of the superperiod.
    """

    target: Target
    case: int
    deadline: int
    period: int = 0
    begins: int = 0
    ends: int = 0


@dataclass(frozen=True)
class Deadline:
    """The result for one distribution. Times are us.

    `deadline`, `minimum` and `most` count from the release, other times from the start of the source's
    period. `deadline`: None if even the minimum isn't positive. `expires`: when, in a period, the data of the
    earlier period becomes invalid (OV_i). `most`: the largest deadline that the reading allows. `by`: what
    decided; None if no target did (case 1). `all`: what each target alone would ask for.
    """

    distribution: Distribution
    reading: Reading
    period: int
    superperiod: int
    periods: int
    release: int
    expires: int
    minimum: int
    most: int
    deadline: int | None
    case: int
    by: Deciding | None
    all: tuple[Deciding, ...]

    @property
    def ends(self) -> int | None:
        """The deadline from the start of the period."""
        return None if self.deadline is None else self.release + self.deadline

    @property
    def quick(self) -> int:
        """The quick deadline of section 4.2, OV_i - P_i: safe for any targets, never later than exact."""
        return min(self.minimum, self.most)


def deadlines(system: System, reading: Reading) -> list[Deadline]:
    """Return the deadline of each distribution, in the file's order."""
    return [
        deadline(
            distribution,
            system.objects[distribution.object],
            system.source(distribution).timing,
            system.readers(distribution),
            reading,
        )
        for distribution in system.distributions.values()
    ]


def deadline(
    distribution: Distribution, validity: int, source: Timing, targets: Iterable[Target], reading: Reading
) -> Deadline:
    """Return the latest deadline of one distribution."""
    targets = tuple(targets)
    period, release, most = source.period, reading.released(source), reading.most(source)
    superperiod = lcm(period, *(target.timing.period for target in targets))
    expires = reading.stamped(source) + validity - period
    candidates = tuple(
        of_target(target, period, expires, expires - release, release, most) for target in targets
    )
    decided = min(
        (candidate for candidate in candidates if candidate.case != UNBOUND),
        key=lambda candidate: (candidate.deadline, candidate.period),
        default=None,
    )
    latest = most if decided is None else decided.deadline
    return Deadline(
        distribution,
        reading,
        period,
        superperiod,
        superperiod // period,
        release,
        expires,
        expires - release,
        most,
        latest if latest > 0 else None,
        UNBOUND if decided is None else decided.case,
        decided,
        candidates,
    )


def of_target(target: Target, period: int, expires: int, minimum: int, release: int, most: int) -> Deciding:
    """Return what one target alone asks for.

    `minimum`: the deadline that ends with the validity of the data before (OV_i - P_i, from the release).
    """
    if minimum >= most:  # the next value is always there before this one is outdated
        return Deciding(target, UNBOUND, most)
    timing = target.timing
    grid = gcd(period, timing.period)
    since = (expires - timing.release) % grid  # from the nearest begin of a window before OV_i to OV_i
    if since < timing.deadline:
        case, latest, last = MINIMUM, minimum, timing.deadline - 1
    elif (latest := expires - since + grid - release) < most:  # the nearest begin after it
        case, last = BEFORE, 0
    else:
        return Deciding(target, UNBOUND, most)
    at = latest + release  # in a period: OV_i, or the begin of the window
    # It decides in the first period i in which i * period + at is at most `last` after a window's begin.
    low = (timing.release - at) % timing.period
    number = first_multiple(period % timing.period, timing.period, low, low + last)
    begins = number * period + at
    begins -= (begins - timing.release) % timing.period
    return Deciding(target, case, latest, number, begins, begins + timing.deadline)


def first_multiple(step: int, modulus: int, low: int, high: int) -> int:
    """Return the smallest n >= 0 with n * step modulo `modulus` in low..high.

    The caller makes sure that 0 <= low < modulus and that there is such an n. It is found as in Euclid's
    algorithm: n * step - k * modulus is in the range for the first k whose k * modulus modulo `step` is in
    the remaining range.
    """
    if low == 0 or high >= modulus:
        return 0
    number = -(-low // step)
    if number * step <= high:
        return number
    turns = first_multiple(modulus % step, step, -high % step, -low % step)
    return -(-(low + turns * modulus) // step)


def shared(system: System, deadlines: Iterable[Deadline]) -> dict[str, int]:
    """Return the deadline of each step: the shortest of the distributions that share it.

    Steps that are only in distributions without a positive deadline are left out.
    """
    steps: dict[str, int] = {}
    for deadline in deadlines:
        for name in deadline.distribution.path:
            if deadline.deadline is not None:
                steps[name] = min(deadline.deadline, steps.get(name, deadline.deadline))
    return steps
