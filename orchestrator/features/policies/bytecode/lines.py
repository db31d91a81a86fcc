# SPDX-License-Identifier: Apache-2.0
"""The lines that bring a program to a mote, as policy-bytecode-spread.h describes them."""

from __future__ import annotations

import binascii
import struct

PART = 26  # bytes of a program in one event: PUBSUB_MAX_DATA less the head of 6


def parts(program: bytes, version: int) -> list[bytes]:
    """Return the parts of a program, as they travel in events."""
    crc = binascii.crc_hqx(program, 0)
    return [
        struct.pack("<BBHH", version, at // PART, len(program), crc) + program[at : at + PART]
        for at in range(0, len(program), PART)
    ]


def lines(program: bytes, version: int) -> list[str]:
    """One line for each part."""
    return [f"policy code {part.hex()}" for part in parts(program, version)]
