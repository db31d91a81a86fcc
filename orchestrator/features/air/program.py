# SPDX-License-Identifier: Apache-2.0
"""Builds the dissector, a C program, with the host's compiler; it is cached by content."""

from __future__ import annotations

import os
from pathlib import Path

from orchestrator.build import cache, compiler
from orchestrator.build.content import Sources
from orchestrator.build.tools import call, clean_environment

FOLDER = Path(__file__).resolve().parent / "dissector"
_FLAGS = ("-std=gnu11", "-D_GNU_SOURCE", "-O3", "-Wall", "-Wextra", "-fno-strict-aliasing")


def sources() -> Sources:
    """Return the dissector's sources; their digest is its version."""
    names = sorted(name for name in os.listdir(FOLDER) if name.endswith((".c", ".h")))
    return Sources("dissector", {name: FOLDER / name for name in names})


def executable(flags: tuple[str, ...] = ()) -> Path:
    """Return the program. Raises MissingTool, BuildFailed or StorageFailed. `flags`: further flags."""
    chosen, content = compiler.find(), sources()
    flags = (*_FLAGS, *flags)
    key = cache.key(
        {
            "kind": "dissector",
            "sources": content.digest(),
            "compiler": chosen.identity(),
            "flags": list(flags),
        }
    )

    def compiled(work: Path) -> Path:
        content.copy(work)
        units = sorted(name for name in content.files if name.endswith(".c"))
        words = [*chosen.command, *flags, *units, "-o", "dissect"]
        call(words, work, clean_environment(), "dissector of frames")
        return work / "dissect"

    return cache.get("dissector", key, compiled).path
