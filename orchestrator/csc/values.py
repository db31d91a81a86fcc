# SPDX-License-Identifier: Apache-2.0
"""Text of a .csc's elements as numbers, with the ranges that Cooja's Java types have."""

from __future__ import annotations

import base64
import binascii
import re

from orchestrator.csc.faults import Faults

INT_MIN, INT_MAX = -(2**31), 2**31 - 1
LONG_MIN, LONG_MAX = -(2**63), 2**63 - 1
EEPROM_BYTES = 1024  # size of a Cooja mote's EEPROM

_INTEGER = re.compile(r"[+-]?[0-9]{1,20}")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?")


def own_text(element) -> str:
    """The element's own text (class names stand before child elements), stripped."""
    text = element.text or ""
    for child in element:
        if child.tail:
            text += child.tail
    return text.strip()


def integer(element, text: str, faults: Faults, what: str, low: int, high: int, default: int = 0) -> int:
    text = text.strip()
    if not _INTEGER.fullmatch(text):
        faults.faulty(element, f"{what}: {text[:40]!r} is not a whole number", "write digits only")
        return default
    value = int(text)
    if not low <= value <= high:
        faults.faulty(element, f"{what}: {value} is outside {low} to {high}", "choose a number in that range")
        return default
    return value


def decimal_value(text: str) -> float | None:
    """The number, or None if the text is none or it is too large."""
    text = text.strip()
    value = float(text) if _DECIMAL.fullmatch(text) else None
    return None if value in (float("inf"), float("-inf")) else value


def decimal(element, text: str, faults: Faults, what: str, default: float = 0.0) -> float:
    value = decimal_value(text)
    if value is None:
        faults.faulty(element, f"{what}: {text[:40]!r} is not a decimal number", "write it like 12.5")
        return default
    return value


def image(element, text: str, faults: Faults) -> bytes | None:
    """An EEPROM image: base64 without line breaks, as Java's basic decoder wants it."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, ValueError):
        faults.faulty(element, "eeprom: not base64 in one line", "write the image's bytes in base64 without line breaks")
        return None
    if len(data) > EEPROM_BYTES:
        faults.faulty(element, f"eeprom: {len(data)} bytes; a mote's EEPROM holds {EEPROM_BYTES}", "shorten the image")
        return None
    return data
