# SPDX-License-Identifier: Apache-2.0
"""A page, or a part of one, as plain lines: every text and number, and each figure's data and drawing."""

from __future__ import annotations

import xml.etree.ElementTree as etree
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from orchestrator import __version__
from orchestrator.report.drawing import Drawing
from orchestrator.report.model import Entry

_LOOKS = ("fill", "stroke", "stroke-dasharray", "opacity", "fill-opacity")
_MOST_ROWS = 60  # of a drawing's data, in brief


def whole(drawing: Drawing) -> Iterable[str]:
    """Return its data and its SVG."""
    return [*drawing.file("csv").decode().splitlines(), *drawing.svg.decode().splitlines()]


def in_brief(drawing: Drawing) -> Iterable[str]:
    """Return its data (of many rows some), its texts, and how many shapes of each look it has.

    A page of many figures is recorded so: how a kind of chart is drawn has tests of its own.
    """
    head, *rows = drawing.file("csv").decode().splitlines()
    every = -(-len(rows) // _MOST_ROWS)
    yield from (head, *rows[:: every or 1], f"{len(rows)} rows")
    root = etree.fromstring(drawing.svg)
    yield f"{root.get('viewBox')}"
    texts, shapes = [], Counter()
    for one in root.iter():
        kind = one.tag.rpartition("}")[2]
        if kind == "text":
            texts.append(one.text or "")
        elif looks := [f"{name}={one.get(name)}" for name in _LOOKS if one.get(name)]:
            shapes[" ".join([kind, *looks])] += 1
    yield " | ".join(texts)
    yield from (f"{count} x {look}" for look, count in shapes.items())


def told(part: Any, drawn: Callable[[Drawing], Iterable[str]] = whole) -> str:
    """Return the lines; orchestrate's own version, which changes, is VERSION."""
    return "\n".join(_lines(part, "", drawn)).replace(__version__, "VERSION") + "\n"


def _lines(part: Any, indent: str, drawn: Callable[[Drawing], Iterable[str]]) -> Iterator[str]:
    if isinstance(part, Drawing):
        yield from (f"{indent}{line}" for line in drawn(part))
    elif isinstance(part, Entry):
        said = {one.name: getattr(part, one.name) for one in fields(part)}
        yield indent + " ".join(
            f"{name}={value!r}" for name, value in said.items() if value not in ("", False)
        )
    elif is_dataclass(part):
        yield f"{indent}{type(part).__name__}"
        for one in fields(part):
            value = getattr(part, one.name)
            if value in ("", (), None):
                continue
            if isinstance(value, str | int | float):
                yield f"{indent}  {one.name}: {value}"
            else:
                yield f"{indent}  {one.name}:"
                yield from _lines(value, indent + "    ", drawn)
    elif isinstance(part, tuple | list):
        if all(isinstance(one, Entry) for one in part):
            yield indent + " | ".join(next(_lines(one, "", drawn)) for one in part)
            return
        for one in part:
            yield from _lines(one, indent, drawn)
    else:
        yield f"{indent}{part}"
