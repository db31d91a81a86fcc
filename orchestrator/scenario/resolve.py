# SPDX-License-Identifier: Apache-2.0
"""Makes checked cells of a file's settings and its matrix; places each once to see if it can be simulated."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from orchestrator.applications import place
from orchestrator.applications.reach import Problem
from orchestrator.scenario import settings
from orchestrator.scenario.cell_settings import Base, CellSettings
from orchestrator.scenario.matrix import Draft
from orchestrator.scenario.model import (
    EMBEDDED,
    FAST,
    HOST,
    TREE_IN_IMAGE,
    Cell,
    EngineOptions,
    FirmwareOptions,
)
from orchestrator.scenario.named import Named
from orchestrator.topology.shapes import known_shapes
from orchestrator.vocabulary.document import Node, Scalar
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.parameters import Parameter, check
from orchestrator.vocabulary.units import short
from orchestrator.words import did_you_mean

_MOST_PLACED = 30_000  # motes that validation lays out; beyond, each run is checked when it is planned


class Resolver:
    """Checks values against their declarations. Faults go to `faults` at the line that set the value."""

    def __init__(
        self, base: dict[str, tuple[int, Node]], faults: Faults, folder: Path | None, first_line: int
    ):
        self.base, self._faults, self._named = Base(base, first_line), faults, Named(faults, folder)

    def paths(self) -> list[str]:
        """Return the paths that a matrix may name, to suggest them for a misspelt one."""
        node = self.base.node("topology.shape")
        shape = known_shapes().get(node.text) if isinstance(node, Scalar) else None
        return [
            "topology.shape",
            *(f"topology.{parameter.name}" for parameter in (shape.parameters if shape else ())),
            "application.name",
            *(
                path
                for path in self.base.settings
                if path.startswith("application.") and path != "application.name"
            ),
            *settings.AXES,
        ]

    def check_base(self) -> None:
        """Check the file's settings outside the matrix, including those that every cell overrides."""
        CellSettings(Draft(), self.base, self._named, self._faults, partial=True).cell()

    def cells(self, drafts: list[Draft]) -> list[Cell]:
        """Return the cells without a fault."""
        varied = dict.fromkeys(path for draft in drafts for path in draft.settings)
        self._unknown_fixed()
        pairs: list[tuple[Draft, Cell]] = []
        for draft in drafts:
            read = CellSettings(draft, self.base, self._named, self._faults)
            cell = read.cell()
            if cell is not None:
                pairs.append(
                    (
                        draft,
                        replace(
                            cell, settings={path: read.shown[path] for path in varied if path in read.shown}
                        ),
                    )
                )
        if not self.base.doubtful:
            self._place_all(pairs)
        self._unknown_in_all(set(varied))
        return [cell for _, cell in pairs]

    def engine_options(self) -> EngineOptions:
        """Return the options of the engine; a path is relative to the scenario's folder."""
        values = self._machine(settings.ENGINE)
        return EngineOptions(
            path=self._named.seen(values.get("engine.path")),
            heap=values.get("engine.heap"),
            image=values.get("engine.image") or None,
            plain=bool(values.get("engine.plain")),
        )

    def firmware_options(self, drafts: list[Draft]) -> FirmwareOptions:
        """Return the options for firmware; a tree's path is relative to the scenario's folder.

        `drafts`: the cells as they are written, which may set other sources and builders. Whether an option
        applies depends on what is written, not on the cells without a fault, of which there may be none.
        """
        values = self._machine(settings.FIRMWARE)
        tree, time = values.get("firmware.tree"), values.get("firmware.time")
        options = FirmwareOptions(
            source=values.get("firmware.source") or EMBEDDED,
            builder=values.get("firmware.builder") or HOST,
            image=values.get("firmware.image") or None,
            tree=tree if tree == TREE_IN_IMAGE else self._named.seen(tree),
            compile=values.get("firmware.compile") or FAST,
            memory=values.get("firmware.memory"),
            seconds=None if time is None else time / 1e6,
        )
        idle: dict[str, tuple[str, str]] = {}  # options that no cell needs: why, and what to do
        if self._written("firmware.builder", HOST, drafts) == {HOST}:
            why = "applies to containers, but the builder is the host"
            idle |= dict.fromkeys(("image", "memory", "time"), (why, "add `builder: docker`"))
        if self._written("firmware.source", EMBEDDED, drafts) == {EMBEDDED}:
            why = "does not apply to the embedded Contiki"
            idle["tree"] = (why, "add `source: contiki-ng`, or leave the tree out")
            idle["compile"] = (why, "add `source: contiki-ng`, or leave it out")
        for name, (why, remedy) in idle.items():
            if path := self.base.settings.get(f"firmware.{name}"):
                self._faults.add(path[0], f"firmware.{name} {why}", remedy)
        return options

    def _written(self, path: str, default: str, drafts: list[Draft]) -> set[str]:
        """Return the cells' values of a path as texts, which may be faulty; "" for unknown values."""
        if path in self.base.doubtful:
            return {""}
        base = self.base.node(path)
        texts = {draft.settings[path].text for draft in drafts if path in draft.settings}
        if any(path not in draft.settings for draft in drafts):
            texts.add(default if base is None else base.text if isinstance(base, Scalar) else "")
        return texts

    def _machine(self, declared: dict[str, Parameter]) -> dict[str, Any]:
        return {
            name: check(parameter, self.base.settings[name][1], name, self._faults)
            for name, parameter in declared.items()
            if name in self.base.settings
        }

    def _place_all(self, drafts: list[tuple[Draft, Cell]]) -> None:
        """Lay cells out, those with the largest counts first.

        Where there are too many to lay out all of them, the largest have most of the faults.
        """

        def size(pair: tuple[Draft, Cell]) -> int:
            return -sum(value for value in pair[1].topology.parameters.values() if type(value) is int)

        placed = 0
        for draft, cell in sorted(drafts, key=size):
            if placed < _MOST_PLACED:
                placed += self._place(draft, cell)

    def _place(self, draft: Draft, cell: Cell) -> int:
        """Note what keeps the cell as a whole from being simulated; return how many motes it has."""
        problems, motes = place.problems(cell)
        for problem in problems:
            self._faults.add(self._line(draft, problem), problem.what, problem.remedy)
        return motes

    def _line(self, draft: Draft, problem: Problem) -> int:
        """Return the line of the problem's setting, or else of what the cell sets in its section."""
        path = f"{problem.section}.{problem.setting}"
        if path in draft.settings:
            return draft.settings[path].line
        if path in self.base.settings:
            return self.base.line(path)
        sections = ("topology", "radio") if problem.section == "topology" else (problem.section,)
        lines = [scalar.line for path, scalar in draft.settings.items() if path.partition(".")[0] in sections]
        return lines[0] if lines else self.base.line(problem.section)

    def _unknown_in_all(self, varied: set[str]) -> None:
        """Fault parameters that no cell has, where only the matrix chooses the shape or application."""
        for path, (line, _) in self.base.settings.items():
            section, _, name = path.partition(".")
            selector = {"topology": "topology.shape", "application": "application.name"}.get(section)
            if (
                name
                and selector in varied
                and selector not in self.base.settings
                and path not in self.base.used
            ):
                self._faults.add(
                    line,
                    f"no cell's {section} has a parameter {short(name)}",
                    "remove it, or correct its name",
                )

    def _unknown_fixed(self) -> None:
        for path, (line, _) in self.base.settings.items():
            section, _, name = path.partition(".")
            declared = settings.FIXED | settings.MACHINE
            if section in ("radio", "engine", "firmware") and name and path not in declared:
                names = [other.partition(".")[2] for other in declared if other.startswith(section + ".")]
                self._faults.add(line, f"{section} has no setting {short(name)}", did_you_mean(name, names))
