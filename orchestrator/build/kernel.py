# SPDX-License-Identifier: Apache-2.0
"""Builds the embedded engine's kernel with the host's compiler; it is cached by content.

It is separate from the builds of firmware, because a short simulation would wait for their imports.
"""

from __future__ import annotations

import os
from pathlib import Path

from orchestrator.build import cache, calls, compiler
from orchestrator.build.cache import Built
from orchestrator.build.calls import Calls
from orchestrator.build.content import Sources
from orchestrator.build.tools import call, clean_environment
from orchestrator.errors import BuildFailed

KERNEL = Path(__file__).resolve().parent.parent / "engines" / "embedded" / "kernel"
KERNEL_CFLAGS = ("-std=gnu11", "-D_GNU_SOURCE", "-O3", "-Wall", "-Wextra", "-fno-strict-aliasing")
KERNEL_LDFLAGS = ("-ldl", "-lm")
# Optimising across files leaves out a twentieth of the instructions; clang needs a linker's plugin for it,
# which may not be here.
KERNEL_LTO = ("-flto", "-flto-partition=none")


def executable(*, cc: str | None = None) -> Path:
    """Return the embedded engine's executable. Raises MissingTool, BuildFailed or StorageFailed."""
    return built(cc=cc).path


def built(*, cc: str | None = None) -> Built:
    """Return the embedded engine's executable with its hash and key."""
    chosen = compiler.find(cc)
    content = sources()
    name = cache.key(
        {
            "kind": "kernel",
            "sources": content.digest(),
            "compiler": chosen.identity(),
            "flags": [*KERNEL_CFLAGS, *KERNEL_LDFLAGS, *KERNEL_LTO],
        }
    )

    return cache.get("kernel", name, lambda work: _compiled(content, chosen, work))


def _compiled(content: Sources, chosen: compiler.Compiler, work: Path) -> Path:
    """Compile the kernel in the folder `work`, with link-time optimisation if the compiler can."""
    from concurrent.futures import ThreadPoolExecutor

    content.copy(work)
    units = sorted(name for name in content.files if name.endswith(".c"))
    environment = clean_environment()

    def compiler_call(*words: str) -> None:
        call([*chosen.command, *words], work, environment, "engine kernel", compilers.run)

    def compile_all(*flags: str) -> None:
        cache.tell("kernel", begun=len(units))

        def compile_one(unit: str) -> None:
            try:
                compiler_call(*KERNEL_CFLAGS, "-I.", *flags, "-c", unit, "-o", f"{unit}.o")
            finally:
                cache.tell("kernel", ended=1)

        calls.each(pool, compile_one, units)
        objects = [f"{unit}.o" for unit in units]
        compiler_call(*KERNEL_CFLAGS, *flags, *objects, "-o", "orchestrate-kernel", *KERNEL_LDFLAGS)

    # Calls is the inner one: an interruption first kills the compilers that the pool then waits for.
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool, Calls() as compilers:
        try:
            compile_all(*KERNEL_LTO)
        except BuildFailed:
            compile_all()  # which says what is wrong, if it isn't that
    return work / "orchestrate-kernel"


def sources() -> Sources:
    """Return the kernel's sources. Their hash is the engine's version, as they decide about results."""
    found = (path for path in KERNEL.rglob("*") if path.suffix in (".c", ".h"))
    return Sources("kernel", {path.relative_to(KERNEL).as_posix(): path for path in found})
