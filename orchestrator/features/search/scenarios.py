# SPDX-License-Identifier: Apache-2.0
"""The scenario of a search: the user's, with the settings that were tried as the cells of its matrix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from orchestrator.errors import WrongUsage
from orchestrator.features.search.model import label
from orchestrator.scenario.load import load
from orchestrator.scenario.model import Scenario
from orchestrator.scenario.override import overridden, without
from orchestrator.vocabulary import document
from orchestrator.vocabulary.document import Scalar, Sequence
from orchestrator.vocabulary.faults import Faults
from orchestrator.words import counted, did_you_mean

_NAME = 64  # characters of an experiment's name at most


class Scenarios:
    """Makes scenarios of the one in a file.

    `cell`: which cell of its matrix is the `base` of all that is tried, None if it has none.
    """

    def __init__(self, path: Path, cell: str | None = None, name: str | None = None):
        self._path = path
        self.plain = load(path)
        names = [cell.name for cell in self.plain.cells]
        if cell is None and len(names) > 1:
            raise WrongUsage(
                f"{path} has {counted(len(names), 'cell')}\n    say with --cell which one is to be searched: "
                f"{', '.join(names[:20])}"
            )
        if cell is not None and cell not in names:
            raise WrongUsage(f"{path} has no cell {cell!r}; {did_you_mean(cell, names)}")
        self.base = next(base for base in self.plain.cells if cell in (None, base.name))
        self.experiment = (name or f"{self.plain.experiment}-search")[:_NAME]

    def of(self, tried: Iterable[Mapping[str, str]], seeds: Iterable[int] | None = None) -> Scenario:
        """Return the scenario with one cell for each of the settings. Raises FaultyInput."""
        wanted = {label(settings): settings for settings in tried}

        def change(root: document.Mapping, faults: Faults) -> document.Mapping:
            root = without(root, "matrix")
            base = _mapping({path: _text(value) for path, value in self.base.settings.items()})
            root = overridden(root, base, faults)
            cells = [_mapping({"label": name, **settings}) for name, settings in wanted.items()]
            matrix = document.Mapping(((Scalar("include", 1), Sequence(tuple(cells), 1)),), 1)
            root = _with(root, "experiment", Scalar(self.experiment, 1))
            if seeds is not None:
                root = _with(root, "seeds", Sequence(tuple(Scalar(str(seed), 1) for seed in seeds), 1))
            return _with(root, "matrix", matrix)

        return load(self._path, change)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _with(root: document.Mapping, key: str, value: document.Node) -> document.Mapping:
    return document.Mapping((*without(root, key).pairs, (Scalar(key, 1), value)), root.line)


def _mapping(given: Mapping[str, str]) -> document.Mapping:
    return document.Mapping(tuple((Scalar(key, 1), Scalar(text, 1)) for key, text in given.items()), 1)
