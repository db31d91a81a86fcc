# SPDX-License-Identifier: Apache-2.0
"""Finds the files that a build's programs read: reads.c, loaded into each of them, records them."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.build import cache, calls, compiler
from orchestrator.durable import sha256
from orchestrator.errors import BuildFailed

_SOURCE = Path(__file__).with_name("reads.c")
_FLAGS = ("-O1", "-fPIC", "-shared")
_SEPARATOR = "\x1f"


@dataclass
class Reads:
    """The files that a build's programs read: absolute paths as the programs spelled them.

    `objects`: what each compiled file was made of, and the compiler's arguments.
    """

    read: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    missing: set[str] = field(default_factory=set)
    listed: set[str] = field(default_factory=set)
    objects: dict[str, tuple[set[str], str]] = field(default_factory=dict)
    otherwise: set[str] = field(default_factory=set)  # of `read`: by programs that compile no object


def library() -> Path | None:
    """Return the library for $LD_PRELOAD; None if it can't be built, as without the GNU C library."""
    chosen = compiler.find()

    def build(work: Path) -> Path:
        target = work / "reads.so"
        code, output = calls.run(
            [*chosen.command, *_FLAGS, "-o", str(target), str(_SOURCE), "-ldl"],
            work,
            {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ},
        )
        if code != 0:
            raise BuildFailed("reads.c", output)
        return target

    try:
        return cache.get(
            "reads",
            cache.key({"source": sha256(_SOURCE), "compiler": chosen.identity(), "flags": _FLAGS}),
            build,
        ).path
    except BuildFailed:
        return None


def variables(preloaded: Path, log: Path) -> dict[str, str]:
    """Of the environment of a build whose reads go into `log`, an empty file."""
    return {"LD_PRELOAD": str(preloaded), "ORCHESTRATE_READS": str(log)}


def read(log: Path) -> Reads:
    """Read the log in which a build's programs wrote which files they used."""
    reads = Reads()
    object_of: dict[str, str] = {}  # process -> what it, or the driver that called it, compiles
    kinds = {"R": reads.read, "W": reads.written, "M": reads.missing, "D": reads.listed}
    seen: set[str] = set()
    with log.open(encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            kind, process, rest = line[:-1].split(" ", 2)
            if kind == "S":
                parent, folder, *arguments = rest.split(_SEPARATOR)
                object_of[process] = _object(reads, folder, arguments) or object_of.get(parent, "")
                continue
            object_ = object_of.get(process, "")
            key = f"{kind}{object_}\0{rest}"
            if key in seen:
                continue
            seen.add(key)
            path = os.path.normpath(rest)
            kinds[kind].add(path)
            if kind == "R" and object_:
                reads.objects[object_][0].add(path)
            elif kind == "R":
                reads.otherwise.add(path)
    return reads


def _object(reads: Reads, folder: str, arguments: list[str]) -> str:
    """Return what a compiler's driver compiles to; its own calls of compiler and assembler have no -c."""
    if "-c" not in arguments or "-o" not in arguments[:-1]:
        return ""
    object_ = os.path.normpath(os.path.join(folder, arguments[arguments.index("-o") + 1]))
    if not object_.endswith(".o"):
        return ""
    reads.objects[object_] = (set(), " ".join(arguments))
    return object_


def git_in_place(folder: Path, root: Path, asked: Path) -> None:
    """Write a program `git` into the folder that answers in a copy under `root` as git does in the original.

    To git, a copy's links would look like changes. Its questions go into `asked`. Commands that change a
    repository are left alone.
    """
    real = shutil.which("git")
    if real is None:
        return
    folder.mkdir(exist_ok=True)
    (folder / "git").write_text(_GIT.format(root=root, real=real, asked=asked))
    (folder / "git").chmod(0o755)


_GIT = r"""#!/bin/sh
unset LD_PRELOAD
value= asks=
for word; do
  if [ "$value" ]; then value=; continue; fi
  case "$word" in
    -C|-c|--git-dir|--work-tree|--namespace) value=y ;;
    -*) ;;
    describe|rev-parse|rev-list|name-rev|log|show|status|diff|diff-index|diff-files|ls-files) asks=y; break ;;
    *) break ;;
  esac
done
if [ "$asks" ]; then
  case "$PWD/" in '{root}'/*) cd "${{PWD#'{root}'}}/" ;; esac
  count=$#
  while [ "$count" -gt 0 ]; do
    word=$1; shift
    case "$word" in *'{root}'/*) word="${{word%%'{root}'/*}}/${{word#*'{root}'/}}" ;; esac
    set -- "$@" "$word"
    count=$((count - 1))
  done
  export GIT_OPTIONAL_LOCKS=0
  (printf '%s\037' "$PWD" "$@"; echo) >>'{asked}'
fi
exec '{real}' "$@"
"""
