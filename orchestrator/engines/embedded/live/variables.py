# SPDX-License-Identifier: Apache-2.0
"""The variables of a firmware by their C names, from the symbol table of its ELF file.

A Cooja mote's is a shared object for 64 bits, an emulated Tmote Sky's a program for the MSP430.
"""

from __future__ import annotations

import re
import struct
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from orchestrator.build import elf
from orchestrator.errors import NoSuchThing, WrongUsage
from orchestrator.words import did_you_mean

_SYMBOLS, _DYNAMIC_SYMBOLS = 2, 11  # types of sections
_OBJECT, _FILE = 1, 4  # types of symbols
_WRITE = 1  # flag of a section
_SPECIAL = 0xFF00  # sections from here on are none
_MSP430 = 105  # a machine
_NUMBERED = re.compile(r"\.(\d+|lto_priv\.\d+)$")  # what a compiler puts behind names of static variables


@dataclass(frozen=True)
class Variable:
    """A variable: where it lies in the file's image, or its address on an MSP430; its size; both in bytes."""

    name: str
    offset: int
    size: int
    constant: bool = False


def is_msp430(library: Path) -> bool:
    """Return whether this is firmware of a Tmote Sky; a file that can't be read is none."""
    try:
        with library.open("rb") as stream:
            head = stream.read(20)
    except OSError:
        return False
    return head[:5] == b"\x7fELF\x01" and head[18:] == bytes([_MSP430, 0])


def find(library: Path, name: str) -> Variable:
    """Return the variable with this name, or FILE:NAME. Raises NoSuchThing, and WrongUsage for several."""
    known = of(library)
    if name in known:
        return known[name]
    several = [full for full in known if full.rpartition(":")[2] == name]
    if several:
        raise WrongUsage(f"{name} stands for several variables\n    name one: {', '.join(several[:20])}")
    raise NoSuchThing(
        f"the firmware {library.name} has no variable {name!r}; {did_you_mean(name, known)}\n"
        "    one that a compiler keeps in registers, or takes apart, is not there: declare it volatile"
    )


def of(library: Path) -> dict[str, Variable]:
    """Return the variables of a firmware by name, those of one name in several files as FILE:NAME."""
    status = library.stat()
    return _read(library, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=64)
def _read(library: Path, *_: int) -> dict[str, Variable]:
    data = library.read_bytes()
    try:
        found = list(_symbols(data))
    except (struct.error, ValueError, IndexError) as error:
        raise NoSuchThing(f"{library}: its symbols can't be read: {error}") from None
    named: dict[str, dict[int, tuple[str, Variable]]] = defaultdict(dict)
    for file, one in found:
        named[one.name].setdefault(one.offset, (file, one))
    variables = {}
    for name, places in named.items():
        for number, (file, one) in enumerate(places.values()):
            full = name if len(places) == 1 else f"{file or number}:{name}"
            full = f"{file}-{number}:{name}" if full in variables else full
            variables[full] = replace(one, name=full)
    return variables


def _symbols(data: bytes) -> list[tuple[str, Variable]]:
    """Return each variable with the source file that a local symbol belongs to."""
    sections = [header for _, header in elf.headers(data)]
    tables = sorted(
        (one for one in sections if one[1] in (_SYMBOLS, _DYNAMIC_SYMBOLS)), key=lambda one: one[1]
    )
    wide = data[4] == 2
    found, file = [], ""
    for table in tables[:1]:  # the full one if it is there
        names = sections[table[6]][4]
        for at in range(table[4], table[4] + table[5], 24 if wide else 16):
            if wide:
                name, info, _, section, value, size = struct.unpack_from("<IBBHQQ", data, at)
            else:
                name, value, size, info, _, section = struct.unpack_from("<IIIBBH", data, at)
            text = elf.name(data, names + name)
            if info & 15 == _FILE:
                file = text
            elif info & 15 == _OBJECT and 0 < section < min(_SPECIAL, len(sections)) and size > 0:
                local = file if info >> 4 == 0 else ""
                constant = not sections[section][2] & _WRITE
                found.append((local, Variable(_NUMBERED.sub("", text), value, size, constant)))
    return found
