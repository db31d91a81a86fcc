# SPDX-License-Identifier: Apache-2.0
"""The simulations of `orchestrate simulate`: files with settings, each with a name and a log folder."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrator.execution.simulations import Task

ENDINGS = (".csc", ".csc.gz")


@dataclass
class Operand:
    """A file or a folder with its settings; `seed` None: each file's own."""

    path: Path
    seed: int | None
    logdir: Path


def operand(text: str, default_seed: int | None, default_logdir: Path) -> Operand:
    """From `PATH[,random-seed=N][,logdir=DIR]`.

    Raises WrongUsage for other keys and a file of another kind.
    """
    from orchestrator.cli.options import seed
    from orchestrator.errors import WrongUsage

    name, *pairs = text.split(",")
    result = Operand(Path(name), default_seed, default_logdir)
    if not name.endswith(ENDINGS) and not result.path.is_dir():
        raise WrongUsage(
            f"{name}: a simulation's name ends with .csc or .csc.gz; a folder with such files may be named "
            "as well"
        )
    for pair in pairs:
        key, _, value = pair.partition("=")
        if key == "random-seed":
            try:
                result = replace(result, seed=seed(value))
            except argparse.ArgumentTypeError:
                raise WrongUsage(f"{text}: random-seed={value} is not a whole number of 64 bits") from None
        elif key == "logdir" and value:
            result = replace(result, logdir=Path(value))
        elif key != "autostart":
            raise WrongUsage(f"{text}: {pair!r} is not known; a file takes random-seed=N and logdir=DIR")
    return result


def tasks(operands: Sequence[Operand]) -> list[Task]:
    """Return the simulations, those of a folder in the order of their paths.

    A file that is also named by itself is taken as it is named there. Raises NoSuchThing.
    """
    from orchestrator.execution.simulations import Task

    named = {operand.path.resolve() for operand in operands if not operand.path.is_dir()}
    wanted: list[tuple[Operand, Path, bool]] = []
    for operand in operands:
        if operand.path.is_dir():
            wanted += [(operand, file, True) for file in _inside(operand.path) if file.resolve() not in named]
            named.update(file.resolve() for _, file, _ in wanted)
        else:
            wanted.append((operand, operand.path, False))
    base = os.path.commonpath(
        [(operand.path if operand.path.is_dir() else operand.path.parent).absolute() for operand in operands]
    )
    names = _apart([_plain(os.path.relpath(file.absolute(), base)) for _, file, _ in wanted])
    folders = [operand.logdir.resolve() for operand, _, _ in wanted]
    # Cooja would write one log over the other.
    apart = [
        in_folder or folders.count(folder) > 1
        for (_, _, in_folder), folder in zip(wanted, folders, strict=True)
    ]
    logdirs = [
        operand.logdir / name if own else operand.logdir
        for (operand, _, _), name, own in zip(wanted, names, apart, strict=True)
    ]
    real = [os.path.realpath(logdir) for logdir in logdirs]
    return [
        Task(file, operand.seed, logdir if free == there else Path(free), name)
        for (operand, file, _), name, logdir, there, free in zip(
            wanted, names, logdirs, real, _apart(real), strict=True
        )
    ]


def _inside(folder: Path) -> list[Path]:
    from orchestrator.errors import NoSuchThing

    paths: list[Path] = []
    for here, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths += [Path(here, name) for name in files if name.endswith(ENDINGS) and not name.startswith(".")]
    if not paths:
        raise NoSuchThing(f"{folder}: no .csc or .csc.gz in this folder, nor in those below it")
    return sorted(paths)


def _plain(name: str) -> str:
    return next((name[: -len(ending)] for ending in ENDINGS if name.endswith(ending)), name)


def _apart(names: Sequence[str]) -> list[str]:
    """Names that repeat get a number behind."""
    unique: list[str] = []
    for name in names:
        number, free = 1, name
        while free in unique or (number > 1 and free in names):
            number += 1
            free = f"{name}-{number}"
        unique.append(free)
    return unique
