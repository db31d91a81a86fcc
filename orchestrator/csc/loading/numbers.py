# SPDX-License-Identifier: Apache-2.0
"""Numbers as Java's own parsers take them: they are stricter than ours with white space, looser with forms."""

from __future__ import annotations

import re

INT = (-(2**31), 2**31 - 1)
LONG = (-(2**63), 2**63 - 1)
_INTEGER = re.compile(r"[+-]?[0-9]+")
_DOUBLE = re.compile(
    r"[\x00-\x20]*[+-]?(NaN|Infinity|([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[fFdD]?"
    r"|0[xX]([0-9a-fA-F]+\.?|[0-9a-fA-F]*\.[0-9a-fA-F]+)[pP][+-]?[0-9]+[fFdD]?)[\x00-\x20]*"
)


def integer_fault(text: str, bounds: tuple[int, int] = INT) -> str | None:
    """What Java would refuse, None if it reads a whole number there."""
    if not _INTEGER.fullmatch(text):
        if _INTEGER.fullmatch(text.strip()):
            return f"{text.strip()[:40]} with white space around it"
        return f"{text[:40]!r} is not a whole number"
    # 20 digits hold every number in range; more can still be zeros.
    if len(text.lstrip("+-0")) > 20 or not bounds[0] <= int(text) <= bounds[1]:
        return f"{text[:40]} is outside {bounds[0]} to {bounds[1]}"
    return None


def decimal_fault(text: str) -> str | None:
    """What Java would refuse, None if it reads a decimal number there."""
    return None if _DOUBLE.fullmatch(text) else f"{text[:40]!r} is not a decimal number"


def whole(element, what: str, findings, bounds: tuple[int, int] = INT) -> None:
    """Notes an element whose text is no whole number to Java."""
    fault = integer_fault(element.text or "", bounds)
    if fault:
        findings.fault(element, f"{what}: {fault}", "write digits only")
