# SPDX-License-Identifier: Apache-2.0
"""Reads what policies may call and name in `with` lists, as every policy-extension.yaml describes it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from orchestrator.errors import FaultyInput
from orchestrator.features.policies.types import INT, LONG, VOID, WRITTEN, Scalar
from orchestrator.resources import contiki_apps
from orchestrator.vocabulary.faults import Faults

FILE = "policy-extension.yaml"
_KEYS = {"name", "with", "module", "header", "functions", "constants"}


@dataclass(frozen=True)
class Function:
    """A function that policies call. `c`: its name in C. `module`: of the middleware, that has it."""

    name: str
    c: str
    arguments: tuple[Scalar, ...]
    result: Scalar
    header: str = ""
    module: str = ""


@dataclass(frozen=True)
class Constant:
    """A constant that policies read. `c`: how C writes it. `module`: of the middleware, that has it."""

    name: str
    c: str
    type: Scalar
    header: str = ""
    module: str = ""


@dataclass(frozen=True)
class Library:
    """All that extensions declare.

    `functions`: by name; those of one name differ in their arguments. `with_bits`: the bits of extensions
    that a `with` list can name; `modules`: of the middleware, that these extensions are.
    """

    functions: dict[str, tuple[Function, ...]] = field(default_factory=dict)
    constants: dict[str, Constant] = field(default_factory=dict)
    with_bits: dict[str, int] = field(default_factory=dict)
    modules: dict[str, str] = field(default_factory=dict)
    names: frozenset[str] = frozenset()


# The functions of the language itself; the paper's Figure 3 gives `abs` two arguments.
BUILT_IN = {
    "abs": (
        Function("abs", "int_abs", (INT,), INT),
        Function("abs", "int_distance", (INT, INT), INT),
        Function("abs", "long_abs", (LONG,), LONG),
        Function("abs", "long_distance", (LONG, LONG), LONG),
    )
}


@cache
def built_in() -> Library:
    """Return the declarations of the middleware's extensions."""
    return load(sorted(contiki_apps().glob(f"**/{FILE}")))


def with_more(files: Iterable[Path]) -> Library:
    """Return the declarations of the middleware's extensions and of other files."""
    more = list(files)
    return load([*sorted(contiki_apps().glob(f"**/{FILE}")), *more]) if more else built_in()


def load(files: Iterable[Path]) -> Library:
    """Read descriptions. Raises FaultyInput with every fault in them."""
    functions, constants, bits, modules, names = dict(BUILT_IN), {}, {}, {}, set()
    faults: list = []
    for path in files:
        problems = Faults(str(path))
        for entry in _entries(path, problems):
            reading = _Entry(entry, problems)
            names.add(reading.name)
            functions.update({name: (function,) for name, function in reading.functions().items()})
            constants.update(reading.constants())
            if (bit := reading.bit()) is not None:
                bits[reading.name] = bit
                modules[reading.name] = reading.module
        try:
            problems.raise_any()
        except FaultyInput as error:
            faults += error.faults
    if faults:
        raise FaultyInput(faults)
    return Library(functions, constants, bits, modules, frozenset(names))


def _entries(path: Path, faults: Faults) -> list[dict[str, Any]]:
    try:
        held = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        mark = getattr(error, "problem_mark", None)
        faults.add(mark.line + 1 if mark else 0, "the file is not YAML", "docs/policies.md has an example")
        return []
    entries = held if isinstance(held, list) else [held]
    good = [entry for entry in entries if isinstance(entry, dict) and isinstance(entry.get("name"), str)]
    if len(good) < len(entries):
        faults.add(0, "an extension has no name", "write name: and the name that policies use")
    return good


class _Entry:
    """One extension's description."""

    def __init__(self, entry: dict[str, Any], faults: Faults):
        self.entry, self.faults, self.name = entry, faults, entry["name"]
        for key in entry.keys() - _KEYS:
            faults.add(0, f"{self.name} has an unknown key {key}", f"keys are {', '.join(sorted(_KEYS))}")
        self.header, self.module = str(entry.get("header", "")), str(entry.get("module", ""))

    def bit(self) -> int | None:
        bit = self.entry.get("with")
        if bit is not None and (not isinstance(bit, int) or bit not in {1 << place for place in range(8)}):
            self.faults.add(
                0, f"{self.name}: with: {bit} is not one bit of a byte", "take one of 0x01 to 0x80"
            )
            return None
        return bit

    def functions(self) -> dict[str, Function]:
        functions_ = {}
        for name, entry in self._members("functions"):
            arguments = tuple(self._type(kind) for kind in entry.get("arguments", ()))
            result = self._type(entry.get("result", "void"))
            functions_[name] = Function(
                name, str(entry.get("c", name)), arguments, result, self.header, self.module
            )
        return functions_

    def constants(self) -> dict[str, Constant]:
        return {
            name: Constant(
                name, str(entry.get("c", name)), self._type(entry.get("type")), self.header, self.module
            )
            for name, entry in self._members("constants")
        }

    def _members(self, key: str) -> list[tuple[str, dict[str, Any]]]:
        held = self.entry.get(key) or {}
        if not isinstance(held, dict) or not all(isinstance(value, dict) for value in held.values()):
            self.faults.add(
                0, f"{self.name}: {key} is not a mapping of names", "docs/policies.md has an example"
            )
            return []
        return [(str(name), value) for name, value in held.items()]

    def _type(self, written: object) -> Scalar:
        if written == "void":
            return VOID
        if written not in WRITTEN:
            self.faults.add(0, f"{self.name}: no type {written}", f"types are {', '.join(WRITTEN)}, void")
            return INT
        return WRITTEN[str(written)]
