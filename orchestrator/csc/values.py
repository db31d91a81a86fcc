# SPDX-License-Identifier: Apache-2.0
"""Text of a .csc's elements as numbers, read in three ways.

The embedded engine takes what is no number for a fault; Java's own parsers are stricter with white space and
looser with forms; for drawing and comparing, a text stays one.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING

from orchestrator.csc.faults import Faults

if TYPE_CHECKING:
    from lxml.etree import _Element

INT_MIN, INT_MAX = INT = (-(2**31), 2**31 - 1)
LONG_MIN, LONG_MAX = LONG = (-(2**63), 2**63 - 1)
EEPROM_BYTES = 1024  # size of a Cooja mote's EEPROM

_INTEGER = re.compile(r"[+-]?[0-9]{1,20}")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?")
_JAVA_INTEGER = re.compile(r"[+-]?[0-9]+")
_JAVA_DOUBLE = re.compile(
    r"[\x00-\x20]*[+-]?(NaN|Infinity|([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[fFdD]?"
    r"|0[xX]([0-9a-fA-F]+\.?|[0-9a-fA-F]*\.[0-9a-fA-F]+)[pP][+-]?[0-9]+[fFdD]?)[\x00-\x20]*"
)


def own_text(element: _Element) -> str:
    """Return the element's own text (class names stand before child elements), stripped."""
    text = element.text or ""
    for child in element:
        if child.tail:
            text += child.tail
    return text.strip()


def integer(
    element: _Element, text: str, faults: Faults, what: str, low: int, high: int, default: int = 0
) -> int:
    """Read a whole number from `low` to `high`; add a fault and return `default` for anything else."""
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
    """Return the number, or None if the text is not one or it is too large."""
    text = text.strip()
    value = float(text) if _DECIMAL.fullmatch(text) else None
    return None if value in (float("inf"), float("-inf")) else value


def decimal(element: _Element, text: str, faults: Faults, what: str, default: float = 0.0) -> float:
    """Read a decimal number; add a fault and return `default` for anything else."""
    value = decimal_value(text)
    if value is None:
        faults.faulty(element, f"{what}: {text[:40]!r} is not a decimal number", "write it like 12.5")
        return default
    return value


def image(element: _Element, text: str, faults: Faults) -> bytes | None:
    """Return an EEPROM image: base64 in one line, as Java's basic decoder wants it; None after a finding."""
    if len(text) % 4 > 1 and "=" not in text:
        text += "=" * (-len(text) % 4)  # Java does without
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, ValueError):
        faults.faulty(
            element,
            "eeprom: not base64 in one line",
            "write the image's bytes in base64 without white space (`orchestrate csc fix` joins lines)",
        )
        return None
    if len(data) > EEPROM_BYTES:
        faults.note(
            element,
            f"eeprom: {len(data)} bytes, more than the {EEPROM_BYTES} of a mote: Cooja runs it without",
            "shorten the image",
        )
        return None
    return data


def integer_fault(text: str, bounds: tuple[int, int] = INT) -> str | None:
    """Return what Java would refuse, None if it reads a whole number there."""
    if not _JAVA_INTEGER.fullmatch(text):
        if _JAVA_INTEGER.fullmatch(text.strip()):
            return f"{text.strip()[:40]} with white space around it"
        return f"{text[:40]!r} is not a whole number"
    # 20 digits hold every number in range; more can still be zeros.
    if len(text.lstrip("+-0")) > 20 or not bounds[0] <= java_integer(text) <= bounds[1]:
        return f"{text[:40]} is outside {bounds[0]} to {bounds[1]}"
    return None


def java_integer(text: str) -> int:
    """Return the number of a text that has no integer_fault: of any number of zeros, which int() refuses."""
    number = int(text.lstrip("+-0") or "0")
    return -number if text.startswith("-") else number


def decimal_fault(text: str) -> str | None:
    """Return what Java would refuse, None if it reads a decimal number there."""
    return None if _JAVA_DOUBLE.fullmatch(text) else f"{text[:40]!r} is not a decimal number"


def check_integer(element: _Element, what: str, faults: Faults, bounds: tuple[int, int] = INT) -> None:
    """Note an element whose text is not a whole number to Java."""
    if fault := integer_fault(element.text or "", bounds):
        faults.faulty(element, f"{what}: {fault}", "write digits only")


def check_decimal(element: _Element, text: str, what: str, faults: Faults) -> None:
    """Note a text of an element's that is no decimal number to Java."""
    if fault := decimal_fault(text):
        faults.faulty(element, f"{what}: {fault}", "write it like 12.5")


def number(text: str | None) -> float | str:
    """Return a decimal number, else the text without surrounding space."""
    text = (text or "").strip()
    try:
        value = float(text)
    except ValueError:
        return text
    return value if abs(value) < float("inf") and "_" not in text else text


def whole(text: str | None) -> int | str:
    """Return a whole number, else the text without surrounding space."""
    text = (text or "").strip()
    return int(text) if re.fullmatch(r"[+-]?[0-9]{1,19}", text) else text


def position(config: _Element, faults: Faults) -> tuple[float, float, float]:
    """Return the place (m) that a mote's configuration gives, in today's form or that before 2022."""
    values = {"x": 0.0, "y": 0.0, "z": 0.0}
    for child in config:
        if child.tag in values:  # before 2022
            values[child.tag] = decimal(child, child.text or "", faults, child.tag)
        elif child.tag == "pos":
            for axis, text in child.items():
                if axis in values:
                    values[axis] = decimal(child, text, faults, axis)
        else:
            faults.ignored(child, "Position")
    return values["x"], values["y"], values["z"]
