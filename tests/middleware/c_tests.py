# SPDX-License-Identifier: Apache-2.0
"""C unit tests on the host: one program a file in unit/, compiled with sanitizers, each of its tests run on
its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from orchestrator.build import cache
from orchestrator.build import compiler as compilers
from orchestrator.build.content import Sources
from tests.waiting import HANG_S

ROOT = Path(__file__).resolve().parents[2]
MIDDLEWARE = ROOT / "contiki-apps" / "middleware"
HOST = ROOT / "tests" / "middleware" / "host"
SANITIZE = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
FOLDERS = (
    "pubsub",
    "aggregation",
    "experiment",
    "diffusion",
    "eeprom-image",
    "cpc",
    "push-dpc",
    "pull-dpc",
    "sampling-buffer",
    "secure-group",
    "policies",
    "policy-update",
    "policy-bytecode",
    "event-fragments",
)
WARNINGS = (
    "-std=gnu11",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-unused-parameter",
    "-Wno-missing-field-initializers",
)

OS_LIBRARY = ROOT / "contiki-apps" / "os" / "lib"

# Everything but what needs a MAC.
SOURCES = (OS_LIBRARY / "aes-128.c", OS_LIBRARY / "ccm-star.c") + tuple(
    sorted(
        path
        for folder in FOLDERS
        for path in (MIDDLEWARE / folder).glob("*.c")
        if path.name != "pubsub-link.c"
    )
)


def compiler() -> str:
    """The C compiler, or a skipped test."""
    cc = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    if not cc:
        pytest.skip("no C compiler")
    return cc


def library(folder: Path, flags: tuple[str, ...] = SANITIZE) -> Path:
    """Compile the middleware and the host harness into an archive in `folder`.

    It takes seven seconds and many modules want the same: it is cached by content, as firmware is.
    """
    archive = folder / "libmiddleware.a"
    if not archive.exists():
        seen = [path for place in (MIDDLEWARE, OS_LIBRARY, HOST) for path in place.rglob("*.[ch]")]
        content = Sources("middleware", {path.relative_to(ROOT).as_posix(): path for path in seen})
        parts = {
            "kind": "middleware of the tests",
            "sources": content.digest(),
            "place": str(ROOT),  # which sanitizers name
            "compiler": compilers.find(compiler()).identity(),
            "flags": [*WARNINGS, *flags],
        }
        archive.symlink_to(cache.get("tests", cache.key(parts), lambda work: _library(work, flags)).path)
    return archive


def _library(folder: Path, flags: tuple[str, ...]) -> Path:
    sources = [*map(str, SOURCES), str(HOST / "host.c")]
    _call([compiler(), *WARNINGS, "-g", "-O1", *flags, *includes(), "-c", *sources], folder)
    _call(["ar", "rcs", "libmiddleware.a", *sorted(path.name for path in folder.glob("*.o"))], folder)
    return folder / "libmiddleware.a"


def includes(*more: Path) -> list[str]:
    return [
        f"-I{folder}"
        for folder in (HOST, MIDDLEWARE, *(MIDDLEWARE / name for name in (*FOLDERS, "event-service")), *more)
    ]


def build(archive: Path, source: Path, *more: Path, folders: tuple[Path, ...] = (), flags=SANITIZE) -> Path:
    """Compile a test program beside the archive."""
    program = archive.parent / source.stem
    sources = [str(source), *map(str, more)]
    _call(
        [compiler(), *WARNINGS, "-g", "-O1", *flags, *includes(*folders), *sources, archive, "-o", program],
        archive.parent,
    )
    return program


def _call(command: list, folder: Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    assert done.returncode == 0, done.stderr


def cases(source: Path) -> list[str]:
    """The names of a test file's tests, read from its table."""
    names: list[str] = []
    for line in source.read_text().split("int\nmain(")[1].splitlines():
        names += [part.split(")")[0].strip() for part in line.split("T(")[1:] if "name" not in part]
        if line.strip().startswith('{ "'):
            names.append(line.split('"')[1])
    return names


def run(program: Path, case: str) -> None:
    """Run one test; its program stops at the first check that fails."""
    done = subprocess.run([program, case], capture_output=True, text=True, timeout=HANG_S, check=False)
    assert done.returncode == 0, f"{case}: exit {done.returncode}\n{done.stderr[-3000:]}"
