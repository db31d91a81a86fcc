# SPDX-License-Identifier: Apache-2.0
"""Declares parameters (of topologies, applications, the radio) and checks written values against them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from orchestrator import feature
from orchestrator.vocabulary import units
from orchestrator.vocabulary.document import Node, Scalar, wrong_kind
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.units import NotAQuantity, short
from orchestrator.words import did_you_mean

QUANTITIES = (units.LENGTH, units.TIME, units.RATIO, units.RATE, units.SIZE)
TYPES = ("int", "number", "bool", "choice", "text", "file", "motes", *QUANTITIES)
INT = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)
NUMBER = re.compile(r"[+-]?[0-9]{1,18}(\.[0-9]{1,18})?", re.ASCII)
MOST_TEXT = 256
MOTES = re.compile(
    r"[A-Za-z][A-Za-z0-9_.-]{0,31}( +[A-Za-z][A-Za-z0-9_.-]{0,31})*", re.ASCII
)  # names, or "none"
NO_MOTES = "none"


class ParameterType(NamedTuple):
    """A type of parameters that a feature brings.

    `convert`: from the text in a scenario to the inner value; raises NotAQuantity. `pattern`: a regular
    expression for editors (JSON Schema) that the whole text matches.
    """

    convert: Callable[[str], Any]
    pattern: str


@dataclass(frozen=True)
class Parameter:
    """One setting: its type (one of TYPES, or a feature's), default, limits (both included) and choices.

    `default`, `minimum` and `maximum` are inner values (int us, float metres, ratio 0..1, bit/s, int, bool,
    str); default None means that the file must set it.
    """

    name: str
    type: str
    default: Any = None
    minimum: Any = None
    maximum: Any = None
    choices: tuple[str, ...] = ()
    help: str = ""

    def show(self, value: Any) -> str:
        """Return `value` as a scenario file writes it."""
        if self.type in QUANTITIES:
            return units.show(value, self.type)
        if self.type == "bool":
            return "true" if value else "false"
        return str(value)

    def plain(self, value: Any) -> Any:
        """Return `value` for tables and manifests: bool, int and float as they are, quantities as text."""
        return value if self.type in ("int", "number", "bool") else self.show(value)

    def limits(self) -> str:
        """Return its choices or range in words; "" if any value will do."""
        if self.type == "bool":
            return "true or false"
        if self.choices:
            return ", ".join(self.choices)
        low = None if self.minimum is None else self.show(self.minimum)
        high = None if self.maximum is None else self.show(self.maximum)
        if low is not None and low == high:
            return f"only {low}"
        if low is not None and high is not None:
            return f"{low} to {high}"
        return f"at least {low}" if low is not None else f"at most {high}" if high is not None else ""


def by_name(*parameters: Parameter) -> dict[str, Parameter]:
    """Return settings by their names."""
    return {parameter.name: parameter for parameter in parameters}


def check(declared: Parameter, node: Node, path: str, faults: Faults) -> Any:
    """Return the inner value of what was written for `path`, or None after noting what is wrong with it."""
    if not isinstance(node, Scalar):
        wrong_kind(node, path, f"write one value{_example(declared)}", faults)
        return None
    if node.text == "":
        faults.add(node.line, f"{path} has no value", f"write one{_example(declared)}, or remove the line")
        return None
    try:
        value = _convert(declared, node.text)
    except NotAQuantity as wrong:
        faults.add(node.line, f"{path}: {wrong.what}", wrong.remedy)
        return None
    low, high = declared.minimum, declared.maximum
    if (low is not None and value < low) or (high is not None and value > high):
        faults.add(node.line, f"{path}: {short(node.text)} is out of range", f"allowed: {declared.limits()}")
        return None
    return value


def _convert(declared: Parameter, text: str) -> Any:
    kind = declared.type
    if kind in QUANTITIES:
        return units.parse(text, kind)
    if kind == "int":
        if not INT.fullmatch(text):
            raise NotAQuantity(
                f"{short(text)} is not a whole number", f"write one{_example(declared)}, without a unit"
            )
        return int(text)
    if kind == "number":
        if not NUMBER.fullmatch(text):
            raise NotAQuantity(
                f"{short(text)} is not a number", f"write one{_example(declared)}, without a unit"
            )
        return float(text)
    if kind == "bool":
        if text not in ("true", "false"):
            raise NotAQuantity(f"{short(text)} is neither true nor false", "write true or false")
        return text == "true"
    if kind == "motes":
        return _motes(text)
    if kind not in TYPES:
        return own_type(kind).convert(text)
    if kind == "choice" and text not in declared.choices:
        raise NotAQuantity(f"{short(text)} is not one of its choices", did_you_mean(text, declared.choices))
    if len(text) > MOST_TEXT or not text.isprintable():
        raise NotAQuantity(
            f"{short(text)} is not a plain line of text", f"write at most {MOST_TEXT} printable characters"
        )
    return text


def _motes(text: str) -> str:
    """Return the names of nodes, each once, with one space between them. Raises NotAQuantity."""
    if len(text) > MOST_TEXT or not MOTES.fullmatch(text):
        raise NotAQuantity(
            f"{short(text)} is not a list of nodes",
            "write their names with spaces between them, such as S P3, or none",
        )
    names = text.split()
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice or (NO_MOTES in names and len(names) > 1):
        raise NotAQuantity(
            f"{short(text)} {f'names {twice[0]} twice' if twice else 'has none and others'}",
            "name each node once",
        )
    return " ".join(names)


def own_type(name: str) -> ParameterType:
    """Return a type of parameters that a feature brings."""
    return feature.resolve(feature.named("parameter_types")[name])


def listed(value: str) -> list[str]:
    """Return the names in a value that lists motes or files."""
    return [] if value == NO_MOTES else value.split()


def _example(declared: Parameter) -> str:
    if declared.default is not None:
        return f", such as {declared.show(declared.default)}"
    limits = declared.limits()
    return f" ({limits})" if limits else ""
