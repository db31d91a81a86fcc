# SPDX-License-Identifier: Apache-2.0
"""Converts the bytes of a mote's serial port to text as Cooja does, so that logs have Cooja's form.

It does the same as the embedded engine's `motes/serial.c`, which is tested against Cooja's own logs.
"""

from __future__ import annotations

LONGEST = 16 * 1024  # bytes of a line; in place of a longer one, Cooja's log has a notice
KEPT = {0x09, *range(0x0B, 0x0E), *range(0x1C, 0x7F)}
# Bytes from 0x80 on become U+FF80 and so on (sign extension of a Java byte), where that is a letter.
WIDE = {
    *range(0x80, 0xBF),
    *range(0xC2, 0xC8),
    *range(0xCA, 0xD0),
    *range(0xD2, 0xD8),
    *range(0xDA, 0xDD),
}
DROPPED = bytes(each for each in range(256) if each not in KEPT | WIDE)
LETTERS = {each: chr(0xFF00 + each) for each in WIDE}


def texts(line: bytes) -> list[str]:
    """Return the lines of Cooja's log for a line of a mote (without its end): one, unless it is too long."""
    found = []
    while len(line) > LONGEST:
        found.append(f"# [1024 bytes, no line ending]: {text(line[:LONGEST])[:20]}...")
        line = line[LONGEST + 1 :]
    found.append(text(line))
    return found


def text(line: bytes) -> str:
    """Return the text without the bytes that Cooja drops."""
    return line.translate(None, DROPPED).decode("latin-1").translate(LETTERS)
