# SPDX-License-Identifier: Apache-2.0
"""Reads a campaign file into a Campaign, and reports every fault of all its scenarios at once.

Scenarios have their overrides resolved; a fault has its file and line.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from orchestrator.errors import FaultyInput, NoSuchThing, OrchestrateError
from orchestrator.features.campaigns.entries import judging, quarantine, retention, seeds
from orchestrator.features.campaigns.written import Campaign, Part, Seeds
from orchestrator.papers import scenarios as papers
from orchestrator.scenario import settings
from orchestrator.scenario.load import load as load_scenario
from orchestrator.scenario.load import master
from orchestrator.scenario.model import Scenario
from orchestrator.scenario.override import overridden, without
from orchestrator.vocabulary import document
from orchestrator.vocabulary.document import KINDS, Mapping, Node, Scalar, Sequence, wrong_kind
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.fields import known_keys, own_name
from orchestrator.vocabulary.parameters import Parameter, check
from orchestrator.vocabulary.units import short
from orchestrator.words import counted, did_you_mean

NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,31}"
NAME_REMEDY = "use letters, digits, `-`, `_` and `.`, at most 32"
MOST_RUNS = settings.MOST_RUNS
_DAY_S = 86_400
KEYS = {
    "campaign": "its name; rounds are kept under it",
    "parts": "the scenarios, each with what is other in it",
    "seeds": "of all parts that have none of their own",
    "time-budget": "a call ends in time, with the most informative runs first",
    "shards": "how many machines share a round",
    "retries": "of a run that the machine or the simulator failed",
    "wall-limit": "of one run, in real time",
    "quarantine": "what is left out, why, and until when",
    "retention": "what `campaign prune` keeps",
    "spark": settings.MASTER_HELP,
    "verdict": "what counts as a change, and how often nights may raise a false alarm",
}
PART_KEYS = {
    "scenario": "the scenario's file",
    "paper": "instead of a file: an experiment of a paper",
    "experiment": "its name in the store",
    "set": "other values, by path",
    "cells": "only these, by name or pattern",
    "seeds": "of this part",
}
TIME_BUDGET = Parameter("time-budget", "time", None, 1_000_000, 60 * _DAY_S * 1_000_000)
SHARDS = Parameter("shards", "int", None, 1, 1000)
RETRIES = Parameter("retries", "int", 3, 0, 20)
_REMEDY = "write one as docs/campaigns.md says"
WALL_LIMIT = Parameter("wall-limit", "time", None, 1_000_000, _DAY_S * 1_000_000)


def load(path: Path) -> Campaign:
    """Return the campaign in a file.

    Raises NoSuchThing if there is none, FaultyInput with all faults of it and of its scenarios.
    """
    path = Path(path)
    text, data, faults = document.read(path, "campaign", _REMEDY)
    root = document.mapping(text, faults, "the file holds no campaign", _REMEDY)
    campaign = _Reader(path, text, hashlib.sha256(data).hexdigest(), root, faults).campaign()
    faults.raise_any()
    return campaign


class _Reader:
    """Reads one file; faults go to `faults`."""

    def __init__(self, path: Path, text: str, sha256: str, root: Mapping, faults: Faults):
        self.path, self.text, self.sha256, self.root, self.faults = path, text, sha256, root, faults

    def campaign(self) -> Campaign | None:
        root, faults = self.root, self.faults
        known_keys(root, "", KEYS, faults)
        name = own_name(root, "campaign", NAME, NAME_REMEDY, faults, "its rounds are kept under it")
        common = seeds(root.get("seeds"), faults) if root.get("seeds") is not None else None
        parts = self.parts(root.get("parts"), name, common)
        values = {
            key: self.value(declared, key)
            for key, declared in (
                ("time-budget", TIME_BUDGET),
                ("shards", SHARDS),
                ("retries", RETRIES),
                ("wall-limit", WALL_LIMIT),
            )
        }
        if not len(faults):
            self.bounded(parts)
        cells = {part.experiment: [cell.name for cell in part.scenario.cells] for part in parts}
        limits = retention(root.get("retention"), faults)
        out = quarantine(root.get("quarantine"), cells, faults)
        judged = judging(root.get("verdict"), faults)
        spark = master(root, faults)
        if len(faults):
            return None
        return Campaign(
            name,
            self.path,
            self.text,
            self.sha256,
            tuple(parts),
            None if values["time-budget"] is None else values["time-budget"] / 1e6,
            values["shards"],
            values["retries"],
            None if values["wall-limit"] is None else values["wall-limit"] / 1e6,
            tuple(out),
            limits,
            judged,
            spark,
        )

    def value(self, declared: Parameter, key: str) -> Any:
        node = self.root.get(key)
        return declared.default if node is None else check(declared, node, key, self.faults)

    def parts(self, node: Node | None, name: str, common: Seeds | None) -> list[Part]:
        if not isinstance(node, Sequence) or not node.items:
            line = self.root.line if node is None else node.line
            self.faults.add(line, "no list of parts", "write `parts:` and below it `- scenario: FILE.yaml`")
            return []
        parts_by_name: dict[str, Part] = {}
        for item in node.items:
            part = self.part(item, name, common)
            if part is None:
                continue
            if part.experiment in parts_by_name:
                self.faults.add(
                    item.line,
                    f"two parts are the experiment {part.experiment} (the first in line "
                    f"{parts_by_name[part.experiment].line})",
                    "give one of them a name of its own: `experiment: NAME`",
                )
            parts_by_name[part.experiment] = part
        return list(parts_by_name.values())

    def part(self, node: Node, name: str, common: Seeds | None) -> Part | None:
        """Return a part; None if it is faulty (the faults are noted)."""
        faults, before = self.faults, len(self.faults)
        if not isinstance(node, Mapping):
            wrong_kind(node, "a part", "write `- scenario: FILE.yaml`", faults)
            return None
        known_keys(node, "", PART_KEYS, faults)
        named = self.named(node)
        given = node.get("set") or Mapping((), node.line)
        if not isinstance(given, Mapping):
            wrong_kind(given, "set", "write `set: {duration: 1 min}`", faults)
            given = Mapping((), node.line)
        wanted = seeds(node.get("seeds"), faults) if node.get("seeds") is not None else common
        scenario, body = (None, "") if named is None else self.scenario(named[1], given, wanted, node.line)
        if scenario is None or len(faults) > before:
            return None
        chosen = self.cells(node.get("cells"), scenario)
        overrides = {key.text: document.written(value).removesuffix("...\n").strip() for key, value in given}
        if node.get("cells") is not None:
            overrides["cells"] = ", ".join(cell.name for cell in chosen.cells)
        experiment = self.experiment(node, name, scenario)
        return Part(
            int(node.line),
            experiment,
            named[0],
            chosen,
            wanted or Seeds(scenario.seeds),
            overrides,
            body,
        )

    def named(self, node: Mapping) -> tuple[str, Path] | None:
        """Return the campaign's name for the scenario, and its file."""
        file, paper = node.get("scenario"), node.get("paper")
        if (file is None) == (paper is None):
            what = "a part without a scenario" if file is None else "a part with a scenario and a paper"
            self.faults.add(node.line, what, "write either `scenario: FILE.yaml` or `paper: EXPERIMENT`")
            return None
        given = paper if file is None else file
        if not isinstance(given, Scalar) or not given.text:
            key = "paper" if file is None else "scenario"
            wrong_kind(given, key, f"write one name after `{key}:`", self.faults)
            return None
        try:
            if file is None:
                return f"paper {given.text}", papers.file(given.text)
            return given.text, self.path.parent / Path(given.text).expanduser()
        except NoSuchThing as error:
            what, _, remedy = str(error).partition("\n")
            self.faults.add(given.line, what, remedy.strip())
            return None

    def scenario(
        self, path: Path, given: Mapping, wanted: Seeds | None, line: int
    ) -> tuple[Scenario | None, str]:
        """Return the scenario with this part's settings, and its text without seeds ("" if unchanged)."""
        body = ""
        elsewhere = document.moved(given, str(self.path))

        def change(root: Mapping, faults: Faults) -> Mapping:
            nonlocal body
            changed = overridden(root, elsewhere, faults)
            if changed is not root or wanted is not None:
                body = document.written(without(changed, "seeds"))
            if (
                wanted is not None
            ):  # if it has none of its own it gets one, so that its other faults are found
                here = document.LineOf(line, str(self.path))
                fixed = tuple(Scalar(str(seed), here) for seed in wanted.fixed or (1,))
                changed = Mapping(
                    (*without(changed, "seeds"), (Scalar("seeds", here), Sequence(fixed, here))), changed.line
                )
            return changed

        try:
            loaded = load_scenario(path, change)
        except FaultyInput as error:
            self.faults.extend(error.faults)
            return None, ""
        except OrchestrateError as error:
            what, _, remedy = str(error).partition("\n")
            what, _, after = what.partition("; ")
            self.faults.add(line, what, remedy.strip() or after or "correct the path")
            return None, ""
        return loaded, body

    def cells(self, node: Node | None, scenario: Scenario) -> Scenario:
        """Return the scenario with the cells that are to run."""
        if node is None:
            return scenario
        patterns = [node] if isinstance(node, Scalar) else list(getattr(node, "items", ()))
        there = [cell.name for cell in scenario.cells]
        wanted = set()
        if not patterns:
            self.faults.add(node.line, "cells names none", "write `cells: [NAME, NAME]`, or leave it out")
        for pattern in patterns:
            if not isinstance(pattern, Scalar):
                self.faults.add(pattern.line, f"cells: {KINDS[type(pattern)]}", "write the names of cells")
                continue
            matching = {name for name in there if fnmatchcase(name, pattern.text)}
            if not matching:
                self.faults.add(
                    pattern.line,
                    f"cells: {scenario.experiment} has no cell {short(pattern.text)}",
                    did_you_mean(pattern.text, there),
                )
            wanted |= matching
        return replace(scenario, cells=tuple(cell for cell in scenario.cells if cell.name in wanted))

    def experiment(self, node: Mapping, name: str, scenario: Scenario) -> str:
        """Return the part's name in the store: by default one that nothing but this campaign has."""
        if node.get("experiment") is None:
            return f"{name}-{scenario.experiment}"[:64]
        return own_name(node, "experiment", settings.EXPERIMENT, settings.EXPERIMENT_REMEDY, self.faults)

    def bounded(self, parts: list[Part]) -> None:
        total = sum(len(part.scenario.cells) * len(part.seeds) for part in parts)
        if total > MOST_RUNS:
            self.faults.add(
                self.root.line,
                f"the parts have {counted(total, 'run')}",
                f"at most {MOST_RUNS:,} can be planned at once: use fewer seeds, or several campaigns",
            )
