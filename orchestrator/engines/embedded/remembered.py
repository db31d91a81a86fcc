# SPDX-License-Identifier: Apache-2.0
"""Reads a .csc for the engine, or remembers what reading it gave.

A user calls the same file again and again, and loading an XML parser, a JavaScript parser and our own code
that reads what they find takes longer than many a run.

A memory holds for one content of the .csc, and only while every other file that it was made of is the same:
the scripts and positions that the .csc names, by their content, and the program itself (our modules and
templates, the parsers), by size and times. A memory is a file in the build cache; it begins with the hash of
the rest.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
import time
from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator import resources
from orchestrator.build import cache
from orchestrator.csc.mote_type import MoteType, MspType
from orchestrator.csc.paths import resolve
from orchestrator.csc.serial_socket import SerialSocket
from orchestrator.durable import SETTLED_NS, mark, sha256
from orchestrator.engines.embedded.described import Described
from orchestrator.errors import NoSuchThing

if TYPE_CHECKING:
    from orchestrator.csc.model import Simulation

_FORMAT = 4
_FOLDER = "simulations"
_MOST = 512  # memories, some 20 KB each of 100 motes
_LARGEST = 64 << 20  # bytes of a .csc; of a larger one, reading it takes longer than what is spared
_PARSERS = ("lxml.etree", "tree_sitter._binding", "tree_sitter_javascript._binding")
_BEGAN_NS = time.time_ns()  # our modules were loaded at about this time


def read(
    file: Path, contiki: Path | None = None, cooja: Path | None = None, seconds: int | None = None
) -> Described:
    """Describe a .csc's simulation. Raises as csc.read.read, and Unsupported as description.described."""
    content = _content(file)
    place = _place(file, content, seconds) if content is not None else None
    if place is not None and (found := _recalled(place, file, contiki, cooja, seconds)) is not None:
        return found
    from orchestrator.csc import document
    from orchestrator.csc import read as csc
    from orchestrator.engines.embedded import description, interpreter

    described = description.described(csc.read(file, contiki, cooja, seconds, interpreter.faults))
    if place is not None:
        named = _named(csc.named_files(document.read(file)), file, contiki, cooja)
        program = _program()
        if named is not None and program is not None and _content(file) == content:
            _remember(place, described, named, program)
    return described


def _content(file: Path) -> bytes | None:
    """Return the file's bytes; None if it can't be read, or only once, or is very large."""
    try:
        status = os.stat(file)
        if stat.S_ISREG(status.st_mode) and status.st_size <= _LARGEST:
            return file.read_bytes()
    except OSError:
        pass
    return None


def _place(file: Path, content: bytes, seconds: int | None) -> Path:
    key = cache.key(
        {
            "format": _FORMAT,
            "content": hashlib.sha256(content).hexdigest(),
            "packed": file.name.endswith(".gz"),
            "seconds": seconds,
            "program": __file__,
            "python": sys.version,
        }
    )
    return cache.cache_folder() / _FOLDER / key


def _named(texts: list[str], file: Path, contiki: Path | None, cooja: Path | None) -> dict[str, str] | None:
    """Return the hashes of files as a .csc names them; None if one may have changed since it was read."""
    found = {}
    for text in texts:
        try:
            path = resolve(text, file.resolve().parent, contiki, cooja)
            if path.stat().st_ctime_ns > _BEGAN_NS - SETTLED_NS:
                return None
            found[text] = sha256(path)
        except (OSError, NoSuchThing):
            return None
    return found


def _program() -> dict[str, list[int]] | None:
    """Return the marks of the files that are the program; None if one has changed since they were loaded."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("orchestrator.")]
    modules += [sys.modules[name] for name in _PARSERS if name in sys.modules]
    paths = {module.__file__ for module in modules if getattr(module, "__file__", None)}
    paths.update(str(path) for path in (resources.csc_templates() / "scripts").iterdir())
    marks = {path: mark(os.stat(path)) for path in sorted(paths)}
    changed = max(max(made, moved) for _, made, moved, _ in marks.values())
    return marks if changed < _BEGAN_NS - SETTLED_NS else None


def _remember(
    place: Path, described: Described, named: dict[str, str], program: dict[str, list[int]]
) -> None:
    rest = json.dumps(
        {
            "program": program,
            "named": named,
            "seed": described.seed,
            "types": described.mote_types,
            "setting": described.setting.decode(),
            "motes": described.motes.decode(),
            "javascript": described.javascript,
            "notes": described.notes,
            "sockets": [astuple(one) for one in described.serial_sockets],
            "limit": described.speed_limit,
        }
    ).encode()
    cache.keep(place, hashlib.sha256(rest).digest() + rest, _MOST)


def _mote_type(kept: list) -> MoteType | MspType:
    facts = [tuple(one) if isinstance(one, list) else one for one in kept]
    return MoteType(*facts) if len(facts) == len(MoteType._fields) else MspType(*facts)


def _recalled(
    place: Path, file: Path, contiki: Path | None, cooja: Path | None, seconds: int | None
) -> Described | None:
    """Return what a memory holds; None if there is none that is whole and of the same files."""
    try:
        kept = place.read_bytes()
        if hashlib.sha256(kept[32:]).digest() != kept[:32]:
            return None
        known = json.loads(kept[32:])
        if any(mark(os.stat(path)) != was for path, was in known["program"].items()):
            return None
        folder = file.resolve().parent
        for text, was in known["named"].items():
            if sha256(resolve(text, folder, contiki, cooja)) != was:
                return None
        os.utime(place)
    except (OSError, ValueError, NoSuchThing):
        return None

    def simulation() -> Simulation:
        from orchestrator.csc.read import read as in_full

        return in_full(file, contiki, cooja, seconds)

    return Described(
        known["seed"],
        tuple(map(_mote_type, known["types"])),
        known["setting"].encode(),
        known["motes"].encode(),
        known["javascript"],
        simulation,
        tuple(known["notes"]),
        tuple(SerialSocket(*facts, tuple(commands)) for *facts, commands in known["sockets"]),
        known["limit"],
    )
