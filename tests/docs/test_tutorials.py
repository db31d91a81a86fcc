# SPDX-License-Identifier: Apache-2.0
"""Every block of every tutorial, done as a user would: one shell, one empty folder, from top to bottom.

A block's info string says what it is:
  sh             commands, run in order (a failing one fails the tutorial)
  sh if=VARIABLE the same, only where that variable of the environment is set
  output         lines that the commands before printed, in this order; `...` in a line stands for anything
  LANG file=PATH a file's whole content, written to PATH as seen from where the shell is
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests import needs
from tests.waiting import HANG_S

needs.a_compiler()
TUTORIALS = sorted((Path(__file__).resolve().parents[2] / "docs" / "tutorials").glob("*.md"))
_BLOCK = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
_MARK = "=== block of line "


@dataclass(frozen=True)
class Block:
    line: int
    kind: str  # sh, output or file
    body: str
    argument: str = ""  # the variable, or the path


def blocks(text: str) -> list[Block]:
    """The fenced blocks; ValueError for one that nothing would check."""
    found = []
    for match in _BLOCK.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        words = match["info"].split()
        named = dict(word.split("=", 1) for word in words[1:] if "=" in word)
        if words[:1] == ["sh"] and set(named) <= {"if"} and len(words) == 1 + len(named):
            found.append(Block(line, "sh", match["body"], named.get("if", "")))
        elif words == ["output"]:
            found.append(Block(line, "output", match["body"]))
        elif len(words) == 2 and set(named) == {"file"}:
            found.append(Block(line, "file", match["body"], named["file"]))
        else:
            raise ValueError(f"line {line}: ```{match['info']} is neither sh, output nor LANG file=PATH")
    return found


def script(listed: list[Block]) -> str:
    """One shell's commands; before each block a line that tells its outputs apart."""
    parts = ["set -eu"]
    for block in listed:
        if block.kind == "file":
            path = shlex.quote(block.argument)
            parts.append(f"printf %s {shlex.quote(block.body)} > {path}")
        elif block.kind == "sh" and not (block.argument and not os.environ.get(block.argument)):
            parts.append(f"echo '{_MARK}{block.line}'\n{block.body}")
    return "\n".join(parts) + "\n"


def printed(output: str) -> dict[int, str]:
    """line of a block -> what its commands printed."""
    pieces = re.split(rf"^{_MARK}([0-9]+)\n", output, flags=re.MULTILINE)
    return {int(line): text for line, text in zip(pieces[1::2], pieces[2::2], strict=True)}


def missing(expected: str, said: str) -> str | None:
    """The first line of `expected` that `said` does not have after those before it."""
    lines = iter(said.splitlines())
    for wanted in filter(str.strip, expected.splitlines()):
        pattern = ".*".join(map(re.escape, wanted.strip().split("...")))
        if not any(re.fullmatch(pattern, line.strip()) for line in lines):
            return wanted
    return None


def case(path: Path):
    """A tutorial as a parameter."""
    return pytest.param(path, id=path.stem)


@pytest.mark.parametrize("tutorial", [case(one) for one in TUTORIALS])
def test_a_tutorial_from_top_to_bottom(tutorial, tmp_path):
    listed = blocks(tutorial.read_text(encoding="utf-8"))
    assert any(block.kind == "sh" for block in listed)
    bin_folder, work, home = tmp_path / "bin", tmp_path / "work", tmp_path / "home"
    for folder in (bin_folder, work, home):
        folder.mkdir()
    for command, module in (("orchestrate", "orchestrator.cli.app"), ("pytest", "pytest"), ("python", "")):
        (bin_folder / command).write_text(
            f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {f"-m {module}" if module else ""} "$@"\n'
        )
        (bin_folder / command).chmod(0o755)
    environment = {
        "PATH": f"{bin_folder}:{os.environ['PATH']}",
        "HOME": str(home),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "LC_ALL": "C.UTF-8",
        "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache")),
        "COLUMNS": "120",
        **{name: os.environ[name] for name in ("JAVA_HOME", "TMPDIR", "CC") if name in os.environ},
        **{
            block.argument: os.environ[block.argument]
            for block in listed
            if block.kind == "sh" and os.environ.get(block.argument)
        },
    }
    done = subprocess.run(
        ["bash", "-c", script(listed)],
        cwd=work,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=HANG_S,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stdout[-6000:]
    said = printed(done.stdout)
    last = ""
    for block in listed:
        if block.kind == "sh":
            last = said.get(block.line)
        elif block.kind == "output" and last is not None:
            gone = missing(block.body, last)
            assert gone is None, f"{tutorial.name}:{block.line}: no line {gone!r} in:\n{last}"


def test_there_are_tutorials():
    assert {"app", "merge-function", "metric", "topology"} <= {path.stem for path in TUTORIALS}


def test_the_reader_takes_what_it_documents_and_nothing_else():
    text = (
        "a\n```sh\nls\n```\n```output\nx ... y\n```\n```c file=a/b.c\nint x;\n```\n```sh if=TREE\nmake\n```\n"
    )
    assert [(block.line, block.kind, block.argument) for block in blocks(text)] == [
        (2, "sh", ""),
        (5, "output", ""),
        (8, "file", "a/b.c"),
        (11, "sh", "TREE"),
    ]
    for other in ("```\nx\n```\n", "```yaml\nx\n```\n", "```sh quietly\nx\n```\n"):
        with pytest.raises(ValueError, match="neither"):
            blocks(other)


@pytest.mark.parametrize(
    ("expected", "gone"),
    [("one\nthree", None), ("o...e\n\nthree", None), ("three\none", "one"), ("on", "on"), ("four", "four")],
)
def test_output_is_looked_for_in_order(expected, gone):
    assert missing(expected, "one\ntwo\nthree\n") == gone
