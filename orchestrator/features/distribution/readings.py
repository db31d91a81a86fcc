# SPDX-License-Identifier: Apache-2.0
"""Lists the readings of what the paper leaves open.

These are when a distribution is released, when its data begins to age, and what "a deadline within the
period" means.
"""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.features.distribution.model import Timing

PERIOD_START, SOURCE_DEADLINE, EARLIEST_STAMP = "period-start", "source-deadline", "earliest-stamp"
RELEASES = {
    PERIOD_START: "a distribution is released, and its data begins to age, at the start of its period "
    "(section 4.2)",
    SOURCE_DEADLINE: "a distribution is released, and its data begins to age, at its source's deadline "
    "(Tables 2 and 3)",
    EARLIEST_STAMP: "a distribution is released at its source's deadline, and its data begins to age at the "
    "source's release, before which no source can have stamped it",
}
FROM_RELEASE, IN_PERIOD = "release", "period"
BOUNDS = {
    FROM_RELEASE: "a deadline D is counted from the release and is at most the period P: R + D > P can be "
    "(Table 3)",
    IN_PERIOD: "a distribution ends before its source's next period begins: R + D is at most P (section 3)",
}


@dataclass(frozen=True)
class Reading:
    """A reading; the defaults reproduce the deadlines of Tables 2 and 3.

    Times are us in the source's period.
    """

    release: str = SOURCE_DEADLINE
    bound: str = FROM_RELEASE

    @property
    def name(self) -> str:
        """Its name in tables."""
        return f"{self.release}, D within {'P' if self.bound == FROM_RELEASE else 'P - R'}"

    def released(self, source: Timing) -> int:
        """Return when a distribution is released in the period of its source."""
        return 0 if self.release == PERIOD_START else source.release + source.deadline

    def stamped(self, source: Timing) -> int:
        """Return when data begins to age in the period in which it is produced."""
        return source.release if self.release == EARLIEST_STAMP else self.released(source)

    def most(self, source: Timing) -> int:
        """Return the largest deadline, from the release."""
        if self.bound == FROM_RELEASE:
            return source.period
        return source.period - self.released(source) % source.period


READINGS = (
    Reading(SOURCE_DEADLINE, FROM_RELEASE),
    Reading(SOURCE_DEADLINE, IN_PERIOD),
    Reading(PERIOD_START, FROM_RELEASE),  # for a release at the period's start, both bounds are the same
    Reading(EARLIEST_STAMP, FROM_RELEASE),
    Reading(EARLIEST_STAMP, IN_PERIOD),
)
