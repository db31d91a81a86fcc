# SPDX-License-Identifier: Apache-2.0
"""Offsets in firmware as functions and lines, of what addr2line prints."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from orchestrator.build import lines

LIBRARY = Path("/some/mote.so")


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("one\n./app/./app/file.c:12\n", "one (app/file.c:12)"),
        ("one\n/abs/file.c:12 (discriminator 3)\n", "one (/abs/file.c:12)"),
        ("one\n??:0\n", "one"),
        ("one\n??:?\ntwo\n./b.c:2\n", "one, inlined in two (b.c:2)"),
        ("??\n??:0\n", "offset 0x1f of mote.so"),
        ("", "offset 0x1f of mote.so"),
        (
            "".join(f"f{n}\n./a.c:{n}\n" for n in range(6)),
            "f0 (a.c:0), inlined in f1 (a.c:1), inlined in f2 (a.c:2), inlined in f3 (a.c:3)",
        ),
    ],
)
def test_what_addr2line_prints(monkeypatch, printed, said):
    asked = []
    monkeypatch.setattr(lines.shutil, "which", lambda _: "/bin/addr2line")
    monkeypatch.setattr(
        lines.subprocess, "run", lambda command, **_: asked.append(command) or SimpleNamespace(stdout=printed)
    )
    assert lines.source_line(LIBRARY, 31) == said
    assert asked == [["/bin/addr2line", "-f", "-i", "-e", "/some/mote.so", "0x1f"]]


@pytest.mark.parametrize("error", [OSError("no"), subprocess.TimeoutExpired("addr2line", 1)])
def test_without_an_answer_it_is_the_offset(monkeypatch, error):
    def fails(*_, **__):
        raise error

    monkeypatch.setattr(lines.shutil, "which", lambda _: "/bin/addr2line")
    monkeypatch.setattr(lines.subprocess, "run", fails)
    assert lines.source_line(LIBRARY, 31) == "offset 0x1f of mote.so"
    monkeypatch.setattr(lines.shutil, "which", lambda _: None)
    assert lines.source_line(LIBRARY, 31) == (
        "offset 0x1f of mote.so (addr2line of binutils would tell the line)"
    )


def test_what_is_no_library_has_offsets_alone(tmp_path):
    """The tool itself says that it can't read the file."""
    if lines.shutil.which("addr2line") is None:
        pytest.skip("no addr2line")
    (tmp_path / "mote.so").write_text("no library")
    assert lines.source_line(tmp_path / "mote.so", 31) == "offset 0x1f of mote.so"
    assert lines.source_line(tmp_path / "none.so", 31) == "offset 0x1f of none.so"
