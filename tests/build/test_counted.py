# SPDX-License-Identifier: Apache-2.0
"""Instructions counted in an emulator, with programs in place of QEMU and nm."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from orchestrator.build import counted
from orchestrator.errors import BuildFailed, MissingTool

TRACE = """\
Trace 0: 0x7f00 [00000000/00000100/00000030/00000000]
an odd line
Trace 0: 0x7f00 [00000000/00000104/00000030/00000000]
Trace 0: 0x7f00 [00000000/00000200/00000030/00000000] work
Trace 0: 0x7f00 [00000000/00000202/00000030/00000000]
Trace 0: 0x7f00 [00000000/00000100/00000030/00000000]
"""
SYMBOLS = "00000101 T start\n00000201 T work\n00000300 T never\n         U printf\n"


@pytest.fixture
def tools(tmp_path, monkeypatch):
    """QEMU of a version that prints a trace and ends so; the words that it was called with."""

    def made(trace=TRACE, version="8.2.2", said="", status=0):
        words = tmp_path / "words"
        (tmp_path / "trace").write_text(trace)
        (tmp_path / "symbols").write_text(SYMBOLS)
        for name, text in (
            (counted.EMULATOR,
             f'if [ "$1" = --version ]; then echo "QEMU emulator version {version} (x)"; exit 0; fi\n'
             f'echo "$@" > {words}; cat {tmp_path / "trace"} >&2; printf "{said}"; exit {status}'),
            (f"{counted.MACHINE.prefix}nm", f"cat {tmp_path / 'symbols'}"),
        ):  # fmt: skip
            (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
            (tmp_path / name).chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:{Path(sys.executable).parent}:/usr/bin:/bin")
        return words

    return made


def test_functions_are_entered_after_so_many_instructions(tools):
    words = tools()
    program = Path("program.elf")
    assert counted.entries(program, ["start", "work", "never"]) == [("start", 0), ("work", 2), ("start", 4)]
    assert counted.entries(program, ["work"]) == [("work", 2)] and counted.entries(program, []) == []
    assert words.read_text().split() == [
        *("-M", "lm3s6965evb", "-nographic", "-semihosting"),
        *("-accel", "tcg,one-insn-per-tb=on", "-d", "exec,nochain", "-kernel", "program.elf"),
    ]


@pytest.mark.parametrize(
    ("version", "option"),
    [("8.0.9", "-singlestep"), ("7.2", "-singlestep"), ("8.1.0", "-accel"), ("10.0.2", "-accel")],
)
def test_one_instruction_at_a_time_has_another_option_since_8_1(tools, version, option):
    words = tools(version=version)
    counted.entries(Path("p"), [])
    assert (option in words.read_text().split()) and ("-singlestep" in words.read_text()) == (
        option == "-singlestep"
    )


@pytest.mark.parametrize(
    ("said", "status", "what"),
    [
        ("", 1, "program.elf ended with 1 after 5 instructions: "),
        ("a fault", 0, "program.elf ended with 0 after 5 instructions: a fault"),
        ("", 124, "program.elf did not end in 600 s, after 5 instructions"),
    ],
)
def test_a_program_that_does_not_end_well_is_no_count(tools, said, status, what):
    tools(said=said, status=status)
    with pytest.raises(BuildFailed) as raised:
        counted.entries(Path("program.elf"), ["start"])
    assert str(raised.value) == what


def test_without_the_emulator_its_package_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingTool, match=r"no qemu-system-arm.*\n.*apt-get install qemu-system-arm"):
        counted.entries(Path("program.elf"), [])
