# SPDX-License-Identifier: Apache-2.0
"""How a kernel is built: a small one in place of the engine's."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from orchestrator.build import cache, compiler, kernel
from orchestrator.errors import BuildFailed
from tests import needs

needs.a_compiler()


@pytest.fixture
def sources(tmp_path, monkeypatch) -> Path:
    """A kernel of two C files and a header that were there long before."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "kernel"
    (folder / "run").mkdir(parents=True)
    (folder / "main.c").write_text('#include "run/run.h"\nint main(void) { return run(); }\n')
    (folder / "run" / "run.h").write_text("int run(void);\n")
    (folder / "run" / "run.c").write_text('#include "run/run.h"\nint run(void) { return 7; }\n')
    (folder / "README.md").write_text("no source")
    for path in folder.rglob("*"):
        os.utime(path, (1, 1))
    monkeypatch.setattr(kernel, "KERNEL", folder)
    return folder


def run(path: Path) -> int:
    return subprocess.run([path], check=False).returncode


def test_a_kernel_is_compiled_once_and_again_when_a_source_changes(sources):
    told = []
    with cache.watched(lambda *said: told.append(said)):
        built = kernel.built()
        assert kernel.executable() == built.path and kernel.built() == built
    assert built.path.name == "orchestrate-kernel" and run(built.path) == 7
    assert told.count(("kernel", 1, 0)) == 1 and told.count(("kernel", 2, 0)) == 1
    assert told.count(("kernel", 0, 1)) == 3, "two units and the whole"
    (sources / "run" / "run.c").write_text('#include "run/run.h"\nint run(void) { return 8; }\n')
    changed = kernel.built()
    assert changed.key != built.key and run(changed.path) == 8
    (sources / "README.md").write_text("another")
    assert kernel.built() == changed


def test_another_compiler_makes_another_kernel(sources, tmp_path):
    """Who it says it is decides, not its name."""
    real, keys = compiler.find().command[0], {kernel.built().key}
    for name, version in (("one", ""), ("two", "exit 0;; -dumpmachine) echo odd; exit 0")):
        script = tmp_path / name
        said = f"--version) echo theirs 1; {version};;" if version else "none) ;;"
        script.write_text(f'#!/bin/sh\ncase $1 in {said} esac\nexec {real} "$@"\n')
        script.chmod(0o755)
        built = kernel.built(cc=str(script))
        assert run(built.path) == 7
        keys.add(built.key)
    assert len(keys) == 2


def test_a_compiler_without_optimisation_across_files_builds_it_all_the_same(sources, tmp_path):
    calls, script = tmp_path / "calls", tmp_path / "cc"
    real = compiler.find().command[0]
    script.write_text(
        f'#!/bin/sh\necho "$@" >> {calls}\ncase "$*" in *-flto*) echo "no plugin" >&2; exit 1;; esac\n'
        f'exec {real} "$@"\n'
    )
    script.chmod(0o755)
    assert run(kernel.executable(cc=str(script))) == 7
    called = [line.split() for line in calls.read_text().splitlines()]
    units = [words for words in called if "-c" in words and "-flto" not in words]
    assert [words[words.index("-c") + 1] for words in sorted(units)] == ["main.c", "run/run.c"]
    for words in units:
        assert set(kernel.KERNEL_CFLAGS) <= set(words) and "-I." in words
    (linked,) = [words for words in called if "-ldl" in words]
    assert {"main.c.o", "run/run.c.o", *kernel.KERNEL_LDFLAGS} <= set(linked)


def test_what_is_wrong_with_a_source_is_said(sources):
    (sources / "run" / "run.c").write_text("int run(void) { return x; }\n")
    with pytest.raises(BuildFailed, match=r"engine kernel(?s:.)*run\.c"):
        kernel.built()


def test_the_version_is_the_hash_of_the_sources_and_is_remembered(sources, monkeypatch):
    digest = kernel.sources().digest()
    assert sorted(kernel.sources().files) == ["main.c", "run/run.c", "run/run.h"]
    assert kernel.version() == digest
    later = time.time_ns() + 10**12
    monkeypatch.setattr(kernel.time, "time_ns", lambda: later)
    assert kernel.version() == digest
    monkeypatch.setattr(kernel.Sources, "digest", lambda self: "read again")
    assert kernel.version() == digest, "sizes and times are the same"
    os.utime(sources / "main.c", (2, 2))
    assert kernel.version() == "read again"


def test_a_version_that_cannot_be_remembered_is_read(sources, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    later = time.time_ns() + 10**12
    monkeypatch.setattr(kernel.time, "time_ns", lambda: later)
    assert kernel.version() == kernel.sources().digest()
