# SPDX-License-Identifier: Apache-2.0
"""One figure of the benchmark and its limit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """`limit` None: shown for information. `at_least`: more is better; else less is."""

    what: str
    measured: float
    unit: str
    limit: float | None = None
    at_least: bool = False

    @property
    def ratio(self) -> float | None:
        if self.limit is None:
            return None
        better, worse = (self.measured, self.limit) if self.at_least else (self.limit, self.measured)
        return better / worse if worse else float("inf")

    @property
    def kept(self) -> bool:
        return self.ratio is None or self.ratio >= 1

    def __str__(self) -> str:
        limit = "" if self.limit is None else f"{'>=' if self.at_least else '<='} {self.limit:g} {self.unit}"
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}"
        missed = "" if self.kept else "  MISSED"
        return f"{self.what:<58} {f'{self.measured:.4g} {self.unit}':>14} {limit:>12} {ratio:>8}{missed}"


@dataclass(frozen=True)
class Skipped:
    """A figure that this machine can't give, and why."""

    what: str
    why: str
    kept: bool = True

    def __str__(self) -> str:
        return f"{self.what:<58} skipped: {self.why}"
