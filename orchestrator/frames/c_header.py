# SPDX-License-Identifier: Apache-2.0
"""The frames' types, sizes and offsets as a C header, from their description."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from orchestrator.frames.description import BITS, TYPES_OF_A_VERSION, Description, Field
from orchestrator.resources import contiki_apps

_HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types, sizes and offsets of the middleware's frames. Made from
 * middleware/frames/frames.yaml by `python -m orchestrator.frames --write`.
 */
#ifndef PUBSUB_FRAMES_H_
#define PUBSUB_FRAMES_H_
"""

_FIRST_BYTE = f"""
/* A frame's first byte by its type, and the type by the byte: PUBSUB_FRAME_TYPES or more if it is
   none's. */
#define PUBSUB_FRAME_TYPES {2 * TYPES_OF_A_VERSION}
#define PUBSUB_FRAME_FIRST(type) ((uint8_t)((PUBSUB_FRAME_VERSION << 4) + (type)))
#define PUBSUB_FRAME_TYPE(first) ((uint8_t)((first) - (PUBSUB_FRAME_VERSION << 4)))
"""


def file() -> Path:
    """Return the path of the header."""
    return contiki_apps() / "middleware" / "pubsub" / "pubsub-frames.h"


def header(described: Description) -> str:
    """Return the whole text."""
    lines = [_HEAD, f"#define PUBSUB_FRAME_VERSION {described.version}", _FIRST_BYTE]
    lines += [
        f"#define PUBSUB_FRAME_{_name(kind.name)} {kind.type} /* {kind.module} */" for kind in described.kinds
    ]
    lines += ["", "/* Bytes from the beginning of the frame, of the structure or of the body. */"]
    lines += _layout("FRAME", described.header)
    for name, fields in described.structures.items():
        lines += ["", *_layout(name, fields)]
    for kind in described.kinds:
        lines += ["", *_layout(f"{kind.name}-body", kind.body)]
    return "\n".join([*lines, "", "#endif", ""])


def _layout(name: str, fields: Iterable[Field]) -> list[str]:
    """Return the offsets of the fields up to the first array or structure, and the size up to there."""
    bits, lines = 0, []
    for field in fields:
        if field.count or not field.is_number:
            break
        if bits % 8 == 0:
            lines.append(f"#define PUBSUB_{_name(name)}_{_name(field.name)}_AT {bits // 8}")
        bits += BITS[field.type]
    if not lines:
        return []
    return [*lines, f"#define PUBSUB_{_name(name)}_FIXED_SIZE {bits // 8}"]


def _name(text: str) -> str:
    return text.replace("-", "_").upper()
