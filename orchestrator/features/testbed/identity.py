# SPDX-License-Identifier: Apache-2.0
"""Reads what a mote says of itself over its serial line, if its firmware has the module `identity`."""

from __future__ import annotations

import re
from dataclasses import dataclass

QUESTION = b"who\n"
_WHO = re.compile(r"who (\S{1,64}) address ([0-9a-f]{4,16}) eui64 ([0-9a-f]{16}|unknown) platform (\S{1,40})")


@dataclass(frozen=True)
class Identity:
    """A mote's answer about itself. `eui64`: "" if the mote doesn't know it."""

    firmware: str
    address: str
    eui64: str
    platform: str


def identity(line: str) -> Identity | None:
    """Return what a line says if it is such an answer, else None."""
    match = _WHO.fullmatch(line.strip())
    if match is None:
        return None
    return Identity(match[1], match[2], "" if match[3] == "unknown" else match[3], match[4])
