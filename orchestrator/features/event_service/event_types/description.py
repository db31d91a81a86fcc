# SPDX-License-Identifier: Apache-2.0
"""An application's types of events, described once (event-types.yaml): fields with C type, unit and scale.

C structures are made from it (c_header.py), and events are read and written by it here; both little-endian,
without padding.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Mapping as Map
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from orchestrate_testbed.gateway.event_service.condition import TYPES
from orchestrate_testbed.gateway.event_service.frames import LONGEST_DATA

from orchestrator.vocabulary import document
from orchestrator.vocabulary.document import Mapping, Node, Scalar
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.parameters import NUMBER
from orchestrator.vocabulary.units import short
from orchestrator.words import did_you_mean

_FORMATS = dict(zip(TYPES, "BHIbhi", strict=True))
_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}", re.ASCII)
_KEYS = ("type", "unit", "scale", "help")


@dataclass(frozen=True)
class EventField:
    """`scale`: what one of the number stands for, in `unit`. `offset`: in the event's data."""

    name: str
    type: str
    unit: str
    scale: Fraction
    offset: int
    help: str = ""

    @property
    def range(self) -> tuple[int, int]:
        """The least and the largest number that it holds."""
        bits = int(self.type[1:])
        return (-(1 << bits - 1), (1 << bits - 1) - 1) if self.type[0] == "i" else (0, (1 << bits) - 1)


@dataclass(frozen=True)
class EventType:
    """A type of events: `name`, its fields in the data's order."""

    name: str
    fields: tuple[EventField, ...]

    @property
    def _format(self) -> str:
        return "<" + "".join(_FORMATS[field.type] for field in self.fields)

    @property
    def size(self) -> int:
        """Bytes of an event's data."""
        return struct.calcsize(self._format)

    @property
    def digest(self) -> int:
        """16 bits of the description: motes and gateways compare types by it, never 0."""
        content = ";".join(f"{field.name} {field.type} {field.unit} {field.scale}" for field in self.fields)
        return zlib.crc32(f"{self.name}:{content}".encode()) % 65535 + 1

    def encode(self, numbers: Map[str, int]) -> bytes:
        """Return the data of an event with these numbers. Raises KeyError or struct.error."""
        return struct.pack(self._format, *(numbers[field.name] for field in self.fields))

    def decode(self, data: bytes) -> dict[str, int]:
        """Return the numbers in an event's data. Raises struct.error for data of another length."""
        names = (field.name for field in self.fields)
        return dict(zip(names, struct.unpack(self._format, data), strict=True))


def load(path: Path) -> dict[str, EventType]:
    """Return the types of a file, by name. Raises FaultyInput with all of its faults."""
    faults = Faults(str(path))
    text = document.decode(path.read_bytes(), faults)
    root = document.parse(text, faults) if text is not None else None
    types: dict[str, EventType] = {}
    if isinstance(root, Mapping):
        for key, value in root:
            _name(key, faults)
            types[key.text] = EventType(key.text, _fields(key.text, value, faults))
    elif root is not None:
        faults.add(root.line, "no types of events", "write `climate: {temperature: {type: i16}}`")
    faults.raise_any()
    return types


def _fields(name: str, node: Node, faults: Faults) -> tuple[EventField, ...]:
    if not isinstance(node, Mapping):
        document.wrong_kind(node, name, "write its fields, one a line", faults)
        return ()
    fields: list[EventField] = []
    offset = 0
    for key, value in node:
        _name(key, faults)
        entries = {word.text: what for word, what in value} if isinstance(value, Mapping) else {}
        for word, what in entries.items():
            if word not in _KEYS:
                faults.add(what.line, f"{name}: {short(word)} is unknown", did_you_mean(word, _KEYS))
            elif not isinstance(what, Scalar):
                document.wrong_kind(what, f"{name}: {word}", "write one value", faults)
        texts = {word: what.text for word, what in entries.items() if isinstance(what, Scalar)}
        kind, scale = texts.get("type", ""), texts.get("scale", "1")
        if kind not in TYPES:
            remedy = did_you_mean(kind, TYPES) if kind else f"add `type:`, one of {', '.join(TYPES)}"
            faults.add(value.line, f"{name}: {key.text} has no type, or an unknown one", remedy)
            continue
        if not NUMBER.fullmatch(scale) or Fraction(scale) <= 0:
            faults.add(
                value.line, f"{name}: {key.text}'s scale is not a number above 0", "write for example 0.01"
            )
            continue
        field = EventField(
            key.text, kind, texts.get("unit", ""), Fraction(scale), offset, texts.get("help", "")
        )
        fields.append(field)
        offset += int(kind[1:]) // 8
    if offset > LONGEST_DATA:
        faults.add(
            node.line,
            f"{name} takes {offset} bytes",
            f"an event has {LONGEST_DATA} at most: use fewer fields",
        )
    return tuple(fields)


def _name(key: Scalar, faults: Faults) -> None:
    if not _NAME.fullmatch(key.text):
        faults.add(
            key.line,
            f"{short(key.text)} is not a valid name",
            "write small letters, digits and _, 32 at most",
        )
