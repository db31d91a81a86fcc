# SPDX-License-Identifier: Apache-2.0
"""Every microsecond of a superperiod, and the paper's own loop: what deadlines.py is compared with.

`python -m tests.features.distribution.brute_force --systems 10000` compares that many random systems.
"""

from __future__ import annotations

import argparse
import random
import sys
from math import lcm

from orchestrator.features.distribution.deadlines import BEFORE, MINIMUM, UNBOUND, Deadline, deadline
from orchestrator.features.distribution.model import Distribution, Target, Timing
from orchestrator.features.distribution.readings import READINGS, Reading

MOST_SUPERPERIOD = 4_000


def random_system(chance: random.Random) -> tuple[int, Timing, list[Target]]:
    """A validity, a source and one to four targets whose superperiod is short."""
    while True:
        period = chance.randint(2, 30)
        within = chance.randint(1, period)
        source = Timing(period, chance.randint(0, period), within, 1)
        validity = period + chance.choice([1, 2, chance.randint(1, period), chance.randint(1, 3 * period)])
        targets = []
        for number in range(chance.randint(1, 4)):
            own = chance.choice([period, chance.randint(1, 40), *[period * chance.randint(1, 4)] * 3])
            # Releases beyond a period, as Target2.2's of the paper, and windows as long as the period.
            timing = Timing(own, chance.randint(0, 2 * own), chance.choice(widths(own)), 1)
            targets.append(Target(f"T{number}", "n", "o", timing))
        if lcm(period, *(one.timing.period for one in targets)) <= MOST_SUPERPERIOD:
            return validity, source, targets


def widths(period: int) -> list[int]:
    """How long a data access window may be: mostly short, so that all three cases occur."""
    return [1, 2 if period > 1 else 1, 1 + period // 8, 1 + period // 4, period]


def outdated_reads(validity: int, source: Timing, targets: list[Target], reading: Reading, due: int) -> list:
    """(time, target) of each microsecond of a superperiod in which a target may read an outdated value, if
    each value arrives just at the deadline.
    """
    period = source.period
    repeats = lcm(period, *(one.timing.period for one in targets))
    arrives, stamped = reading.released(source) + due, reading.stamped(source)
    found, current = [], -((arrives // period) + 1)
    for now in range(repeats):
        while (current + 1) * period + arrives <= now:
            current += 1
        if now >= current * period + stamped + validity:
            for one in targets:
                timing = one.timing
                if (now - timing.release) % timing.period < timing.deadline:
                    found.append((now, one.name))
    return found


def paper_loop(validity: int, source: Timing, targets: list[Target], reading: Reading) -> tuple:
    """The three cases of section 4.2, period by period: (deadline, case, target, period)."""
    period, released = source.period, reading.released(source)
    repeats = lcm(period, *(one.timing.period for one in targets))
    expires = reading.stamped(source) + validity - period
    due, decided = reading.most(source), (UNBOUND, None, None)
    for number in range(repeats // period):
        invalid, start = number * period + expires, number * period + released
        for one in targets:
            timing = one.timing
            first = timing.release - (timing.release // timing.period + 3) * timing.period
            for begins in range(first, start + due + 1, timing.period):
                if begins <= invalid < begins + timing.deadline and invalid < start + due:
                    return invalid - start, MINIMUM, one.name, number
                if invalid < begins < start + due:
                    due, decided = begins - start, (BEFORE, one.name, number)
    return due, *decided


def compare(validity: int, source: Timing, targets: list[Target], reading: Reading) -> tuple[str, Deadline]:
    """What is wrong with the deadline of a system, "" if nothing is; and the deadline."""
    names = tuple(one.name for one in targets)
    made = deadline(Distribution("d", "o", names), validity, source, targets, reading)
    by_loop = paper_loop(validity, source, targets, reading)
    latest = made.by.deadline if made.by else made.most
    if by_loop[:2] != (latest, made.case) or made.deadline != (latest if latest > 0 else None):
        return f"the paper's loop says {by_loop}", made
    if made.by and by_loop[2:] != (made.by.target.name, made.by.period):
        return f"the paper's loop has it decided by {by_loop[2:]}", made
    due = made.deadline or 0
    if due and (reads := outdated_reads(validity, source, targets, reading, due)):
        return f"outdated reads at the deadline: {reads[:3]}", made
    # A deadline of zero or less would hold only if values arrived before their distribution is released.
    if due != made.most and not outdated_reads(validity, source, targets, reading, due + 1):
        return "no outdated read at the next larger deadline", made
    return "", made


def main() -> int:
    """Compare many random systems in all readings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--systems", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    chance, cases, wrong = random.Random(args.seed), {}, 0
    for number in range(args.systems):
        validity, source, targets = random_system(chance)
        for reading in READINGS:
            said, made = compare(validity, source, targets, reading)
            kind = "no deadline" if made.deadline is None else f"case {made.case}"
            cases[kind] = cases.get(kind, 0) + 1
            if said:
                wrong += 1
                print(f"system {number}, {reading.name}: {said}\n  {validity} {source} {targets}\n  {made}")
    print(f"{args.systems:,} systems in {len(READINGS)} readings, {wrong} wrong; {cases}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
