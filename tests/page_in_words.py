# SPDX-License-Identifier: Apache-2.0
"""A page, or a part of one, as plain lines: every text and number, and each figure's data and drawing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from orchestrator import __version__
from orchestrator.report.drawing import Drawing
from orchestrator.report.model import Entry


def told(part: Any) -> str:
    """Return the lines; orchestrate's own version, which changes, is VERSION."""
    return "\n".join(_lines(part, "")).replace(__version__, "VERSION") + "\n"


def _lines(part: Any, indent: str) -> Iterator[str]:
    if isinstance(part, Drawing):
        yield from (f"{indent}{line}" for line in part.file("csv").decode().splitlines())
        yield from (f"{indent}{line}" for line in part.svg.decode().splitlines())
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
                yield from _lines(value, indent + "    ")
    elif isinstance(part, tuple | list):
        if all(isinstance(one, Entry) for one in part):
            yield indent + " | ".join(next(_lines(one, "")) for one in part)
            return
        for one in part:
            yield from _lines(one, indent)
    else:
        yield f"{indent}{part}"
