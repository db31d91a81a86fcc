# SPDX-License-Identifier: Apache-2.0
"""What builds are made of has the same hash on every machine: stores and caches go by it."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from orchestrator.build import cache, machines
from orchestrator.build.cache_folder import cache_folder, cache_path
from orchestrator.build.content import Sources
from orchestrator.build.machines import MACHINES
from orchestrator.errors import MissingTool


def test_a_hash_is_of_paths_and_contents_alone(tmp_path):
    (tmp_path / "one").write_bytes(b"first")
    (tmp_path / "two").write_bytes(b"second")
    files = {"b/two.c": tmp_path / "two", "a.c": tmp_path / "one"}
    made = Sources("name", files, {"c.h": b"third", "a.c": b"made"})
    assert made.contents() == {
        "a.c": hashlib.sha256(b"made").hexdigest(),
        "b/two.c": hashlib.sha256(b"second").hexdigest(),
        "c.h": hashlib.sha256(b"third").hexdigest(),
    }
    assert list(made.contents()) == ["a.c", "b/two.c", "c.h"]
    said = "".join(f"{path}\0{content}\n" for path, content in made.contents().items())
    assert made.digest() == hashlib.sha256(said.encode()).hexdigest()[:32]
    assert Sources("other", dict(reversed(files.items())), made.made).digest() == made.digest()
    assert Sources("name", files).digest() != made.digest()
    made.copy(tmp_path / "copy")
    assert {path.relative_to(tmp_path / "copy").as_posix(): path.read_bytes() for path in
            (tmp_path / "copy").rglob("*") if path.is_file()} == {
        "a.c": b"made", "b/two.c": b"second", "c.h": b"third"
    }  # fmt: skip


def test_the_key_of_what_is_built_stays_what_it_was():
    assert (
        cache.key({"kind": "kernel", "flags": ["-O3"]})
        == hashlib.sha256(b'{"flags": ["-O3"], "format": 1, "kind": "kernel"}').hexdigest()[:32]
    )


@pytest.mark.parametrize(
    ("named", "folder"),
    [("/x/y", "/x/y/orchestrate"), ("", "HOME/.cache/orchestrate"), ("x/y", "HOME/.cache/orchestrate")],
)
def test_where_the_cache_is(monkeypatch, tmp_path, named, folder):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", named)
    assert cache_path() == folder.replace("HOME", str(tmp_path)) == str(cache_folder())
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_path() == f"{tmp_path}/.cache/orchestrate"


def tool(folder: Path, name: str, *lines: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("\n".join(["#!/bin/sh", *lines]) + "\n")
    (folder / name).chmod(0o755)


WHO = "case $1$2$3$4$5$6$7$8 in *--version*) echo theirs 1; exit 0;; *-dumpmachine*) echo none; exit 0;; esac"


def test_what_a_microcontrollers_compiler_lacks_is_named(tmp_path, monkeypatch):
    """With programs of the test's in place of the toolchains."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for needed in ("sh", "cat"):
        (folder / needed).symlink_to(shutil.which(needed))
    monkeypatch.setenv("PATH", str(folder))
    avr, msp430 = MACHINES["avr"], MACHINES["msp430"]
    assert avr.command == ("avr-gcc", "-mmcu=atmega1284p") and msp430.command[0] == "clang"

    def lacks(machine):
        machines.compiler._find.cache_clear()
        with pytest.raises(MissingTool) as raised:
            machine.compiler()
        return str(raised.value)

    assert lacks(avr) == "no avr-gcc, so no sizes on AVR ATmega1284P\n    apt-get install gcc-avr avr-libc"
    tool(folder, "avr-gcc", WHO, "exit 1")
    assert lacks(avr).startswith("avr-gcc has no C library, so no sizes on AVR")
    tool(folder, "avr-gcc", WHO, "exit 0")
    machines.compiler._find.cache_clear()
    assert avr.compiler().command == avr.command
    assert lacks(msp430) == "no llvm-nm, so no sizes on MSP430\n    apt-get install clang llvm"
    tool(folder, "llvm-nm", "exit 0")
    assert lacks(msp430) == "no clang, so no sizes on MSP430\n    apt-get install clang llvm"
    tool(folder, "clang", WHO, "exit 1")
    assert lacks(msp430).startswith("this clang is built without the target MSP430, so no sizes on MSP430\n")
    tool(folder, "clang", WHO, "exit 0")
    machines.compiler._find.cache_clear()
    found = msp430.compiler().command
    assert found[: len(msp430.command)] == msp430.command and found[-2] == "-isystem"
    assert Path(found[-1]).is_dir()
