# SPDX-License-Identifier: Apache-2.0
"""A mote type's firmware as its .csc says: ours from the cache, another by the file's own commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.build import commands, sanitizers
from orchestrator.csc.interfaces import MAKE_FLAGS, make_flags
from orchestrator.csc.paths import resolve
from orchestrator.errors import NoSuchThing, Unsupported

if TYPE_CHECKING:
    from orchestrator.build import firmware
    from orchestrator.csc.model import MoteType, Simulation

_FLAGS = {
    flag.split("=")[0] for flag in MAKE_FLAGS.values()
}  # make variables for interfaces that a mote type leaves out


def library(
    mote_type: MoteType,
    simulation: Simulation,
    *,
    contiki: Path | None = None,
    cooja: Path | None = None,
    cc: str | None = None,
    cflags: str = "",
    fast: bool = False,
    run_commands: bool = True,
    builder: firmware.Builder | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Path:
    """Builds or finds it. `cflags` are added to the compiler's; `fast`: what its own commands build is
    compiled our way; without `run_commands` nothing but our own Makefile runs. `builder`: of our firmware
    (default: the host's, with the embedded Contiki).

    Raises NoSuchThing, Unsupported and what builds raise. `say` gets each command that is not ours before it
    runs.
    """
    source = resolve(mote_type.source, simulation.config_dir, contiki, cooja)
    if not source.parent.is_dir():
        raise NoSuchThing(
            f"{mote_type.source}: no folder {source.parent}; correct the .csc, or give --contiki"
        )
    flags = make_flags(mote_type.interfaces)
    variant = commands.our_variant(mote_type.commands, source.stem)
    if variant is not None and _is_ours(source):
        from orchestrator.build import host, sources

        variant |= dict(flag.split("=", 1) for flag in flags)
        trusted = sources.is_installed(source.parent) and variant.keys() - _FLAGS <= _known_variables(
            source.stem, variant
        )
        if trusted or run_commands:
            if not trusted:
                say(
                    f"> make {source.stem}.cooja TARGET=cooja "
                    + " ".join(f"{name}={value}" for name, value in variant.items())
                    + f"   (a copy of {source.parent})"
                )
            build = host.firmware if builder is None else builder.firmware
            return build(source.parent, variant, cc=cc, cflags=cflags).path
    if not run_commands:
        found = commands.library(source, mote_type.identifier)
        if found.is_file():
            return found
        raise Unsupported(
            f"mote type {mote_type.identifier}: its build commands may not run (--no-commands) and "
            f"{found} is not there:\n    " + "\n    ".join(mote_type.commands.split("\n"))
        )
    return commands.build(
        source,
        mote_type.identifier,
        mote_type.commands,
        [*flags, *sanitizers.make_flags(cflags)],
        cc=cc,
        cflags=cflags,
        fast=fast and not sanitizers.make_flags(cflags),
        show=say,
    )


def _is_ours(source: Path) -> bool:
    if source.stem != source.parent.name:
        return False
    from orchestrator.build import sources  # which reads descriptors; a short simulation would wait for it

    return sources.is_ours(source.parent)


def _known_variables(application: str, asked: Iterable[str]) -> set[str]:
    """Make variables that an application of ours says it has; its description is not read if none is asked
    for.
    """
    if _FLAGS.issuperset(asked):
        return set()
    from orchestrator.applications import descriptor

    choices = [
        variables for values in descriptor.load(application).build.values() for variables in values.values()
    ]
    return {name for variables in choices for name in variables}
