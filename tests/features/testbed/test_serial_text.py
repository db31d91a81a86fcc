# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re
from pathlib import Path

from orchestrate_testbed import serial_text

KERNEL = Path(__file__).parents[3] / "orchestrator" / "engines" / "embedded" / "kernel" / "motes" / "serial.c"


def test_bytes_are_treated_as_by_the_embedded_engine():
    """Its table is in C; this compares the two, byte by byte."""
    table = re.search(r"CLASSES\[256\] = \{(.*?)\};", KERNEL.read_text(), re.DOTALL)[1]
    classes = {}
    entries = re.findall(r"\[('\\n'|0x[0-9a-f]+)(?: \.\.\. (0x[0-9a-f]+))?\] = (\w+)", table)
    assert len(entries) == table.count("=")
    for first, last, kind in entries:
        first = 10 if first == r"'\n'" else int(first, 16)
        for byte in range(first, (int(last, 16) if last else first) + 1):
            classes[byte] = kind
    for byte in range(256):
        if byte == 10:
            continue
        expected = {"ASCII": chr(byte), "WIDE": chr(0xFF00 + byte)}.get(classes.get(byte), "")
        assert serial_text.text(bytes([byte])) == expected, byte


def test_a_line_that_is_too_long_is_noted_as_cooja_does():
    line = b"ab\x00\xff" + b"x" * serial_text.LONGEST + b"rest"
    notice, rest = serial_text.texts(line)
    assert notice == f"# [1024 bytes, no line ending]: ab{'x' * 18}..."
    assert rest == "xxxrest"
    assert serial_text.texts(b"x" * serial_text.LONGEST) == ["x" * serial_text.LONGEST]


def test_a_terminal_escape_does_not_reach_the_log():
    assert serial_text.text(b"\x1b[2J\x07hello\x9b") == "[2Jhello\uff9b"
