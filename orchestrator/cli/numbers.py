# SPDX-License-Identifier: Apache-2.0
"""Numbers in the terminal, written so that what is copied from there is a number elsewhere.

A comma stands between thousands, a point before decimals, a hyphen for minus. What isn't known is an en dash.
"""

from __future__ import annotations

import math
import re

from orchestrator.console import visible

NOTHING = "–"
_DIGITS = 6  # significant ones of a number whose scale isn't known


def count(value: int | None) -> str:
    """1,063."""
    return NOTHING if value is None else f"{value:,}"


def decimal(value: float | None, places: int) -> str:
    """Format a number with `places` decimals: 1,063.20."""
    return NOTHING if value is None or math.isnan(value) else f"{value:,.{places}f}"


def milliseconds(us: float | None) -> str:
    """Format a time in us as ms: 1,063.200."""
    return decimal(None if us is None else us / 1e3, 3)


def measured(value: float | None) -> str:
    """Return a number of any scale, to six significant digits: 469.487, 1,001.03, 0.5, 2.5e-07."""
    if value is None or math.isnan(value):
        return NOTHING
    rough = f"{value:.{_DIGITS}g}"
    if "e" in rough or not math.isfinite(value):
        return f"{value:,.0f}" if _DIGITS <= math.log10(abs(float(rough)) or 1) < 15 else rough
    whole, point, rest = rough.partition(".")
    return f"{int(whole):,}{point}{rest}" if whole != "-0" else rough


def shown(text: str) -> str:
    """Return a text of the report's as the terminal writes its numbers.

    Pages have narrow spaces between thousands and a minus sign. What would command a terminal is escaped.
    """
    text = re.sub(r"(?<=\d)[\u202f\u2009](?=\d{3})", ",", text)
    return visible(text.replace("−", "-"))
