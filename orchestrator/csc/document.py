# SPDX-License-Identifier: Apache-2.0
"""A .csc as it is written.

It is read once, whatever its age and whichever engine can run it; nothing is judged here.

Each part keeps its XML element, which knows its line. read.py judges what the embedded engine can run of it,
loading/ what a real Cooja loads, and survey.py has its values for drawing and comparing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from lxml.etree import _Element

from orchestrator.csc import classes, parse
from orchestrator.csc.values import own_text

RENAMED = {
    "contikiapp": "source",
    "command": "commands",
    "elf": "firmware",
}  # elements of mote types before 2012
# Elements of mote types before 2010; Cooja refuses them.
ANCIENT = frozenset(
    {"contikibasedir", "contikicoredir", "projectdir", "compilefile", "process", "sensor", "coreinterface"}
)


class Named(NamedTuple):
    """An element whose own text is a class name: as it is written, and with its package as named today."""

    element: _Element
    written: str
    name: str


def named(element: _Element) -> Named:
    """Read an element's class name, as it is written and as it is called today."""
    written = own_text(element)
    return Named(element, written, classes.today(written))


class MoteType(NamedTuple):
    """A mote type of a .csc as it is written.

    `children`: its elements other than motes, with their current tags; `number` counts from 1.
    """

    named: Named
    number: int
    identifier: str | None
    children: tuple[tuple[str, _Element], ...]
    motes: tuple[_Element, ...]


class Mote(NamedTuple):
    """`type`: None if `beside` its mote type (the form of before 2022) it names one that is not before it."""

    element: _Element
    type: MoteType | None
    beside: bool = False


class Document(NamedTuple):
    """`part`: the <simulation>, if there is one."""

    file: str
    folder: Path
    root: _Element

    @classmethod
    def of(cls, data: bytes, file: str, folder: Path) -> Document:
        """Of a file's content; `file` is what messages call it."""
        return cls(file, folder, parse.parse(data, file))

    @property
    def part(self) -> _Element | None:
        return self.root.find("simulation")

    @property
    def plugins(self) -> list[Named]:
        return [named(element) for element in self.root.iterchildren("plugin")]

    def population(self) -> Iterator[MoteType | Mote]:
        """Mote types and motes in the order in which Cooja creates them."""
        types: dict[str, MoteType] = {}
        number = 0
        for child in self.part.iterchildren("motetype", "mote"):
            if child.tag == "mote":
                yield Mote(child, types.get(child.findtext("motetype_identifier") or ""), True)
                continue
            number += 1
            children, motes = [], []
            for part in child:
                if part.tag == "mote":
                    motes.append(part)
                else:
                    children.append((RENAMED.get(part.tag, part.tag), part))
            mote_type = MoteType(
                named(child), number, child.findtext("identifier"), tuple(children), tuple(motes)
            )
            yield mote_type
            for element in motes:
                yield Mote(element, mote_type)
            if mote_type.identifier is not None:
                types[mote_type.identifier] = mote_type


def read(path: Path) -> Document:
    """Of a .csc or .csc.gz. Raises NoSuchThing, or FaultyInput for what is no XML."""
    path = Path(path)
    return Document.of(parse.content(path), str(path), path.resolve().parent)
