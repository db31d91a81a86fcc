# SPDX-License-Identifier: Apache-2.0
"""Contiki-NG's networking examples as experiments, for `orchestrate new study`.

A template's file name ends in `.template`, and `__` in it stands for a folder.
"""

from __future__ import annotations

from pathlib import Path

from orchestrator.errors import NoSuchThing
from orchestrator.words import did_you_mean

TEMPLATES = Path(__file__).resolve().parent / "templates"
NEXT = ("orchestrate validate scenario.yaml", "orchestrate run scenario.yaml")
_ENDING = ".template"
_ALSO = {"6tisch/simple-node": "6tisch", "simple-node": "6tisch", "benchmarks/rpl-req-resp": "rpl-req-resp"}


def names() -> list[str]:
    """Return the examples."""
    return sorted(path.name for path in TEMPLATES.iterdir() if path.is_dir())


def named(given: str) -> str:
    """Return the name of an example that is named by its folder in Contiki-NG, too. Raises NoSuchThing."""
    name = _ALSO.get(given.removeprefix("examples/"), given.removeprefix("examples/"))
    if given.endswith((".csc", ".csc.gz")):
        raise NoSuchThing(
            f"no study of {given!r}: these are Contiki-NG's examples\n"
            f"    orchestrate init --from {given} writes an experiment with a .csc"
        )
    if name not in names():
        raise NoSuchThing(f"no study of {given!r}; {did_you_mean(given, names())}")
    return name


def files(name: str) -> dict[Path, bytes]:
    """Return the content of each file of an example, by its path in the new folder."""
    return {
        Path(*path.name.removesuffix(_ENDING).split("__")): path.read_bytes()
        for path in sorted((TEMPLATES / name).glob(f"*{_ENDING}"))
    }
