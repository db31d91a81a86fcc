# SPDX-License-Identifier: Apache-2.0
"""How far a campaign is: plain values for whoever shows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """`total` runs, of which `found` were there before and `made` were done now; `failed` of both did not end ok.

    `sim_us`: simulated time of the runs made now; `elapsed_s`: wall time since the start.
    """

    total: int
    found: int
    made: int
    failed: int
    sim_us: int
    elapsed_s: float

    @property
    def done(self) -> int:
        return self.found + self.made

    @property
    def speed(self) -> float:
        """Simulated minutes a second."""
        return self.sim_us / 60e6 / self.elapsed_s if self.elapsed_s > 0 else 0.0

    @property
    def left_s(self) -> float | None:
        """Expected wall time to the end, None before the first run is done."""
        if self.done >= self.total:
            return 0.0
        if not self.made:
            return None
        return (self.total - self.done) * self.elapsed_s / self.made
