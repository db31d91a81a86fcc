# SPDX-License-Identifier: Apache-2.0
"""The description of the middleware's frames (contiki-apps/middleware/frames/frames.yaml) as values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from orchestrator.resources import contiki_apps

BITS = {"u4": 4, "u8": 8, "u16": 16, "u32": 32, "u64": 64}
REST = "rest"
TYPES_OF_A_VERSION = 16  # a type from 16 on is written with the next version


@dataclass(frozen=True)
class Field:
    """`type` is a number's (BITS) or a structure's. `count` "": one; else what says how many there are.

    `min` and `max` bound each number, of structures how many there are; `also` is allowed beside them.
    """

    name: str
    type: str
    count: str = ""
    min: int = 0
    max: int | None = None
    also: tuple[int, ...] = ()
    unit: str = ""
    help: str = ""

    @property
    def is_number(self) -> bool:
        return self.type in BITS

    def allows(self, number: int) -> bool:
        most = (1 << BITS[self.type]) - 1 if self.max is None else self.max
        return self.min <= number <= most or number in self.also


@dataclass(frozen=True)
class Kind:
    """A kind of frame. `type`: 0 to 31. `module`: whose it is, one of the middleware or an application."""

    name: str
    type: int
    module: str
    help: str
    body: tuple[Field, ...]


@dataclass(frozen=True)
class Vector:
    """A frame and what it says; `refused` instead of `fields`: why it is none."""

    frame: bytes
    fields: dict[str, Any] | None
    refused: str = ""


@dataclass(frozen=True)
class Description:
    """The whole description. `version`: of types below 16. `largest`: bytes of a frame with its header."""

    version: int
    largest: int
    header: tuple[Field, ...]
    structures: dict[str, tuple[Field, ...]]
    kinds: tuple[Kind, ...]
    vectors: tuple[Vector, ...]

    @property
    def versions(self) -> tuple[int, int]:
        """Return what a header's version can be: of types below 16, and of the others."""
        return self.version, self.version + 1

    def kind(self, type_or_name: int | str) -> Kind | None:
        return next((kind for kind in self.kinds if type_or_name in (kind.type, kind.name)), None)


def file() -> Path:
    """Return the path of the description."""
    return contiki_apps() / "middleware" / "frames" / "frames.yaml"


@cache
def load() -> Description:
    """Return the description that is installed with us."""
    content = yaml.safe_load(file().read_text(encoding="utf-8"))
    return Description(
        content["version"],
        content["largest"],
        _fields(content["header"]),
        {name: _fields(fields) for name, fields in content["structures"].items()},
        tuple(
            Kind(frame["name"], frame["type"], frame["module"], frame["help"], _fields(frame["body"]))
            for frame in content["frames"]
        ),
        tuple(
            Vector(bytes.fromhex(vector["frame"]), vector.get("fields"), vector.get("refused", ""))
            for vector in content["vectors"]
        ),
    )


def _fields(entries: list[dict[str, Any]]) -> tuple[Field, ...]:
    return tuple(
        Field(
            entry["field"],
            entry["type"].removesuffix("[]"),
            entry.get("count", ""),
            entry.get("min", 0),
            entry.get("max"),
            tuple(entry.get("also", ())),
            entry.get("unit", ""),
            entry.get("help", ""),
        )
        for entry in entries
    )
