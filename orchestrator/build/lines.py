# SPDX-License-Identifier: Apache-2.0
"""Names the function and source line of an offset in a firmware's code (addr2line of binutils)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

_MOST = 4  # functions inlined into each other that are named


def source_line(library: Path, offset: int) -> str:
    """`intercept (middleware/aggregation/merge-function.c:124), inlined in ...`, or the offset if unknown."""
    unknown = f"offset {offset:#x} of {library.name}"
    tool = shutil.which("addr2line")
    if tool is None:
        return f"{unknown} (addr2line of binutils would tell the line)"
    try:
        done = subprocess.run(
            [tool, "-f", "-i", "-e", str(library), hex(offset)],
            capture_output=True,
            errors="replace",
            timeout=300,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return unknown
    lines = done.stdout.splitlines()
    # -ffile-prefix-map makes folders relative, compilation folder and file name alike: ./app/./app/file.c:12
    frames = [
        (name, place.split(" (discriminator")[0].rsplit("./", 1)[-1])
        for name, place in zip(lines[::2], lines[1::2])
    ]
    places = [
        name
        if place.startswith("?")
        else f"{name} ({place.removesuffix(':?')}; built without -g, so without lines)"
        if place.endswith(":?")
        else f"{name} ({place})"
        for name, place in frames
        if name != "??"
    ]
    return ", inlined in ".join(places[:_MOST]) or unknown
