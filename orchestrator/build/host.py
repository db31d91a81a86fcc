# SPDX-License-Identifier: Apache-2.0
"""Builds on the host: an application's firmware by make, the engine's kernel by the compiler; both cached by
content.

Nothing is built where the sources are: they are copied into the cache's work folder first, so that a build
can't write into the user's tree and sources that change meanwhile can't mix.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrator.build import cache, calls, compiler, sources
from orchestrator.build.cache import Built
from orchestrator.build.calls import Calls
from orchestrator.build.target import COOJA
from orchestrator.errors import BuildFailed, FaultyInput, Unsupported

if (
    TYPE_CHECKING
):  # what only a build needs is imported by it: most calls find all that they need in the cache
    from orchestrator.build.contiki_ng import Tree
    from orchestrator.build.recipe import Recipe

KERNEL = Path(__file__).resolve().parent.parent / "engines" / "embedded" / "kernel"
KERNEL_CFLAGS = ("-std=gnu11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-fno-strict-aliasing")
KERNEL_LDFLAGS = ("-ldl", "-lm")
# Optimising across files leaves out a twentieth of the instructions; clang needs a linker's plugin for it,
# which may not be here.
KERNEL_LTO = ("-flto", "-flto-partition=none")
_SHOWN_ERRORS = 5
# What the Makefiles of a Contiki-NG tree's targets call, and how to get it.
_ARM = ("arm-none-eabi-gcc", "apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi")
_MSP430 = (
    "msp430-gcc",
    "Debian has none that Contiki-NG takes: put that of the tree's tools/docker/Dockerfile on the PATH",
)
_COMPILERS = {
    **dict.fromkeys(
        ("zoul", "cc2538dk", "nrf52840", "openmote", "nrf", "cc26x0-cc13x0", "simplelink", "gecko"), _ARM
    ),
    **dict.fromkeys(("sky", "z1"), _MSP430),
    "native": ("gcc", "apt-get install gcc libc6-dev"),
}


def firmware(
    application: object,
    variant: dict[str, str] | None = None,
    *,
    cc: str | None = None,
    cflags: str = "",
    target: str = COOJA,
    tree: Tree | None = None,
) -> Built:
    """The firmware of an application (name, folder or descriptor) with these make variables, e.g. {"MAC":
    "nullmac"}.

    With the embedded Contiki, or, given one, with a Contiki-NG tree, for any of its targets that this machine
    has a compiler for. Raises NoSuchThing, FaultyInput (what the embedded Contiki lacks), MissingTool,
    BuildFailed or StorageFailed.
    """
    from orchestrator.build import recipe as recipes

    return build(recipes.recipe(application, variant, target=target, cflags=cflags, tree=tree), cc=cc)


def build(recipe: Recipe, *, cc: str | None = None) -> Built:
    """The firmware of a recipe."""
    chosen = compiler_for(recipe.target, cc)
    make = compiler.make()
    name = cache.key(recipe.key() | {"compiler": chosen.identity()})

    def made(work: Path) -> Path:
        recipe.stage(work)
        _make(recipe, work, make, chosen)
        return recipe.product(work)

    return cache.get("firmware", name, made)


def _make(recipe: Recipe, work: Path, make: str, chosen: compiler.Compiler) -> None:
    from orchestrator.build import fast, lacks

    tree = "" if recipe.tree is None else str(recipe.tree.folder)
    folder = Path(recipe.folder(str(work), tree))
    *arguments, product = recipe.arguments(str(work), tree, os.cpu_count() or 1)
    environment = clean_environment() | {"CC": chosen.shell} | recipe.environment(str(work), tree)
    what = f"firmware {recipe.name}"
    if recipe.on_contiki_ng:
        # Its Makefiles set CC themselves; only the command line is stronger.
        named = [f"CC={chosen.shell}"] if recipe.target == COOJA else []
        try:
            call(
                [make, *arguments, *named, product],
                folder,
                environment,
                f"{what} for {recipe.target} on Contiki-NG",
            )
        except BuildFailed as failed:
            raise fast.explained(failed) if recipe.is_fast else failed from None
        return
    origin = recipe.origin or folder
    lacks.check(
        recipe.name,
        work,
        origin,
        [make, *(word for word in arguments if not word.startswith("-j"))],
        environment,
        chosen,
    )
    try:
        call([make, *arguments, product], folder, environment, what)
    except BuildFailed as failed:
        if faults := lacks.undefined(failed.output, recipe.name, folder, origin):
            raise FaultyInput(faults) from None
        raise


def compiler_for(target: str, cc: str | None = None) -> compiler.Compiler:
    """Of a target, on this machine. Raises MissingTool, or Unsupported where we don't know what its Makefiles
    call.
    """
    if target == COOJA:
        return compiler.find(cc)
    if target not in _COMPILERS:
        raise Unsupported(
            f"{target} is not built on the host here: its compiler is not known\n    build it in a "
            "container: --builder docker"
        )
    program, remedy = _COMPILERS[target]
    return compiler.cross(
        program, f"firmware for {target}", f"{remedy}, or build in a container: --builder docker"
    )


def kernel(*, cc: str | None = None) -> Path:
    """The embedded engine's executable. Raises MissingTool, BuildFailed or StorageFailed."""
    return kernel_built(cc=cc).path


def kernel_built(*, cc: str | None = None) -> Built:
    """The embedded engine's executable with its hash and key."""
    chosen = compiler.find(cc)
    content = kernel_content()
    name = cache.key(
        {
            "kind": "kernel",
            "sources": content.digest(),
            "compiler": chosen.identity(),
            "flags": [*KERNEL_CFLAGS, *KERNEL_LDFLAGS, *KERNEL_LTO],
        }
    )

    def build(work: Path) -> Path:
        from concurrent.futures import ThreadPoolExecutor

        content.copy(work)
        units = sorted(name for name in content.files if name.endswith(".c"))
        environment = clean_environment()

        def compiler_call(*words: str) -> None:
            call([*chosen.command, *words], work, environment, "engine kernel", compilers.run)

        # Calls is the inner one: an interruption first kills the compilers that the pool then waits for.
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool, Calls() as compilers:

            def compile_all(*flags: str) -> None:
                cache.tell("kernel", begun=len(units))

                def compile_one(unit: str) -> None:
                    try:
                        compiler_call(*KERNEL_CFLAGS, "-I.", *flags, "-c", unit, "-o", f"{unit}.o")
                    finally:
                        cache.tell("kernel", ended=1)

                calls.each(pool, compile_one, units)
                compiler_call(
                    *KERNEL_CFLAGS,
                    *flags,
                    *(f"{unit}.o" for unit in units),
                    "-o",
                    "orchestrate-kernel",
                    *KERNEL_LDFLAGS,
                )

            try:
                compile_all(*KERNEL_LTO)
            except BuildFailed:
                compile_all()  # which says what is wrong, if it isn't that
        return work / "orchestrate-kernel"

    return cache.get("kernel", name, build)


def kernel_content() -> sources.Sources:
    """The kernel's sources. Their hash is the engine's version, as they decide about results."""
    found = (path for path in KERNEL.rglob("*") if path.suffix in (".c", ".h"))
    return sources.Sources("kernel", {path.relative_to(KERNEL).as_posix(): path for path in found})


def clean_environment() -> dict[str, str]:
    """What a build sees of our environment: no MAKEFLAGS of an outer make, no language, no variables that
    choose flags.
    """
    kept = ("PATH", "HOME", "TMPDIR", "CCACHE_DIR", "LD_LIBRARY_PATH")
    return {name: os.environ[name] for name in kept if name in os.environ} | {"LC_ALL": "C"}


def call(
    command: list[str],
    folder: Path,
    environment: dict[str, str],
    what: str,
    run: Callable[..., Any] = calls.run,
) -> None:
    """Run a command of a build. Raises BuildFailed with the first errors that it printed."""
    try:
        code, output = run(command, folder, environment)
    except FileNotFoundError as error:
        raise BuildFailed(f"{what}: {error.strerror}: {error.filename}") from None
    if code != 0:
        raise BuildFailed(f"{what}: {shlex.join(command[:4])} ... failed\n{first_errors(output)}", output)


def first_errors(output: str) -> str:
    """The lines of a compiler's or make's output that say what is wrong, indented."""
    lines = [line.rstrip() for line in output.splitlines() if line.strip()]
    errors = [
        line for line in lines if "error:" in line or "undefined reference" in line or "No rule" in line
    ]
    return "\n".join(f"    {line}" for line in (errors[:_SHOWN_ERRORS] or lines[-10:]))
