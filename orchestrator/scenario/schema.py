# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema (2020-12) of scenario files, for editors, from the tables that the loader checks.

What loads is valid. What is valid may still be refused where a schema cannot see it: the range of a quantity,
cells that lack a setting, labels that collide, and what a YAML reader has already turned into the same value
(5 and 5.0).
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from orchestrator.applications import descriptor
from orchestrator.applications.descriptor import NAME
from orchestrator.scenario import matrix, seeds, settings
from orchestrator.topology import own as own_shapes
from orchestrator.topology.shapes import SHAPES
from orchestrator.vocabulary import parameters, units
from orchestrator.vocabulary.parameters import QUANTITIES, Parameter
from orchestrator.vocabulary.simulators import ENGINES

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_ASCII_SPACE = r"[ \t\n\r\f\v]"
# An application or a topology of the user's own, whose parameters only the loader can know.
_OWN = {"type": "string", "pattern": r"^\s*(?:\.|\.\.|.*/.*)\s*$"}
_OWN_SHAPE = {"type": "string", "pattern": r"^\s*(?:.*/.*|.*\.py)\s*$"}
_OWN_PATH = f"^(?:application|topology)\\.(?:{NAME.pattern})$"
_SCALAR = {"type": ["string", "number", "boolean", "null"]}


def schema() -> dict[str, Any]:
    """The schema of what this installation loads: its shapes, its applications, its engines."""
    topology = {name: {p.name: p for p in shape.parameters} for name, shape in SHAPES.items()}
    application = {name: dict(descriptor.load(name).parameters) for name in descriptor.names()}
    selectors = {
        "topology.shape": _or_a_path(
            _selector(
                {name: shape.summary for name, shape in SHAPES.items()}
                | dict.fromkeys(own_shapes.installed(), "installed"),
                "how the motes stand",
            ),
            _OWN_SHAPE,
            "a Python file",
        ),
        "application.name": _or_a_path(
            _selector({name: descriptor.load(name).summary for name in application}, "what the motes run"),
            _OWN,
            "an application's folder",
        ),
    }
    paths = _paths(topology, application) | selectors | {"engine": _engine_name()}
    return {
        "$schema": DIALECT,
        "title": "orchestrate scenario",
        "type": "object",
        "properties": {
            "experiment": {
                "type": ["string", "number"],
                "pattern": _text(settings.EXPERIMENT),
                "description": "results are stored under this name",
            },
            "topology": _section("shape", selectors["topology.shape"], topology, foreign=True),
            "radio": _fixed_section("radio"),
            "application": _section("name", selectors["application.name"], application, foreign=True),
            "engine": {"anyOf": [_engine_name(), _fixed_section("engine")]},
            "firmware": _fixed_section("firmware"),
            "seeds": _seeds(),
            "metrics": _metrics(),
            "matrix": _matrix(paths),
            **{path: _value(declared) for path, declared in settings.RUN.items() if "." not in path},
        },
        "additionalProperties": False,
        "required": ["experiment", "seeds"],
        "if": {"required": ["matrix"]},  # which may set all the others
        "else": _needed(topology, application),
        "allOf": [_axes_of_shapes(topology)],
        "$defs": {
            **{dimension: _quantity(dimension) for dimension in QUANTITIES},
            "label": {
                **_SCALAR,
                "pattern": _text(matrix.LABEL.pattern),
                "description": "stands for it in names of cells",
            },
            "settings": {
                "type": "object",
                "properties": {"label": _ref("label"), **{path: _ref(f"path:{path}") for path in paths}},
                "patternProperties": {_OWN_PATH: True},
                "additionalProperties": False,
            },
            **{f"path:{path}": value for path, value in paths.items()},
        },
    }


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


def _text(pattern: str) -> str:
    """A pattern of the loader's, which sees text without the white space around it, and ASCII only."""
    return rf"^\s*(?:{pattern.replace(chr(92) + 's', _ASCII_SPACE)})\s*$"


# -- values


def _value(declared: Parameter) -> dict[str, Any]:
    """One setting. Numbers and switches may be quoted, as the loader reads text."""
    limits = declared.limits()
    about: dict[str, Any] = {"description": f"{declared.help} ({limits})" if limits else declared.help}
    if declared.default is not None:
        about["default"] = declared.plain(declared.default)
    bounds = {
        word: value
        for word, value in (("minimum", declared.minimum), ("maximum", declared.maximum))
        if value is not None
    }
    kind = declared.type
    if kind == units.RATIO:
        return _ref(kind) | bounds | about  # the bounds are for a ratio without a unit
    if kind in QUANTITIES:
        return _ref(kind) | about
    if kind == "int":
        return {"type": ["integer", "string"], "pattern": _text(parameters.INT.pattern)} | bounds | about
    if kind == "number":
        return {"type": ["number", "string"], "pattern": _text(parameters.NUMBER.pattern)} | bounds | about
    if kind == "bool":
        return {"type": ["boolean", "string"], "pattern": _text("true|false")} | about
    if kind == "motes":
        return {"type": "string", "pattern": _text(parameters.MOTES.pattern)} | about
    if kind == "choice":
        return {"enum": _choices(declared.choices)} | about
    return {"type": ["string", "number", "boolean"], "minLength": 1} | about


def _choices(words: tuple[str, ...]) -> list[Any]:
    """The words, and the values that a YAML reader makes of those that look like numbers or switches."""
    read = [float(word) for word in words if parameters.NUMBER.fullmatch(word)]
    return [
        *words,
        *read,
        *({"true": True, "false": False}[word] for word in words if word in ("true", "false")),
    ]


def _selector(summaries: dict[str, str], help: str) -> dict[str, Any]:
    listed = "; ".join(f"{name}: {summary}" for name, summary in summaries.items())
    return {"enum": list(summaries), "description": f"{help} - {listed}"}


def _or_a_path(selector: dict[str, Any], path: dict[str, Any], of: str) -> dict[str, Any]:
    names = {"enum": selector["enum"]}
    return {"anyOf": [names, path], "description": selector["description"] + f"; or the path of {of}"}


def _quantity(dimension: str) -> dict[str, Any]:
    """A number and a unit; of a time or a rate, only those that are whole microseconds or bit/s."""
    digits, whole = units.MOST_DIGITS, dimension in (units.TIME, units.RATE, units.SIZE)
    by_decimals: dict[str, list[str]] = {}
    for unit, size in units.UNITS[dimension].items():
        by_decimals.setdefault(_decimals(size) if whole else "[0-9]+", []).append(unit)
    alternatives = [
        rf"(?:\.(?=[0-9]{{1,{digits}}}(?![0-9])){decimals})?{_ASCII_SPACE}*(?:{'|'.join(names)})"
        for decimals, names in by_decimals.items()
    ]
    bare = dimension == units.RATIO
    if bare:
        alternatives.append(rf"(?:\.[0-9]{{1,{digits}}})?")
    known = ", ".join(units.UNITS[dimension])
    return {
        "type": ["string", "number"] if bare else "string",
        "pattern": rf"^\s*[+-]?[0-9]{{1,{digits}}}(?:{'|'.join(alternatives)})\s*$",
        "patternErrorMessage": f"a {dimension} is a number with one of {known}, such as "
        f"{units.EXAMPLES[dimension]}",
        "examples": [units.EXAMPLES[dimension]],
    }


def _decimals(size: Decimal) -> str:
    """The decimals d, as a pattern, with which 0.d of a unit is a whole number of the inner unit, `size` to
    the unit.

    Of a minute (60,000,000 us): any seven digits, an eighth that is 5, then zeros.
    """
    twos, fives = (next(power for power in range(64) if int(size) % prime ** (power + 1)) for prime in (2, 5))
    free, prime = min(twos, fives), 5 if twos > fives else 2
    ends = [
        f"{number:0{count}d}"
        for count in range(1, abs(twos - fives) + 1)
        for number in range(0, 10**count, prime**count)
        if number % 10
    ]
    any_digits = f"[0-9]{{0,{free}}}"
    return f"(?:{any_digits}|[0-9]{{{free}}}(?:{'|'.join(ends)}))0*" if ends else f"{any_digits}0*"


def _seeds() -> dict[str, Any]:
    one = {
        "type": ["integer", "string"],
        "minimum": 0,
        "maximum": settings.MOST_SEED,
        "pattern": _text(seeds.RANGE.pattern),
    }
    many = {"type": "array", "items": one, "minItems": 1, "uniqueItems": True}
    return {
        "anyOf": [one, many],
        "description": "one run per cell and seed: 7, 1..30, or a list of both",
        "examples": ["1..30"],
    }


def _metrics() -> dict[str, Any]:
    one = {"type": "string", "minLength": 1}
    return {
        "anyOf": [one, {"type": "array", "items": one}],
        "examples": ["./my_metric.py"],
        "description": "your own: Python files, seen from the scenario's folder, or entry points; they are "
        "run",
    }


# -- sections


def _engine_name() -> dict[str, Any]:
    return {"enum": list(ENGINES), "description": settings.RUN["engine.name"].help}


def _fixed_section(section: str) -> dict[str, Any]:
    inside = {
        path.removeprefix(f"{section}."): _value(declared)
        for path, declared in (settings.FIXED | settings.MACHINE).items()
        if path.startswith(f"{section}.")
    }
    return {"type": "object", "properties": inside, "additionalProperties": False}


def _section(
    selector: str, choice: dict[str, Any], owners: dict[str, dict[str, Parameter]], foreign: bool = False
) -> dict[str, Any]:
    """The section topology or application, whose parameters depend on the shape or name unless the matrix
    sets it.

    `foreign`: there may be other shapes or applications, whose parameters are unknown here; a matrix may
    select one of them.
    """

    def only(properties: dict[str, Any]) -> dict[str, Any]:
        return {"properties": {selector: True} | properties, "additionalProperties": False}

    cases = [
        {"if": _chosen(selector, owner), "then": only({name: _value(p) for name, p in declared.items()})}
        for owner, declared in owners.items()
    ]
    if foreign:
        return {"type": "object", "properties": {selector: choice}, "allOf": cases}
    unknown = {"if": {"not": {"required": [selector]}}, "then": only(_union(owners))}
    return {"type": "object", "properties": {selector: choice}, "allOf": [*cases, unknown]}


def _chosen(selector: str, owner: str) -> dict[str, Any]:
    return {"properties": {selector: {"const": owner}}, "required": [selector]}


def _union(owners: dict[str, dict[str, Parameter]]) -> dict[str, Any]:
    """Every parameter of any owner; one that several have may be any of theirs."""
    found: dict[str, list[dict[str, Any]]] = {}
    for declared in owners.values():
        for name, parameter in declared.items():
            value = _value(parameter)
            # Which owner's words an editor shows is all the same; what they allow is not.
            allowed = [
                {key: each[key] for key in each if key not in ("description", "default")}
                for each in (value, *found.get(name, ()))
            ]
            if allowed[0] not in allowed[1:]:
                found.setdefault(name, []).append(value)
    return {name: values[0] if len(values) == 1 else {"anyOf": values} for name, values in found.items()}


def _needed(
    topology: dict[str, dict[str, Parameter]], application: dict[str, dict[str, Parameter]]
) -> dict[str, Any]:
    """What a file without a matrix must set."""

    def section(selector: str, owners: dict[str, dict[str, Parameter]]) -> dict[str, Any]:
        bare = {
            owner: [name for name, p in declared.items() if p.default is None]
            for owner, declared in owners.items()
        }
        cases = [
            {"if": _chosen(selector, owner), "then": {"required": names}}
            for owner, names in bare.items()
            if names
        ]
        return {"required": [selector]} | ({"allOf": cases} if cases else {})

    plain = [path for path, declared in settings.RUN.items() if declared.default is None]
    return {
        "required": ["topology", "application", *plain],
        "properties": {"topology": section("shape", topology), "application": section("name", application)},
    }


# -- the matrix


def _paths(
    topology: dict[str, dict[str, Parameter]], application: dict[str, dict[str, Parameter]]
) -> dict[str, Any]:
    """Every setting that an axis, a bundle or an include may name."""
    return {
        **{f"topology.{name}": value for name, value in _union(topology).items()},
        **{f"application.{name}": value for name, value in _union(application).items()},
        **{path: _value(declared) for path, declared in settings.AXES.items()},
    }


def _matrix(paths: dict[str, Any]) -> dict[str, Any]:
    words = {"anyOf": [_SCALAR, {"type": "array", "items": _SCALAR}]}
    own = {
        "exclude": {
            "type": "array",
            "items": {"type": "object", "minProperties": 1, "additionalProperties": words},
            "description": "cells to leave out, by label or value",
        },
        "include": {
            "type": "array",
            "items": _ref("settings") | {"minProperties": 1},
            "description": "whole cells on top of what is set outside the matrix",
        },
    }
    bundles = {
        "type": "array",
        "minItems": 1,
        "items": _ref("settings") | {"required": ["label"]},
        "description": "settings that change together",
    }
    return {
        "type": "object",
        "properties": {path: _axis(path) for path in paths} | own,
        "patternProperties": {_OWN_PATH: {"type": "array", "minItems": 1}},
        "propertyNames": {
            "anyOf": [
                {"enum": [*paths, *own]},
                {"pattern": f"^(?:{matrix.AXIS.pattern})$"},
                {"pattern": _OWN_PATH},
            ]
        },
        "additionalProperties": bundles,
        "description": "the product of its axes: every combination is a cell",
    }


def _axes_of_shapes(topology: dict[str, dict[str, Parameter]]) -> dict[str, Any]:
    """Where the shape is a built-in one, and no axis is another, a matrix names only parameters of shapes."""
    known = [f"topology.{name}" for name in ("shape", *_union(topology))]
    built_in = {"properties": {"shape": {"enum": list(topology)}}, "required": ["shape"]}
    names = {"anyOf": [{"enum": known}, {"not": {"pattern": r"^topology\."}}]}
    return {
        "if": {
            "properties": {"topology": built_in, "matrix": {"not": {"required": ["topology.shape"]}}},
            "required": ["topology"],
        },
        "then": {"properties": {"matrix": {"propertyNames": names}}},
    }


def _axis(path: str) -> dict[str, Any]:
    labelled = {
        "type": "object",
        "properties": {"label": _ref("label"), "value": _ref(f"path:{path}")},
        "required": ["value"],
        "additionalProperties": False,
    }
    return {
        "type": "array",
        "minItems": 1,
        "uniqueItems": True,
        "items": {"anyOf": [_ref(f"path:{path}"), labelled]},
    }
