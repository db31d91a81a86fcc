# SPDX-License-Identifier: Apache-2.0
"""The page that says what each frame is, from the frames' description."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from orchestrator.frames.description import REST, Description, Field
from orchestrator.resources import contiki_apps

_HEAD = """# Frames

This page describes the frames that motes send after the MAC's header, and those between base stations and
gateways. Numbers are little-endian and nothing is padded; two `u4` are one byte, the first in its high half.
All frames but `diffused-event` and `acknowledged-event` are broadcast on the link; the
header's next hop decides who takes one.

This page and `pubsub/pubsub-frames.h` are made from [frames.yaml](frames.yaml), which also has frames to test
with, right ones and damaged ones; `python -m orchestrator.frames --write` makes them anew.
`orchestrator/frames/codec.py` reads and writes frames in Python by the same description, and
`tests/middleware/test_frames.py` checks the C code against it.
"""


def file() -> Path:
    """Return the path of the page."""
    return contiki_apps() / "middleware" / "frames" / "README.md"


def page(described: Description) -> str:
    """Return the whole text."""
    parts = [_HEAD, "## Header", *_table(described.header)]
    for kind in described.kinds:
        parts += [f"## {kind.name}: type {kind.type}, of {kind.module}", kind.help, *_body(kind.body)]
    parts.append("## Structures")
    for name, fields in described.structures.items():
        parts += [f"### {name}", *_table(fields)]
    parts += [
        "## Bounds",
        f"A frame has at most {described.largest} bytes, its header included. A frame that breaks a bound, "
        "that ends early or that has bytes left over is malformed: a mote counts it and drops it. "
        "An interest has 0 hops if, and only if, its sender is the subscriber.",
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _body(fields: Sequence[Field]) -> list[str]:
    return _table(fields) if fields else ["It has the header alone."]


def _table(fields: Iterable[Field]) -> list[str]:
    rows = ["| field | type | bounds | what |", "|---|---|---|---|"]
    rows += [f"| {field.name} | {_type(field)} | {_bounds(field)} | {field.help} |" for field in fields]
    return ["\n".join(rows)]


def _type(field: Field) -> str:
    if not field.count:
        return field.type
    return (
        f"{field.type}, up to the frame's end"
        if field.count == REST
        else f"{field.type}, `{field.count}` times"
    )


def _bounds(field: Field) -> str:
    bounds = []
    if field.min or field.max is not None:
        bounds.append(f"{field.min} to {field.max}" if field.max is not None else f"{field.min} or more")
    bounds += [f"or {number}" for number in field.also]
    return " ".join([*bounds, field.unit]).strip()
