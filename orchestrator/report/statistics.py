# SPDX-License-Identifier: Apache-2.0
"""The words for estimates: numbers with their intervals, and comparisons with published numbers."""

from __future__ import annotations

import math
import re

from orchestrator.statistics.estimates import Estimate

METHOD = (
    "Student's t; for a share whose interval would pass 0 or 100\u00a0%, t of its log odds; for other "
    "quantities that can't be negative, cut off at 0"
)
_HYPHEN = re.compile(r"(?<![\w.)\]-])-(?=\.?\d)")
CI = "95\u00a0%\u00a0CI"  # with no-break spaces


def against(
    published: float, ours: Estimate, unit: str = "", decimals: int = 1, rounded: float = 0.0
) -> tuple[str, str]:
    """Return (verdict, tone) for the published number of one run beside ours; see Estimate.has_run."""
    if not ours.known:
        return "not measured", "quiet"
    apart = ours.mean - published
    size = f"{abs(apart):.{decimals}f}{_points(unit)}"
    if published and unit != "%":
        share = 100 * abs(apart) / abs(published)
        size += f" ({share:.{0 if share >= 10 else 1}f}\u00a0%)"
    word = "higher by " if apart > 0 else "lower by "
    if ours.n < 2:
        return "ours is " + word + size + ", no interval from one seed", "open"
    if ours.has_run(published, rounded):
        return "within the range of our single runs", "good"
    return f"outside the range of our single runs; ours is {word}{size}", "bad"


def _points(unit: str) -> str:
    return " points" if unit == "%" else f" {unit}" if unit else ""


def number(value: float, decimals: int = 1) -> str:
    """Write a number for readers: narrow spaces between thousands, no minus zero, an en dash for unknown.

    A number that would read as zero without being zero gets more decimals, down to a millionth.
    """
    if value is None or math.isnan(value):
        return "–"
    while 1e-6 <= abs(value) < 0.5 * 10.0**-decimals:
        decimals += 1
    text = f"{value:,.{decimals}f}".replace(",", "\u202f")
    if text.startswith("-") and float(text.replace("\u202f", "")) == 0:
        return text[1:]
    return minus(text)


def minus(text: str) -> str:
    """Return a text with minus signs before negative numbers, as all pages have them; 1-4 and 1e-07 stay."""
    return _HYPHEN.sub("−", text)


def at_least(share: float) -> str:
    """Write a share, 0..1, in whole per cent, rounded down, for "at least 81 %" of 0.818."""
    return number(math.floor(100 * share + 1e-9), 0)


def with_interval(value: Estimate, decimals: int = 1, unit: str = "") -> tuple[str, str]:
    """Write an estimate as its mean and its interval: ("50.4 %", "95 % CI 49.9 to 50.9, n = 30")."""
    if not value.known:
        return "–", ""
    suffix = f"\u00a0{unit}" if unit else ""
    if value.n < 2:
        return number(value.mean, decimals) + suffix, "one seed, no interval"
    return (
        number(value.mean, decimals) + suffix,
        f"{CI} {number(value.low, decimals)} to {number(value.high, decimals)}, n\u00a0=\u00a0{value.n}",
    )


def single_runs(value: Estimate, decimals: int = 1) -> str:
    """Write the range of an estimate's single runs: "48.1 to 52.0"."""
    if value.n < 2:
        return "–"
    low, high = number(value.one_low, decimals), number(value.one_high, decimals)
    return low if low == high else f"{low} to {high}"
