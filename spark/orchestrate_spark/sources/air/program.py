# SPDX-License-Identifier: Apache-2.0
"""Builds the dissector, a C program, with this machine's compiler: once for each state of its sources.

It is kept as CACHE/dissector/KEY/dissect, in the cache of orchestrate's builds, which this package doesn't
need. An entry appears by one rename, so that several processes may build it at once.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from functools import cache
from importlib.resources import files
from pathlib import Path

from orchestrate_spark.errors import NoCompiler

FLAGS = ("-std=gnu11", "-D_GNU_SOURCE", "-O3", "-Wall", "-Wextra", "-fno-strict-aliasing")
_COMPILERS = ("cc", "gcc", "clang")


@cache
def sources() -> dict[str, bytes]:
    """Return the content of the C files by name; they may be in a zip (spark-submit --py-files)."""
    folder = files(__package__) / "dissector"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith((".c", ".h")))
    return {name: (folder / name).read_bytes() for name in names}


@cache
def digest() -> str:
    """Return the digest of the sources, on which the tables depend."""
    total = hashlib.sha256()
    for name, content in sources().items():
        total.update(b"%s %d\n" % (name.encode(), len(content)) + content)
    return total.hexdigest()[:20]


def executable(flags: tuple[str, ...] = ()) -> Path:
    """Return the program, built with these flags besides the usual ones. Raises NoCompiler."""
    compiler = _compiler()
    known = os.stat(compiler)
    asked = repr((digest(), compiler, known.st_size, known.st_mtime_ns, FLAGS, flags))
    base = os.environ.get("XDG_CACHE_HOME", "")
    above = Path(base if os.path.isabs(base) else Path.home() / ".cache", "orchestrate", "dissector")
    made = above / hashlib.sha256(asked.encode()).hexdigest()[:20] / "dissect"
    if made.is_file():
        return made
    try:
        above.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".tmp-", dir=above) as folder:
            work = Path(folder) / "work"
            work.mkdir()
            _compile(compiler, flags, work)
            with suppress(OSError):  # another process was quicker
                work.rename(made.parent)
    except OSError as error:
        raise NoCompiler(
            f"{above}: {error.strerror or error}\n"
            "    free space there, or set XDG_CACHE_HOME to another folder"
        ) from error
    return made


def _compiler() -> str:
    chosen = os.environ.get("CC", "").split()
    for name in (*chosen[:1], *_COMPILERS):
        if found := shutil.which(name):
            return os.path.realpath(found)
    raise NoCompiler(
        "there is no C compiler to build the dissector of frames with\n    install gcc or clang, or set CC"
    )


def _compile(compiler: str, flags: tuple[str, ...], work: Path) -> None:
    for name, content in sources().items():
        (work / name).write_bytes(content)
    units = sorted(name for name in sources() if name.endswith(".c"))
    command = [compiler, *FLAGS, *flags, *units, "-o", "dissect"]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        said = "\n    ".join(done.stderr.strip().splitlines()[:10])
        raise NoCompiler(f"{compiler} can't build the dissector of frames\n    {said}")
