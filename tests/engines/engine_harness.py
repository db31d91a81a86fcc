# SPDX-License-Identifier: Apache-2.0
"""Compiles parts of the kernel, alone with a main() of the test's or as a whole with other flags."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from orchestrator.build import cache
from orchestrator.build.compiler import find
from orchestrator.build.kernel import KERNEL, KERNEL_LDFLAGS, sources

WARNINGS = ("-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror")
SANITIZED = (
    "-g",
    "-O1",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    "-fno-omit-frame-pointer",
)


def whole_kernel() -> tuple[str, ...]:
    """What a compiler is told to compile all of it."""
    return (f"-I{KERNEL}", *sorted(map(str, KERNEL.rglob("*.c"))))


def build_harness(
    folder: Path, source: str, parts: tuple[str, ...], flags: tuple[str, ...] = SANITIZED
) -> Path:
    """A program of `source` and these .c files of the kernel."""
    (folder / "harness.c").write_text(source)
    program = folder / "harness"
    subprocess.run(
        [
            "gcc",
            *WARNINGS,
            *flags,
            f"-I{KERNEL}",
            str(folder / "harness.c"),
            *(str(KERNEL / part) for part in parts),
            "-o",
            str(program),
            "-lm",
        ],
        check=True,
    )
    return program


def built_once(folder: Path, source: str, parts: tuple[str, ...]) -> Path:
    """The same for several modules: it is cached by content, and copied to the folder."""

    def build(place: Path) -> Path:
        return build_harness(place, source, parts)

    key = {
        "kind": "a harness of the tests",
        "source": source,
        "parts": parts,
        "sources": sources().digest(),
        "compiler": find("gcc").identity(),
        "flags": [*WARNINGS, *SANITIZED],
    }
    return Path(shutil.copy2(cache.get("tests", cache.key(key), build).path, folder / "harness"))


def told(program: Path, text: str) -> list[str]:
    """The lines that it answers."""
    return (
        subprocess.run([program], input=text.encode(), capture_output=True, check=True)
        .stdout.decode()
        .split("\n")[:-1]
    )


def build_kernel(flags: tuple[str, ...], compiler: str = "gcc") -> Path:
    """The whole kernel. Several modules want the same one: it is cached by content, as the engine's is."""

    def build(folder: Path) -> Path:
        program = folder / "kernel"
        subprocess.run(
            [compiler, *WARNINGS, *flags, *whole_kernel(), "-o", str(program), *KERNEL_LDFLAGS], check=True
        )
        return program

    parts = {
        "kind": "kernel of the tests",
        "sources": sources().digest(),
        "compiler": find(compiler).identity(),
        "flags": [*WARNINGS, *flags],
    }
    return cache.get("tests", cache.key(parts), build).path
