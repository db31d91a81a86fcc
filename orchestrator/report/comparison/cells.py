# SPDX-License-Identifier: Apache-2.0
"""Matches cells of A with cells of B, and finds what differs between the two.

Cells are matched by their resolved parameters, which are in the manifests. A parameter that has no value in
both A and B is what the comparison is about, and takes no part in the matching.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.errors import NoSuchThing
from orchestrator.report.comparison.sides import Side
from orchestrator.report.data import Results
from orchestrator.words import first_of

ABSENT = "not there"
LONGEST = 60  # characters of a value on the page
_NAMES = ("name", "settings")  # parameters that name a cell and don't describe it


@dataclass(frozen=True)
class Pair:
    """A cell of A and one of B. `by_seed`: runs with the same seed are compared; if not, `why`."""

    a: str
    b: str
    by_seed: bool
    why: str = ""

    @property
    def name(self) -> str:
        """The name that both have, else both names."""
        return self.a if self.a == self.b else f"{self.a} | {self.b}"


@dataclass(frozen=True)
class Change:
    """Something that differs: its values in A and B, one pair for each different way."""

    what: str
    values: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Matched:
    """Pairs of cells, what differs between them, and the cells without a counterpart."""

    pairs: tuple[Pair, ...]
    changes: tuple[Change, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]


def match(a: Side, b: Side) -> Matched:
    """Match the cells of A and B. Raises NoSuchThing if no cell of A has a counterpart in B."""
    ours = {cell: parameters(a.results, cell) for cell in a.results.cells}
    theirs = {cell: parameters(b.results, cell) for cell in b.results.cells}
    matched = _pairs(ours, theirs)
    if not matched:
        raise NoSuchThing(
            f"no cell of {a.name} has the parameters of one of {b.name}\n    cells of A: "
            f"{first_of(a.results.cells)}\n"
            f"    cells of B: {first_of(b.results.cells)}\n    name one of each: `orchestrate compare "
            f"{a.results.experiment}/{a.results.cells[0]} {b.results.experiment}/{b.results.cells[0]}`"
        )
    changes = _changes(a.results, b.results, matched)
    matched_a, matched_b = {cell for cell, _ in matched}, {other for _, other in matched}
    pairs = tuple(Pair(cell, other, *by_seed(a.results, b.results, cell, other)) for cell, other in matched)
    return Matched(
        pairs,
        changes,
        tuple(cell for cell in ours if cell not in matched_a),
        tuple(cell for cell in theirs if cell not in matched_b),
    )


def parameters(results: Results, cell: str) -> dict[str, str]:
    """Return a cell's resolved parameters by their paths; empty without manifests."""
    manifest = results.manifest(cell)
    if manifest is None:
        return {}
    return dict(_flat({name: value for name, value in manifest.parameters.items() if name not in _NAMES}))


def _flat(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, inner in sorted(value.items()):
        if isinstance(inner, Mapping):
            yield from _flat(inner, prefix if name == "parameters" else f"{prefix}{name}.")
        else:
            yield prefix + name, inner if isinstance(inner, str) else json.dumps(inner, sort_keys=True)


def _pairs(ours: dict[str, dict[str, str]], theirs: dict[str, dict[str, str]]) -> list[tuple[str, str]]:
    if len(ours) == len(theirs) == 1:
        return [(*ours, *theirs)]
    paths = {path for settings in (*ours.values(), *theirs.values()) for path in settings}
    shared = sorted(
        path
        for path in paths
        if {settings.get(path) for settings in ours.values()}
        & {settings.get(path) for settings in theirs.values()}
    )

    def groups(cells: dict[str, dict[str, str]]) -> dict[tuple, list[str]]:
        by_values = defaultdict(list)
        for cell, values in cells.items():
            by_values[tuple(values.get(path) for path in shared)].append(cell)
        return by_values

    others, pairs = groups(theirs), []
    for key, cells in groups(ours).items():
        candidates = others.get(key, [])
        if len(cells) == len(candidates) == 1:
            pairs.append((cells[0], candidates[0]))
        else:  # several cells have these values: only their names can match them
            pairs += [(cell, cell) for cell in cells if cell in candidates]
    return pairs


def _changes(a: Results, b: Results, pairs: list[tuple[str, str]]) -> tuple[Change, ...]:
    changes: dict[str, list[tuple[str, str]]] = {}
    for first, other in pairs:
        ours, theirs = _described(a, first), _described(b, other)
        for what in sorted(
            {*ours, *theirs}, key=lambda what: (what.startswith(("engine ", "firmware ", "rule set")), what)
        ):
            values = ours.get(what, ABSENT), theirs.get(what, ABSENT)
            if values[0] != values[1] and values not in changes.setdefault(what, []):
                changes[what].append(values)
    return tuple(
        Change(what, tuple((_short(value), _short(other)) for value, other in values))
        for what, values in changes.items()
        if values
    )


def _described(results: Results, cell: str) -> dict[str, str]:
    """Return a cell's parameters, firmware and engine; if its runs differ in one of these, all values."""
    runs = [manifest for manifest in results.manifests if manifest.cell == cell]
    settings = {
        name: value for name, value in parameters(results, cell).items() if name not in ("engine", "ruleset")
    }
    for key, what in (("name", "engine name"), ("version", "engine version"), ("rules", "rule set")):
        values = sorted({getattr(run.engine, key) for run in runs})
        settings |= {what: ", ".join(values)} if values else {}
    for kind in sorted({kind for run in runs for kind in run.firmware}):
        settings[f"firmware {kind}"] = ", ".join(
            sorted({run.firmware.get(kind, ABSENT)[:12] for run in runs})
        )
    return settings


def _short(value: str) -> str:
    return value if len(value) <= LONGEST else value[: LONGEST - 1] + "…"


def by_seed(a: Results, b: Results, one: str, other: str) -> tuple[bool, str]:
    """Say whether the two runs of each seed can be compared as a pair, and why not if they can't.

    They can if the same application published the same number of events at every publisher.
    """
    first, second = (
        parameters(results, cell).get("application.name") for results, cell in ((a, one), (b, other))
    )
    if first != second:
        return False, "not the same application"
    seeds = set(a.seeds(one)) & set(b.seeds(other))
    if len(seeds) < 2 and min(len(a.seeds(one)), len(b.seeds(other))) >= 2:
        return False, "fewer than two seeds in common"
    keys = a.keys("events_published", one)
    others = b.keys("events_published", other)
    if not keys or not others:
        return False, "how many events each publisher published was not measured"
    if keys != others:
        return False, "not the same publishers"
    for key in keys:
        ours, theirs = (
            results.values(cell, "events_published", key).reindex(sorted(seeds))
            for results, cell in ((a, one), (b, other))
        )
        if not ours.equals(theirs):
            return (
                False,
                f"not the same number of events published by {key} in every seed"
                if key != "total"
                else "not as many events published in every seed",
            )
    return True, ""
