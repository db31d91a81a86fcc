# SPDX-License-Identifier: Apache-2.0
"""Builds on the host: an application's firmware by make, the engine's kernel by the compiler; both cached by content.

Nothing is built where the sources are: they are copied into the cache's work folder first, so that a build can't write
into the user's tree and sources that change meanwhile can't mix.
"""

from __future__ import annotations

import os
import shlex
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from orchestrator.build import cache, calls, compiler, lacks, sources
from orchestrator.build.cache import Built
from orchestrator.build.calls import Calls
from orchestrator.errors import BuildFailed, FaultyInput

COOJA_VERSION = "2023090701"  # of the firmware contract; Cooja of Contiki-NG 5.0 passes it
KERNEL = Path(__file__).resolve().parent.parent / "engines" / "embedded" / "kernel"
KERNEL_CFLAGS = ("-std=gnu11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-fno-strict-aliasing")
KERNEL_LDFLAGS = ("-ldl", "-lm")
_SHOWN_ERRORS = 5


def firmware(
    application: object, variant: dict[str, str] | None = None, *, cc: str | None = None, cflags: str = ""
) -> Built:
    """The firmware of an application (name, folder or descriptor) with these make variables, e.g. {"MAC": "nullmac"}.

    Raises NoSuchThing, FaultyInput (what the embedded Contiki lacks), MissingTool, BuildFailed or StorageFailed.
    """
    origin = sources.application_folder(application)
    found = sources.collect(origin)
    variant = dict(sorted((variant or {}).items()))
    chosen = compiler.find(cc)
    make = compiler.make()
    name = cache.key({
        "kind": "firmware", "application": found.name, "sources": found.digest(), "variant": variant,
        "cflags": cflags, "compiler": chosen.identity(), "cooja": COOJA_VERSION,
    })

    def build(work: Path) -> Path:
        found.copy(work)
        folder = work / "apps" / found.name
        arguments = [f"{variable}={value}" for variable, value in variant.items()]
        environment = clean_environment() | {
            "LIBNAME": f"$(BUILD_DIR_BOARD)/{found.name}.cooja", "COOJA_VERSION": COOJA_VERSION,
            "CC": chosen.shell, "EXTRA_CC_ARGS": cflags,
        }
        making = [make, "TARGET=cooja", *arguments]
        lacks.check(found.name, work, origin, making, environment, chosen)
        try:
            call([*making, f"-j{os.cpu_count() or 1}", f"{found.name}.cooja"], folder, environment, f"firmware {found.name}")
        except BuildFailed as failed:
            if faults := lacks.undefined(failed.output, found.name, folder, origin):
                raise FaultyInput(faults) from None
            raise
        product = folder / "build" / "cooja" / f"{found.name}.cooja"
        if not product.is_file():
            raise BuildFailed(f"firmware {found.name}: make ended well but left no build/cooja/{found.name}.cooja\n"
                              "    its Makefile must obey LIBNAME, as contiki-apps/Makefile.embedded does")
        return product

    return cache.get("firmware", name, build)


def kernel(*, cc: str | None = None) -> Path:
    """The embedded engine's executable. Raises MissingTool, BuildFailed or StorageFailed."""
    return kernel_built(cc=cc).path


def kernel_built(*, cc: str | None = None) -> Built:
    """The embedded engine's executable with its hash and key."""
    chosen = compiler.find(cc)
    files = sorted(path for path in KERNEL.iterdir() if path.suffix in (".c", ".h", ".S"))
    name = cache.key({
        "kind": "kernel", "sources": kernel_sources(), "compiler": chosen.identity(),
        "flags": [*KERNEL_CFLAGS, *KERNEL_LDFLAGS],
    })

    def build(work: Path) -> Path:
        for path in files:
            (work / path.name).write_bytes(path.read_bytes())
        units = [path.name for path in files if path.suffix != ".h"]
        environment = clean_environment()

        def compiler_call(*words: str) -> None:
            call([*chosen.command, *words], work, environment, "engine kernel", compilers.run)

        # Calls is the inner one: an interruption first kills the compilers that the pool then waits for.
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool, Calls() as compilers:
            list(pool.map(lambda unit: compiler_call(*KERNEL_CFLAGS, "-c", unit, "-o", f"{unit}.o"), units))
            compiler_call(*(f"{unit}.o" for unit in units), "-o", "orchestrate-kernel", *KERNEL_LDFLAGS)
        return work / "orchestrate-kernel"

    return cache.get("kernel", name, build)


def kernel_sources() -> str:
    """A hash of the kernel's sources: the engine's version, as it decides about results."""
    files = {path.name: path for path in KERNEL.iterdir() if path.suffix in (".c", ".h", ".S")}
    return sources.Sources("kernel", files).digest()


def clean_environment() -> dict[str, str]:
    """What a build sees of our environment: no MAKEFLAGS of an outer make, no language, no variables that choose flags."""
    kept = ("PATH", "HOME", "TMPDIR", "CCACHE_DIR", "LD_LIBRARY_PATH")
    return {name: os.environ[name] for name in kept if name in os.environ} | {"LC_ALL": "C"}


def call(command: list[str], folder: Path, environment: dict[str, str], what: str, run=calls.run) -> None:
    try:
        code, output = run(command, folder, environment)
    except FileNotFoundError as error:
        raise BuildFailed(f"{what}: {error.strerror}: {error.filename}") from None
    if code != 0:
        raise BuildFailed(f"{what}: {shlex.join(command[:4])} ... failed\n{first_errors(output)}", output)


def first_errors(output: str) -> str:
    """The lines of a compiler's or make's output that say what is wrong, indented."""
    lines = [line.rstrip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if "error:" in line or "undefined reference" in line or "No rule" in line]
    return "\n".join(f"    {line}" for line in (errors[:_SHOWN_ERRORS] or lines[-10:]))
