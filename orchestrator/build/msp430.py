# SPDX-License-Identifier: Apache-2.0
"""Stands in for msp430-gcc, which Debian has not, so that clang and lld build Contiki-NG's sky platform.

A program of that name calls clang and lld with headers of TI's (Debian's package msp430mcu); with the C
headers, the small C library and the arithmetic of our own Contiki's Tmote Sky (contiki-apps/os); and, in
msp430/, with start code, the form of interrupt functions, and a linker script of our own. Its firmware
differs from that of msp430-gcc as compilers do.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from orchestrator.build import cache
from orchestrator.build.tools import call, clean_environment
from orchestrator.durable import sha256
from orchestrator.errors import MissingTool
from orchestrator.resources import contiki_apps

PROGRAM = "msp430-gcc"
PACKAGES = "clang-19 lld-19 msp430mcu"
_RECIPE = Path(__file__).with_name("msp430")
_TI = Path("/usr/msp430")  # where Debian's msp430mcu is
_HEADERS, _PERIPHERALS = _TI / "include", _TI / "lib/ldscripts/msp430f1611/periph.x"
_OLDEST, _NEWEST = 19, 40  # versions of clang: earlier ones were not tried
_RUNTIME = ("start.c", "print.c")
_CFLAGS = ("-std=gnu11", "-fno-builtin", "-fdebug-compilation-dir=.")  # of the runtime
_NO_WARNINGS, _OF_MACROS = "-w", "-Wno-everything -Werror=macro-redefined"

_CONTIKI = contiki_apps() / "os"
_OF_CONTIKI = (  # of the runtime, too
    *("sky/libc/text.c", "sky/memory.c", "sky/arithmetic.c", "sky/arithmetic-64.S", "sky/floats.c"),
    *("lib/format.c", "lib/stdio.c"),
)
_HEADERS_OF_CONTIKI = (*sorted((_CONTIKI / "sky").rglob("*.h")), _CONTIKI / "lib" / "format.h")


@dataclass(frozen=True)
class _Llvm:
    clang: str
    lld: str
    ar: str
    version: str


class Toolchain(NamedTuple):
    """A folder with a program msp430-gcc, and the version of the clang behind it."""

    folder: Path
    version: str


def toolchain(own_macros: bool = False) -> Toolchain:
    """Make the program if need be. Raises MissingTool and StorageFailed.

    `own_macros`: the user sets macros of the build, so that a source that defines them anyway is an error.
    """
    llvm = _llvm()
    for path in (_HEADERS / "msp430f1611.h", _PERIPHERALS):
        if not path.is_file():
            raise MissingTool(f"no {path}, TI's headers for the MSP430\n    apt-get install msp430mcu")
    runtime = cache.get("msp430-runtime", _key(llvm), lambda work: _runtime(llvm, work)).path
    settings = {
        "RECIPE": _RECIPE,
        "CLANG": llvm.clang,
        "LLD": llvm.lld,
        "HEADERS": _HEADERS,
        "PERIPHERALS": _PERIPHERALS,
        "RUNTIME": runtime,
        "WARNINGS": _OF_MACROS if own_macros else _NO_WARNINGS,
    }
    text = _program(settings)
    program = cache.get(PROGRAM, cache.key({"text": text}), lambda work: _written(text, work)).path
    return Toolchain(program.parent, llvm.version)


def version() -> str:
    """Return the version of the clang that would be used. Raises MissingTool."""
    llvm = _llvm()
    if not _PERIPHERALS.is_file():
        raise MissingTool("no TI headers for the MSP430\n    apt-get install msp430mcu")
    return llvm.version


def tools() -> tuple[str, str]:
    """Return the clang and the ld.lld that build for an MSP430. Raises MissingTool."""
    llvm = _llvm()
    return llvm.clang, llvm.lld


def addr2line() -> str:
    """Return the program that names functions and lines of such firmware. Raises MissingTool."""
    major = int(re.search(r"\d+", _llvm().version)[0])
    found = _of_version("llvm-addr2line", major)
    if found is None:
        raise MissingTool(f"no llvm-addr2line, so no cycles by function\n    apt-get install llvm-{major}")
    return found


def _llvm() -> _Llvm:
    """Find a clang with the MSP430's target, and the linker and archiver of its version."""
    for name in (*(f"clang-{number}" for number in range(_OLDEST, _NEWEST)), "clang"):
        found = shutil.which(name)
        version = None if found is None else _version(found)
        if version is None or version[0] < _OLDEST:
            continue
        lld, ar = (_of_version(tool, version[0]) for tool in ("ld.lld", "llvm-ar"))
        if lld is None or ar is None:
            what, package = ("ld.lld", "lld") if lld is None else ("llvm-ar", "llvm")
            raise MissingTool(
                f"{found} is here, and no {what} of its version\n    apt-get install {package}-{version[0]}"
            )
        return _Llvm(found, lld, ar, version[1])
    raise MissingTool(
        f"no clang of version {_OLDEST} or later with the target MSP430\n    apt-get install {PACKAGES}"
    )


def _version(clang: str) -> tuple[int, str] | None:
    """Return a clang's version; None if it has no MSP430."""
    try:
        done = subprocess.run(
            [clang, "--target=msp430-none-elf", "-x", "c", "-fsyntax-only", "-v", "-"],
            input="int x;",
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r"clang version (\d+)\S*", done.stderr)
    if done.returncode != 0 or match is None:
        return None
    return int(match[1]), match[0]


def _of_version(tool: str, major: int) -> str | None:
    return shutil.which(f"{tool}-{major}") or shutil.which(tool)


def _key(llvm: _Llvm) -> str:
    paths = [path for path in sorted(_RECIPE.rglob("*")) if path.is_file()]
    paths += [*(_CONTIKI / name for name in _OF_CONTIKI), *_HEADERS_OF_CONTIKI]
    files = {os.path.relpath(path, _CONTIKI): sha256(path) for path in paths}
    return cache.key({"files": files, "clang": llvm.version, "flags": _CFLAGS})


def _program(settings: dict[str, str | Path]) -> str:
    first, rest = (_RECIPE / "gcc.sh").read_text(encoding="ascii").split("\n", 1)
    return "\n".join(
        [
            first,
            *(
                f"{name}={shlex.quote(str(value))}"
                for name, value in ({"CONTIKI": _CONTIKI} | settings).items()
            ),
            rest,
        ]
    )


def _written(text: str, work: Path) -> Path:
    program = work / PROGRAM
    program.write_text(text, encoding="utf-8")
    program.chmod(0o755)
    return program


def _runtime(llvm: _Llvm, work: Path) -> Path:
    """Compile what each program is linked with."""
    settings = {"RECIPE": _RECIPE, "CLANG": llvm.clang, "HEADERS": _HEADERS, "WARNINGS": _NO_WARNINGS}
    compiler = _written(_program(settings), work)
    environment = clean_environment()
    objects = []
    for file in (*(_RECIPE / name for name in _RUNTIME), *(_CONTIKI / name for name in _OF_CONTIKI)):
        objects.append(f"{file.name}.o")
        call(
            [os.fspath(compiler), *_CFLAGS, f"-I{_CONTIKI}", "-c", os.fspath(file), "-o", objects[-1]],
            work,
            environment,
            "runtime for the MSP430",
        )
    call([llvm.ar, "rcsD", "runtime.a", *objects], work, environment, "runtime for the MSP430")
    return work / "runtime.a"
