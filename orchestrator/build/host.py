# SPDX-License-Identifier: Apache-2.0
"""Builds an application's firmware on the host, by make; it is cached by content.

Nothing is built where the sources are: they are copied into the cache's work folder first, so that a build
can't write into the user's tree and sources that change meanwhile can't mix.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.build import cache, compiler
from orchestrator.build.cache import Built
from orchestrator.build.target import COOJA
from orchestrator.build.tools import call, clean_environment
from orchestrator.errors import BuildFailed, FaultyInput, Unsupported

# Modules that only a build needs are imported there, because most calls find everything in the cache.
if TYPE_CHECKING:
    from orchestrator.build.contiki_ng import Tree
    from orchestrator.build.recipe import Recipe

# The compilers that the Makefiles of a Contiki-NG tree's targets call, and how to get them.
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
    """Build and return an application's firmware with these make variables, such as {"MAC": "nullmac"}.

    The application is a name, a folder or a descriptor.

    With the embedded Contiki, or, given one, with a Contiki-NG tree, for any of its targets that this machine
    has a compiler for. Raises NoSuchThing, FaultyInput (what the embedded Contiki lacks), MissingTool,
    BuildFailed or StorageFailed.
    """
    from orchestrator.build import recipe as recipes

    return build(recipes.recipe(application, variant, target=target, cflags=cflags, tree=tree), cc=cc)


def build(recipe: Recipe, *, cc: str | None = None) -> Built:
    """Return the firmware of a recipe."""
    chosen = compiler_for(recipe.target, cc, embedded=not recipe.on_contiki_ng)
    make = compiler.make()
    name = cache.key(recipe.key() | {"compiler": chosen.identity()})

    def compile_(work: Path) -> Path:
        recipe.stage(work)
        _make(recipe, work, make, chosen)
        return recipe.product(work)

    return cache.get("firmware", name, compile_)


def _make(recipe: Recipe, work: Path, make: str, chosen: compiler.Compiler) -> None:
    from orchestrator.build import fast, lacks, too_large

    tree = "" if recipe.tree is None else str(recipe.tree.folder)
    folder = Path(recipe.folder(str(work), tree))
    *arguments, product = recipe.arguments(str(work), tree, os.cpu_count() or 1)
    environment = clean_environment() | {"CC": chosen.shell} | recipe.environment(str(work), tree)
    if recipe.target != COOJA and not recipe.on_contiki_ng:
        from orchestrator.build import msp430

        environment["LD"] = msp430.tools()[1]
    what = f"firmware {recipe.name}"
    if recipe.on_contiki_ng:
        # Its Makefiles set CC themselves; only the command line overrides that.
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
        raise too_large.explained(failed, recipe.name) from None


def compiler_for(target: str, cc: str | None = None, *, embedded: bool = False) -> compiler.Compiler:
    """Return the compiler of a target on this machine.

    Raises MissingTool, or Unsupported if it isn't known what its Makefiles call.
    """
    if target == COOJA:
        return compiler.find(cc)
    if embedded:
        from orchestrator.build import msp430

        return compiler.find(msp430.tools()[0])
    if target not in _COMPILERS:
        raise Unsupported(
            f"{target} is not built on the host here: its compiler is not known\n    build it in a "
            "container: --builder docker"
        )
    program, remedy = _COMPILERS[target]
    return compiler.cross(
        program, f"firmware for {target}", f"{remedy}, or build in a container: --builder docker"
    )
