# SPDX-License-Identifier: Apache-2.0
"""Firmware as Intel HEX, read again by the format's own rules."""

from __future__ import annotations

import pytest

from orchestrator.build import intel_hex
from orchestrator.errors import BuildFailed, MissingTool
from tests.build.elf_of_a_microcontroller import elf


def memory(text: str) -> dict[int, int]:
    """Each byte by its address. Every record's checksum and length must hold."""
    found, above, ended = {}, 0, False
    for line in text.splitlines():
        assert line.startswith(":") and not ended
        data = bytes.fromhex(line[1:])
        assert sum(data) % 256 == 0 and len(data) == data[0] + 5
        at, kind, content = int.from_bytes(data[1:3], "big"), data[3], data[4:-1]
        if kind == 4:
            above = int.from_bytes(content, "big") << 16
        elif kind == 1:
            ended = True
        else:
            assert kind == 0 and at + len(content) <= 1 << 16
            found |= {above + at + number: byte for number, byte in enumerate(content)}
    assert ended
    return found


def test_each_loaded_section_lies_at_its_load_address(tmp_path):
    code, data = bytes(range(256)) * 2, b"initial values"
    start = 0x0020FF08  # rows of 16 bytes that begin here cross 64 KiB
    parts = [(0x20000000, start + len(code), data), (start, start, code)]
    for order in "<>":
        path = tmp_path / "app.zoul"
        path.write_bytes(elf(parts, order))
        intel_hex.write(path, tmp_path / "app.hex")
        assert memory((tmp_path / "app.hex").read_text()) == dict(enumerate(code + data, start))
        assert b"\r" not in (tmp_path / "app.hex").read_bytes()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"#!/bin/sh\n",
        b"\x7fELF\x02\x01" + bytes(80),  # of 64 bits: a simulator's library
        b"\x7fELF\x01\x01" + bytes(80),
        elf([(0, 0, b"x")])[:-40],
        elf([]),
    ],
)
def test_what_is_no_firmware_of_a_microcontroller_is_refused(tmp_path, content):
    path = tmp_path / "app.zoul"
    path.write_bytes(content)
    with pytest.raises(BuildFailed, match="microcontroller"):
        intel_hex.write(path, tmp_path / "app.hex")


def test_a_machine_without_binutils_is_told_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingTool, match="no objcopy.*\n    apt-get install binutils"):
        intel_hex.write(tmp_path / "app.zoul", tmp_path / "app.hex")
