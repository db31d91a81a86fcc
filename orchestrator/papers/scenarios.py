# SPDX-License-Identifier: Apache-2.0
"""The papers' scenarios by their experiments' names, without loading what analyses them."""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from orchestrator import feature
from orchestrator.errors import NoSuchThing
from orchestrator.words import did_you_mean

_EXPERIMENT = re.compile(r"(?m)^experiment: *(\S+)")


@cache
def names() -> dict[str, Path]:
    """Experiment -> its scenario's file."""
    names_ = {}
    folders = [
        Path(folder)
        for paper in feature.named("papers").values()
        for folder in find_spec(paper.module).submodule_search_locations or ()
    ]
    for path in sorted(path for folder in folders for path in folder.glob("*.yaml")):
        named = _EXPERIMENT.search(path.read_text(encoding="utf-8"))
        if named:
            names_[named[1]] = path
    return names_


def file(experiment: str) -> Path:
    """Return the file of a paper's experiment. Raises NoSuchThing with the list of them."""
    if experiment not in names():
        raise NoSuchThing(
            f"no paper has an experiment {experiment!r}\n    {did_you_mean(experiment, names())}"
        )
    return names()[experiment]


def folder(text: str) -> Path | None:
    """Return the folder of the paper whose scenario has this text; None if it is in no file."""
    named = _EXPERIMENT.search(text)
    path = names().get(named[1]) if named else None
    return path.parent if path else None
