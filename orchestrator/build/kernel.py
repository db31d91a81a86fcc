# SPDX-License-Identifier: Apache-2.0
"""Builds the embedded engine's kernel with the host's compiler; it is cached by content.

It is separate from the builds of firmware, because a short simulation would wait for their imports.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from orchestrator.build import cache, calls, compiler
from orchestrator.build.cache import Built
from orchestrator.build.calls import Calls
from orchestrator.build.content import Sources
from orchestrator.build.tools import call, clean_environment
from orchestrator.durable import SETTLED_NS, mark
from orchestrator.errors import BuildFailed, StorageFailed

KERNEL = Path(__file__).resolve().parent.parent / "engines" / "embedded" / "kernel"
KERNEL_CFLAGS = ("-std=gnu11", "-D_GNU_SOURCE", "-O3", "-Wall", "-Wextra", "-fno-strict-aliasing")
# A function that is bound at its first call has the linker write below firmware's stack, where firmware that
# uses a local variable after its function has returned reads.
KERNEL_LDFLAGS = (
    "-ldl",
    "-lm",
    "-Wl,-z,now",
    # Variables that the interpreter's module finds in Python, and here in script/quickjs.c.
    *(
        f"-Wl,--export-dynamic-symbol={name}"
        for name in (
            "PyBool_Type",
            "PyFloat_Type",
            "PyExc_TypeError",
            "PyExc_ValueError",
            "_Py_FalseStruct",
            "_Py_NoneStruct",
            "_Py_TrueStruct",
        )
    ),
)
# Optimising across files leaves out a twentieth of the instructions; clang needs a linker's plugin for it,
# which may not be here.
KERNEL_LTO = ("-flto", "-flto-partition=none")


def executable(*, cc: str | None = None) -> Path:
    """Return the embedded engine's executable. Raises MissingTool, BuildFailed or StorageFailed."""
    return built(cc=cc).path


def built(*, cc: str | None = None) -> Built:
    """Return the embedded engine's executable with its hash and key."""
    chosen = compiler.find(cc)
    name = cache.key(
        {
            "kind": "kernel",
            "sources": version(),
            "compiler": chosen.identity(),
            "flags": [*KERNEL_CFLAGS, *KERNEL_LDFLAGS, *KERNEL_LTO],
        }
    )

    return cache.get("kernel", name, lambda work: _compiled(sources(), chosen, work))


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


def version() -> str:
    """Return the hash of the kernel's sources; it is the engine's version, as they decide about results.

    It is kept in the cache by the sources' sizes and times, because reading them all takes as long as a short
    run.
    """
    content = sources()
    marks = {name: mark(os.stat(path)) for name, path in content.files.items()}
    changed = max(max(made, moved) for _, made, moved, _ in marks.values())
    if time.time_ns() - changed <= SETTLED_NS:
        return content.digest()

    def hashed(work: Path) -> Path:
        (work / "digest").write_text(content.digest())
        return work / "digest"

    try:
        return cache.get("sources", cache.key({"kernel": marks}), hashed).path.read_text()
    except StorageFailed:
        return content.digest()


def sources() -> Sources:
    """Return the kernel's sources."""
    files = {}
    for folder, _, names in os.walk(KERNEL):
        for name in names:
            if name.endswith((".c", ".h", ".js")):
                path = os.path.join(folder, name)
                files[os.path.relpath(path, KERNEL)] = Path(path)
    return Sources("kernel", files)
