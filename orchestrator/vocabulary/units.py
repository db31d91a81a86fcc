# SPDX-License-Identifier: Apache-2.0
"""Reads and writes quantities as people write them: "15 min", "50 m", "95 %", "250 kbit/s", "2 GB".

The inner units are whole microseconds, metres, ratios 0..1, bit/s and bytes. All arithmetic on written
numbers is decimal, so that "0.1 s" is exactly 100,000 us.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Context, Decimal

from orchestrator.words import nearest

LENGTH, TIME, RATIO, RATE, SIZE = "length", "time", "ratio", "rate", "size"

# dimension -> unit -> how many of the inner unit (m, us, 1, bit/s, byte) it holds; the largest first
UNITS: Mapping[str, Mapping[str, Decimal]] = {
    LENGTH: {"km": Decimal(1000), "m": Decimal(1), "cm": Decimal("0.01"), "mm": Decimal("0.001")},
    TIME: {
        "h": Decimal(3_600_000_000),
        "min": Decimal(60_000_000),
        "s": Decimal(1_000_000),
        "ms": Decimal(1000),
        "us": Decimal(1),
    },
    RATIO: {"%": Decimal("0.01")},
    RATE: {"Mbit/s": Decimal(1_000_000), "kbit/s": Decimal(1000), "bit/s": Decimal(1)},
    SIZE: {"GB": Decimal(10**9), "MB": Decimal(10**6), "kB": Decimal(1000), "B": Decimal(1)},
}
EXAMPLES = {LENGTH: "50 m", TIME: "15 min", RATIO: "95 %", RATE: "250 kbit/s", SIZE: "2 GB"}
_DIMENSION_OF = {unit: dimension for dimension, units in UNITS.items() for unit in units}
_HABITS = {  # what people write for a unit of ours
    "sec": "s", "secs": "s", "second": "s", "seconds": "s", "mins": "min", "minute": "min", "minutes": "min",
    "hour": "h", "hours": "h", "hr": "h", "msec": "ms", "millisecond": "ms", "milliseconds": "ms",
    "µs": "us", "μs": "us", "usec": "us", "meter": "m", "meters": "m", "metre": "m", "metres": "m",
    "percent": "%", "kbps": "kbit/s", "kb/s": "kbit/s", "kbit": "kbit/s", "mbps": "Mbit/s", "bps": "bit/s",
}  # fmt: skip
MOST_DIGITS = 24  # on each side of the point
_WRITTEN = re.compile(
    rf"([+-]?[0-9]{{1,{MOST_DIGITS}}}(?:\.[0-9]{{1,{MOST_DIGITS}}})?)\s*([^\s0-9.+-]\S{{0,15}})?", re.ASCII
)


# Room for every digit that may be written, and for a unit's own: a product is never rounded.
_EXACT = Context(prec=2 * MOST_DIGITS + 12)


@dataclass(frozen=True)
class NotAQuantity(ValueError):
    """Why a text is no quantity of the wanted dimension, and what to write instead."""

    what: str
    remedy: str


def parse(text: str, dimension: str) -> int | float:
    """Return the value of `text` in the inner unit: int us, bit/s or bytes, float metres or float ratio.

    Raises NotAQuantity if the number or the unit is missing, if the unit is unknown or of another dimension,
    or if a time, rate or size is not a whole number of microseconds, bit/s or bytes. A ratio needs no unit
    ("0.95").
    """
    units = UNITS[dimension]
    matched = _WRITTEN.fullmatch(text.strip())
    if matched is None:
        raise NotAQuantity(
            f"{short(text)} is not a {dimension}", f"write a number and a unit, such as {EXAMPLES[dimension]}"
        )
    number, unit = Decimal(matched[1]), matched[2]
    if unit is None:
        if dimension != RATIO:
            example = f"{matched[1]} {EXAMPLES[dimension].split()[1]}"
            raise NotAQuantity(f"{text.strip()} has no unit", f"add one of {', '.join(units)}: {example}")
        return float(number)
    if unit not in units:
        raise NotAQuantity(*_wrong_unit(text.strip(), unit, dimension))
    value = _EXACT.multiply(number, units[unit])
    if dimension in (LENGTH, RATIO):
        return float(value)
    if value != value.to_integral_value(context=_EXACT):
        inner = {TIME: "microseconds", RATE: "bit/s", SIZE: "bytes"}[dimension]
        raise NotAQuantity(f"{text.strip()} is not a whole number of {inner}", "write fewer digits")
    return int(value)


def _wrong_unit(text: str, unit: str, dimension: str) -> tuple[str, str]:
    units = UNITS[dimension]
    of = _DIMENSION_OF.get(unit)
    if of is not None:
        return (
            f"{text} is a {of}, a {dimension} is needed",
            f"use one of {', '.join(units)}: {EXAMPLES[dimension]}",
        )
    meant = _HABITS.get(unit.lower()) or nearest(unit, units)
    hint = f"did you mean {meant}? " if meant in units else ""
    return (
        f"{short(unit)} is not a unit of {dimension}",
        f"{hint}use one of {', '.join(units)}: {EXAMPLES[dimension]}",
    )


def show(value: float, dimension: str) -> str:
    """Return the shortest plain way to write a value of the inner unit, so that parse(show(v, d), d) == v.

    A time takes the largest unit that divides it: 900,000,000 is "15 min".
    """
    exact = Decimal(repr(value))
    if dimension == LENGTH:
        return f"{_plain(exact)} m"
    if dimension == RATIO:
        return f"{_plain(exact * 100)} %"
    for unit, size in UNITS[dimension].items():
        if exact % size == 0 and (exact or unit in ("s", "bit/s", "B")):
            return f"{_plain(exact / size)} {unit}"
    raise ValueError(f"{value} is not a whole number of the inner unit")


def _plain(number: Decimal) -> str:
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def short(text: str, limit: int = 40) -> str:
    """Return `text` quoted for a message: one line, printable, with at most `limit` characters of it."""
    return repr(text if len(text) <= limit else text[: limit - 3] + "...")
