# SPDX-License-Identifier: Apache-2.0
"""Quality attributes of a channel as a scenario writes them: `period 200 ms, omission 2`.

They are those that users of FAMOUSO know: period (between two events), deadline (from push to delivery),
omission (events in a row that may be lost) and ttl (gateways that an event may pass on).
"""

from __future__ import annotations

from typing import Any

from orchestrator.features.event_service.event_types.condition import Unclear
from orchestrator.vocabulary import units
from orchestrator.vocabulary.units import NotAQuantity, short
from orchestrator.words import did_you_mean

NONE = "none"
_TIMES = ("period", "deadline")
_NUMBERS = {"omission": 65535, "ttl": 255}
NAMES = (*_TIMES, *_NUMBERS)
_LONGEST_US = (1 << 32) * 1000 - 1000


def read(text: str) -> dict[str, Any]:
    """Return the attributes by name, with times in ms. Raises Unclear."""
    values: dict[str, int] = {}
    for term in () if text.strip() == NONE else text.split(","):
        name, _, value = term.strip().partition(" ")
        if name not in NAMES:
            raise Unclear(f"{short(name)} is not a quality attribute", did_you_mean(name, NAMES))
        if name in values:
            raise Unclear(f"{name} is there twice", "remove one of them")
        values[name] = _time(name, value) if name in _TIMES else _number(name, value)
    return values


def _time(name: str, value: str) -> int:
    try:
        time_us = units.parse(value.strip(), units.TIME)
    except NotAQuantity as wrong:
        raise Unclear(f"{name}: {wrong.what}", wrong.remedy) from None
    if time_us % 1000 or not 1000 <= time_us <= _LONGEST_US:
        raise Unclear(f"{name} is {short(value.strip())}", "write whole milliseconds, at least 1 ms")
    return time_us // 1000


def _number(name: str, value: str) -> int:
    most = _NUMBERS[name]
    if not value.strip().isdecimal() or int(value) > most:
        raise Unclear(
            f"{name} is {short(value.strip()) if value.strip() else 'empty'}",
            f"write a number from 0 to {most}",
        )
    return int(value)
