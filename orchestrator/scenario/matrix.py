# SPDX-License-Identifier: Apache-2.0
"""Reads the matrix: the product of its axes, minus what `exclude` names, plus the cells that `include` adds.

An axis is either a setting's path with values (plain, or {label, value}), or a name of the user's choice with
bundles: several settings that change together, with a label.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field

from orchestrator.errors import FaultyInput
from orchestrator.scenario.settings import MOST_CELLS, may_vary
from orchestrator.vocabulary import document
from orchestrator.vocabulary.document import KINDS, Mapping, Node, Scalar, Sequence, wrong_kind
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.units import short
from orchestrator.words import did_you_mean

ONLY_CELL = "base"  # the name of a cell that no axis names
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?", re.ASCII)
LABEL = re.compile(r"[A-Za-z0-9._+%=-]{0,32}", re.ASCII)
AXIS = re.compile(r"[a-z][a-z0-9_-]{0,31}", re.ASCII)


@dataclass(frozen=True)
class Choice:
    """One point of an axis. `named`: its label may stand alone in a cell's name (given, or a number)."""

    label: str
    named: bool
    settings: dict[str, Scalar]


@dataclass(frozen=True)
class Axis:
    """An axis of the matrix: the setting or bundle that it varies, its choices, and its line in the file."""

    name: str
    choices: tuple[Choice, ...]
    line: int

    def words(self) -> dict[str, Choice]:
        """Return the choices by the words that `exclude` may use: labels, and a plain axis's values."""
        words = {
            choice.settings[self.name].text: choice for choice in self.choices if self.name in choice.settings
        }
        return words | {choice.label: choice for choice in self.choices}


@dataclass(frozen=True)
class Draft:
    """A cell before its values are checked: its name and the settings on top of the file's base."""

    name: str = ONLY_CELL
    settings: dict[str, Scalar] = field(default_factory=dict)
    line: int = 0
    chosen: dict[str, Choice] = field(default_factory=dict)


class MatrixReader:
    """Reads a matrix into drafts of cells; faults go to `faults`. `paths`: those that remedies offer."""

    def __init__(self, faults: Faults, paths: list[str]):
        self.faults, self.paths = faults, paths

    def drafts(self, node: Node | None) -> list[Draft]:
        """Return all cells in order; [] only after noting a fault."""
        if node is None:
            return [Draft()]
        if not isinstance(node, Mapping):
            wrong_kind(node, "matrix", "write a mapping of settings to lists of values", self.faults)
            return []
        before = len(self.faults)
        axes = [
            axis
            for key, value in node
            if key.text not in ("exclude", "include") and (axis := self.axis(key, value))
        ]
        self.overlaps(axes)
        excluded, included = node.get("exclude"), node.get("include")
        cells = self.product(axes, node.line) if axes or included is None else []
        cells = self.exclude(cells, axes, excluded) if excluded is not None else cells
        cells += self.include(included, axes) if included is not None else []
        if not cells and len(self.faults) == before:
            self.faults.add(node.line, "the matrix leaves no cell", "exclude less")
        first: dict[str, int] = {}
        for cell in cells:
            if cell.name in first:
                remedy = "give the axes' values labels that distinguish the cells"
                self.faults.add(cell.line, f"two cells are named {cell.name}", remedy)
            first[cell.name] = cell.line
        return cells

    def axis(self, key: Scalar, node: Node) -> Axis | None:
        plain = may_vary(key.text)
        if not plain and ("." in key.text or not AXIS.fullmatch(key.text) or not self.bundles(node)):
            self.unknown(key)
            return None
        if not isinstance(node, Sequence) or not node.items:
            self.faults.add(
                node.line, f"axis {key.text} has no list of values", f"write `{key.text}: [one, another]`"
            )
            return None
        read = self.plain if plain else self.bundle
        choices: dict[str, Choice] = {}
        for item in node.items:
            choice = read(key.text, item)
            if choice is not None and choice.label in choices:
                self.faults.add(
                    item.line, f"axis {key.text} has {short(choice.label)} twice", "remove one, or label them"
                )
            elif choice is not None:
                choices[choice.label] = choice
        return Axis(key.text, tuple(choices.values()), key.line) if choices else None

    def bundles(self, node: Node) -> bool:
        return isinstance(node, Sequence) and all(isinstance(item, Mapping) for item in node.items)

    def unknown(self, key: Scalar) -> None:
        if key.text == "seeds" or key.text == "experiment":
            self.faults.add(
                key.line,
                f"{key.text} is not an axis",
                f"set `{key.text}:` outside the matrix; it holds for all cells",
            )
        else:
            self.faults.add(
                key.line, f"{short(key.text)} is not a setting", did_you_mean(key.text, self.paths)
            )

    def plain(self, name: str, item: Node) -> Choice | None:
        if isinstance(item, Scalar):
            return Choice(item.text.replace(" ", ""), bool(_NUMBER.fullmatch(item.text)), {name: item})
        if isinstance(item, Mapping) and isinstance(value := item.get("value"), Scalar):
            for key, _ in item:
                if key.text not in ("label", "value"):
                    self.faults.add(
                        key.line, f"{short(key.text)} beside a value", "a value has a label and nothing else"
                    )
            label = self.label(item)
            return Choice(value.text if label is None else label, label is not None, {name: value})
        self.faults.add(
            item.line, f"axis {name}: not a value", f"write a value, or {{label: A, value: ...}} for {name}"
        )
        return None

    def bundle(self, name: str, item: Node) -> Choice | None:
        label = self.label(item)
        if label is None:
            self.faults.add(
                item.line, f"a bundle of {name} has no label", "add `label:`; cells are named by it"
            )
            return None
        return Choice(label, True, self.settings(item))

    def label(self, item: Mapping) -> str | None:
        node = item.get("label")
        if node is None:
            return None
        if not isinstance(node, Scalar) or not LABEL.fullmatch(node.text):
            text = repr(node.text[:40]) if isinstance(node, Scalar) else KINDS[type(node)]
            self.faults.add(
                node.line, f"{text} is not a valid label", "use at most 32 letters, digits and . _ + - % ="
            )
            return f"?{len(self.faults)}"  # no second fault because two bad ones look alike
        return node.text

    def settings(self, item: Mapping) -> dict[str, Scalar]:
        values = {}
        for key, value in item:
            if key.text == "label":
                continue
            if not may_vary(key.text):
                self.unknown(key)
            elif not isinstance(value, Scalar):
                wrong_kind(value, key.text, "write one value", self.faults)
            else:
                values[key.text] = value
        return values

    def overlaps(self, axes: list[Axis]) -> None:
        owner: dict[str, Axis] = {}
        for axis in axes:
            for path in dict.fromkeys(path for choice in axis.choices for path in choice.settings):
                if path in owner:
                    what = (
                        f"{path} is set by axis {axis.name} and by axis {owner[path].name} (line "
                        f"{owner[path].line})"
                    )
                    self.faults.add(axis.line, what, "let one axis set it")
                owner.setdefault(path, axis)

    def product(self, axes: list[Axis], line: int) -> list[Draft]:
        count = 1
        for axis in axes:
            count *= len(axis.choices)
        if count > MOST_CELLS:
            self.faults.add(
                line,
                f"the matrix has {count} cells",
                f"at most {MOST_CELLS} can be planned at once; split it",
            )
            return []
        combinations = list(itertools.product(*(axis.choices for axis in axes)))
        joined = all(choice.named for axis in axes for choice in axis.choices) and not any(
            map(_runs_together, combinations)
        )
        return [
            Draft(
                name=("".join(choice.label for choice in chosen) if joined else _long_name(axes, chosen))
                or ONLY_CELL,
                settings={path: scalar for choice in chosen for path, scalar in choice.settings.items()},
                line=line,
                chosen={axis.name: choice for axis, choice in zip(axes, chosen, strict=True)},
            )
            for chosen in combinations
        ]

    def exclude(self, cells: list[Draft], axes: list[Axis], node: Node) -> list[Draft]:
        if not isinstance(node, Sequence):
            wrong_kind(node, "exclude", "write a list: [{axis: value, another: value}]", self.faults)
            return cells
        by_name = {axis.name: axis for axis in axes}
        dropped: set[int] = set()
        for item in node.items:
            wanted = self.wanted(item, by_name)
            if wanted is None:
                continue
            matched = {
                number for number, cell in enumerate(cells) if all(_matches(cell, *want) for want in wanted)
            }
            if not matched:
                self.faults.add(item.line, "this exclude matches no cell", "remove it, or correct its values")
            dropped |= matched
        return [cell for number, cell in enumerate(cells) if number not in dropped]

    def wanted(self, item: Node, axes: dict[str, Axis]) -> list[tuple[str, set[str]]] | None:
        if not isinstance(item, Mapping) or not item.pairs:
            self.faults.add(item.line, "not an exclude", "write a mapping: {axis: value, another: value}")
            return None
        before = len(self.faults)
        wanted = []
        for key, value in item:
            words = (
                [value]
                if isinstance(value, Scalar)
                else list(value.items)
                if isinstance(value, Sequence)
                else []
            )
            texts = {word.text for word in words if isinstance(word, Scalar)}
            inner = {path for axis in axes.values() for choice in axis.choices for path in choice.settings}
            if key.text not in axes and key.text not in inner:
                self.faults.add(key.line, f"no axis {short(key.text)}", did_you_mean(key.text, axes))
            elif key.text in axes:
                for text in sorted(texts - set(axes[key.text].words())):
                    suggestion = did_you_mean(text, axes[key.text].words())
                    self.faults.add(value.line, f"axis {key.text} has no {short(text)}", suggestion)
            wanted.append((key.text, texts))
        return wanted if len(self.faults) == before else None

    def include(self, node: Node, axes: list[Axis]) -> list[Draft]:
        if not isinstance(node, Sequence):
            wrong_kind(node, "include", "write a list: [{label: X, setting: value}]", self.faults)
            return []
        cells = []
        for item in node.items[:MOST_CELLS]:
            if not isinstance(item, Mapping) or not item.pairs:
                self.faults.add(
                    item.line, "not a cell", "write a mapping: {label: X, topology.publishers: 7}"
                )
                continue
            label, settings = self.label(item), self.settings(item)
            name = label or ",".join(
                f"{path}={scalar.text.replace(' ', '')}" for path, scalar in settings.items()
            )
            cells.append(Draft(name or ONLY_CELL, settings, item.line))
        if len(node.items) > MOST_CELLS:
            self.faults.add(node.line, f"include has {len(node.items)} cells", f"at most {MOST_CELLS}")
        return cells


def chosen(text: str) -> dict[str, dict[str, Choice]]:
    """Return each cell's choice on each axis of a scenario's matrix, in the file's order.

    It is for a scenario that was checked before, such as one that a store keeps: there is no cell if the text
    has a fault or no matrix.
    """
    faults = Faults("scenario")
    try:
        root = document.mapping(text, faults, "no scenario", "")
    except FaultyInput:
        return {}
    matrix = root.get("matrix")
    cells = [] if matrix is None else MatrixReader(faults, []).drafts(matrix)
    return {} if len(faults) else {cell.name: cell.chosen for cell in cells}


def _runs_together(chosen: tuple[Choice, ...]) -> bool:
    """Whether two numbers would stand side by side in a joined name: 1 and 10 would read as 110."""
    labels = [choice.label for choice in chosen if choice.label]
    return any(first[-1].isdigit() and other[0].isdigit() for first, other in itertools.pairwise(labels))


def _long_name(axes: list[Axis], chosen: tuple[Choice, ...]) -> str:
    """Return `axis=value` for all axes, joined by commas.

    An axis is named by the last word of its path, unless another axis has the same.
    """
    last = [axis.name.rpartition(".")[2] for axis in axes]
    names = [word if last.count(word) == 1 else axis.name for word, axis in zip(last, axes, strict=True)]
    return ",".join(f"{name}={choice.label}" for name, choice in zip(names, chosen, strict=True))


def _matches(cell: Draft, key: str, texts: set[str]) -> bool:
    if key in cell.chosen:
        choice = cell.chosen[key]
        own = {choice.label} | ({choice.settings[key].text} if key in choice.settings else set())
        return bool(own & texts)
    return key in cell.settings and cell.settings[key].text in texts
