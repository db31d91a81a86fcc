# SPDX-License-Identifier: Apache-2.0
"""Builds a mote type's firmware as its .csc says: ours from the cache, others by the file's own commands."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.applications import platform
from orchestrator.build import commands, sanitizers
from orchestrator.csc import makefiles
from orchestrator.csc.interfaces import MAKE_FLAGS, make_flags
from orchestrator.csc.mote_type import MspType
from orchestrator.csc.paths import note_of_relative, resolve
from orchestrator.errors import BuildFailed, MissingTool, NoSuchThing, Unsupported
from orchestrator.vocabulary import mote_images as images

if TYPE_CHECKING:
    from orchestrator.build import firmware
    from orchestrator.csc.mote_type import MoteType

# The make variables for interfaces that a mote type leaves out.
_FLAGS = {flag.split("=")[0] for flag in MAKE_FLAGS.values()}


@dataclass(frozen=True)
class BuildOptions:
    """The user's choices about the firmware of a .csc.

    `contiki`, `cooja`: the folders that the file calls [CONTIKI_DIR] and [COOJA_DIR]. `cc`: the compiler, and
    `cflags`: flags added to the usual ones. `fast`: compile with our flags what the file's own commands
    build. Without `run_commands` nothing but our own Makefile runs. `builder`: of our firmware (default: the
    host's, with the embedded Contiki). `places`: folders with the names that stand for them in the firmware.
    `own_macros`: an experiment sets macros, so a source that defines one of them in any case is an error.
    """

    contiki: Path | None = None
    cooja: Path | None = None
    cc: str | None = None
    cflags: str = ""
    fast: bool = False
    run_commands: bool = True
    builder: firmware.Builder | None = None
    places: tuple[tuple[str, str], ...] = ()
    own_macros: bool = False


USUAL = BuildOptions()


def library(
    mote_type: MoteType | MspType,
    folder: Path,
    options: BuildOptions = USUAL,
    say: Callable[[str], None] = lambda _: None,
) -> Path:
    """Build a mote type's firmware, or find it built already; return its shared object.

    `folder`: of the .csc, whose paths start there. `say` gets each command that is not ours before it runs.
    Raises NoSuchThing, Unsupported and what builds raise.
    """
    if isinstance(mote_type, MspType):
        return _of_msp430(mote_type, folder, options, say)
    source = resolve(mote_type.source, folder, options.contiki, options.cooja)
    if note := note_of_relative(mote_type.source, folder):
        say(f"note: source {note[0]}; {note[1]}")
    if not source.parent.is_dir():
        near = makefiles.nearest(mote_type.source, folder, options.contiki)
        raise NoSuchThing(
            f"{mote_type.source}: no folder {source.parent}\n    "
            + (f"write {near}, which is there" if near else "correct the .csc, or give --contiki")
        )
    if (ours := _built_ours(mote_type, source, options, say)) is not None:
        return ours
    if not options.run_commands:
        found = commands.library(source, mote_type.identifier)
        if found.is_file():
            return found
        raise Unsupported(
            f"mote type {mote_type.identifier}: its build commands may not run (--no-commands) and "
            f"{found} is not there:\n    " + "\n    ".join(mote_type.commands.split("\n"))
        )
    if not source.is_file() and (near := makefiles.nearest(mote_type.source, folder, options.contiki)):
        raise NoSuchThing(f"{source}: no such source file\n    write {near}, which is there")
    of_sanitizers = sanitizers.make_flags(options.cflags)
    return commands.build(
        source,
        mote_type.identifier,
        _with_tree(mote_type.commands, source.parent, options.contiki, say),
        [*make_flags(mote_type.interfaces), *of_sanitizers],
        commands.Compilation(options.cc, options.cflags, options.fast and not of_sanitizers, options.places),
        say,
    )


def _of_msp430(mote_type: MspType, folder: Path, options: BuildOptions, say: Callable[[str], None]) -> Path:
    """Build the firmware of an MSP430, or take what is there if its compiler isn't here.

    Without both, clang builds it for a Tmote Sky.
    """
    if sanitizers.make_flags(options.cflags):
        raise Unsupported(
            f"mote type {mote_type.identifier}: sanitizers of {mote_type.target} firmware\n"
            "    leave --sanitize out, or compile the application for Cooja motes"
        )
    source = resolve(mote_type.source, folder, options.contiki, options.cooja) if mote_type.source else None
    plain = mote_type._replace(commands=images.taken_out(mote_type.commands)[0])  # the engine puts them there
    if source is not None and (ours := _built_ours(plain, source, options, say)) is not None:
        return ours
    may_build = source is not None and options.run_commands

    def built(how: commands.Compilation) -> Path:
        made = _with_tree(mote_type.commands, source.parent, options.contiki, say)
        return commands.build(source, mote_type.identifier, made, [], how, say, mote_type.target)

    if may_build and shutil.which(mote_type.compiler) is not None:
        return built(commands.Compilation(mote_type.compiler, places=options.places))
    places = prebuilt(mote_type, folder, options)
    found = next((path for path in places if path.is_file()), None)
    if found is None and may_build and mote_type.target == "sky":
        from orchestrator.build import msp430

        try:
            stand_in = msp430.toolchain(options.own_macros)
        except MissingTool as missing:
            raise MissingTool(
                f"mote type {mote_type.identifier} has sky firmware: "
                + (f"there is no {places[0]}, and no " if places else "there is no ")
                + f"{mote_type.compiler} that would build it; for clang in its place: {missing}"
            ) from None
        say(f"note: no {mote_type.compiler} is here; {stand_in.version} takes its place")
        return built(commands.Compilation(programs=stand_in.folder, places=options.places))
    if found is None and source is None:
        raise NoSuchThing(
            f"mote type {mote_type.identifier} has {mote_type.target} firmware: there is no {places[0]}\n"
            "    correct <firmware>, or bring the file there"
        )
    if found is None:
        what = " and ".join(f"there is no {path}" for path in places) or "it has to be built"
        raise MissingTool(
            f"mote type {mote_type.identifier} has {mote_type.target} firmware: {what}, and "
            f"{mote_type.compiler}, which would build it, is not here\n"
            "    install it, or bring the firmware there"
        )
    if source is not None:
        say(f"note: {found} is taken as it is; {mote_type.compiler} is not here, or may not run")
    return found


def prebuilt(mote_type: MspType, folder: Path, options: BuildOptions = USUAL) -> list[Path]:
    """Return where firmware of an MSP430 may lie that needs no build: where the .csc and make have it."""
    if mote_type.must_build:
        return []
    contiki, cooja = options.contiki, options.cooja
    places = [resolve(mote_type.firmware, folder, contiki, cooja)] if mote_type.firmware else []
    if mote_type.source:
        source = resolve(mote_type.source, folder, contiki, cooja)
        places.append(commands.product(source, mote_type.target))
    return places


def _with_tree(commands: str, folder: Path, contiki: Path | None, say: Callable[[str], None]) -> str:
    """Return build commands with the user's tree in place of the Makefile's, where that isn't there.

    Raises BuildFailed if a command's tree can't build for Cooja.
    """
    made = []
    for line in commands.split("\n"):
        words = line.split()
        if words and words[0] in makefiles.MAKES:
            if fault := makefiles.tree_fault(folder, words, contiki):
                raise BuildFailed(f"{fault.what}\n    {fault.remedy}")
            tree = makefiles.tree_of(folder, words)
            if contiki is not None and tree is not None and not (tree.folder / "Makefile.include").is_file():
                say(
                    f"note: {tree.file} builds with {tree.written}, which is not there; --contiki takes its "
                    "place, here and not in Cooja"
                )
                line = f"{line.rstrip()} CONTIKI={contiki.absolute()}"
        made.append(line)
    return "\n".join(made)


def _built_ours(
    mote_type: MoteType | MspType, source: Path, options: BuildOptions, say: Callable[[str], None]
) -> Path | None:
    """Build an application of ours by our recipe. None: it is none, or its Makefile may not run."""
    variant = commands.our_variant(mote_type.commands, source.stem)
    if variant is None or not _is_ours(source):
        return None
    from orchestrator.build import host, sources

    if not isinstance(mote_type, MspType):
        variant |= dict(flag.split("=", 1) for flag in make_flags(mote_type.interfaces))
    trusted = sources.is_installed(source.parent) and variant.keys() - _FLAGS <= _known_variables(
        source.stem, variant
    )
    if not trusted:
        if not options.run_commands:
            return None
        words = " ".join(f"{name}={value}" for name, value in variant.items() if name != "TARGET")
        target = platform.target(variant)
        say(f"> make {source.stem}.{target} TARGET={target} {words}   (a copy of {source.parent})")
    build = host.firmware if options.builder is None else options.builder.firmware
    return build(source.parent, variant, cc=options.cc, cflags=options.cflags).path


def _is_ours(source: Path) -> bool:
    if source.stem != source.parent.name:
        return False
    from orchestrator.build import sources  # which reads descriptors; a short simulation would wait for it

    return sources.is_ours(source.parent)


def _known_variables(application: str, asked: Iterable[str]) -> set[str]:
    """Return the make variables that an application of ours declares.

    Its application.yaml is read only if a variable is `asked` for that is not of an interface.
    """
    if _FLAGS.issuperset(asked):
        return set()
    from orchestrator.applications import descriptor

    choices = [
        variables for values in descriptor.load(application).build.values() for variables in values.values()
    ]
    return {name for variables in choices for name in variables}
