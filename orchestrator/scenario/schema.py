# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema (2020-12) of scenario files, for editors, from the tables that the loader checks.

What loads is valid. What is valid may still be refused where a schema cannot see it: the range of a quantity,
cells that lack a setting, labels that collide, and what a YAML reader has already turned into the same value
(5 and 5.0).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from orchestrator import feature
from orchestrator.applications import descriptor
from orchestrator.applications.descriptor import NAME
from orchestrator.scenario import matrix, recorded, seeds, settings
from orchestrator.topology import own as own_shapes
from orchestrator.topology.shapes import known_shapes
from orchestrator.vocabulary import json_schema
from orchestrator.vocabulary.parameters import Parameter
from orchestrator.vocabulary.simulators import engines

# An application or a topology of the user's own, whose parameters only the loader can know.
_OWN = {"type": "string", "pattern": r"^\s*(?:\.|\.\.|.*/.*)\s*$"}
_OWN_SHAPE = {"type": "string", "pattern": r"^\s*(?:.*/.*|.*\.py)\s*$"}
_OWN_PATH = f"^(?:application|topology)\\.(?:{NAME.pattern})$"
_OF_SUBJECTS = f"^(?:{'|'.join(feature.named('subjects')) or '!'})\\..+$"
_SCALAR = {"type": ["string", "number", "boolean", "null"]}


def schema() -> dict[str, Any]:
    """Return the schema of scenarios, with the shapes, applications and engines of this installation."""
    topology = {name: {p.name: p for p in shape.parameters} for name, shape in known_shapes().items()}
    application = {name: dict(descriptor.load(name).parameters) for name in descriptor.names()}
    selectors = _selectors(application)
    paths = _paths(topology, application) | selectors | {"engine": _engine_name()}
    return {
        "$schema": json_schema.DIALECT,
        "title": "orchestrate scenario",
        "type": "object",
        "properties": {
            "experiment": {
                "type": ["string", "number"],
                "pattern": json_schema.text(settings.EXPERIMENT),
                "description": "results are stored under this name",
            },
            "topology": _section("shape", selectors["topology.shape"], topology),
            "radio": _fixed_section("radio"),
            "application": _section("name", selectors["application.name"], application),
            "engine": {"anyOf": [_engine_name(), _fixed_section("engine")]},
            "firmware": _fixed_section("firmware"),
            "seeds": seed_list(),
            "record": recorded.schema(),
            "metrics": _metrics(),
            "spark": master(),
            "matrix": _matrix(paths),
            **{
                key: feature.resolve(module).schema()
                for key, module in feature.named("scenario_keys").items()
            },
            **{
                path: json_schema.value(declared)
                for path, declared in settings.RUN.items()
                if "." not in path
            },
            **_subjects(),
        },
        "additionalProperties": False,
        "required": ["experiment", "seeds"],
        # A matrix may set all the others; what a feature simulates needs no application.
        "if": {"anyOf": [{"required": [key]} for key in ("matrix", *feature.named("subjects"))]},
        "else": _needed(topology, application),
        "allOf": [_axes_of_shapes(topology)],
        "$defs": _definitions(paths),
    }


def _subjects() -> dict[str, Any]:
    schemas: dict[str, Any] = {}
    for module in dict.fromkeys(feature.named("subjects").values()):
        schemas |= feature.resolve(module).schema()
    return schemas


def _definitions(paths: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {
        **json_schema.definitions(),
        "label": {
            **_SCALAR,
            "pattern": json_schema.text(matrix.LABEL.pattern),
            "description": "stands for it in names of cells",
        },
        "settings": {
            "type": "object",
            "properties": {
                "label": json_schema.ref("label"),
                **{path: json_schema.ref(f"path:{path}") for path in paths},
            },
            "patternProperties": {_OWN_PATH: True, _OF_SUBJECTS: True},
            "additionalProperties": False,
        },
        **{f"path:{path}": value for path, value in paths.items()},
    }


def _selectors(applications: Iterable[str]) -> dict[str, dict[str, Any]]:
    shapes = {name: shape.summary for name, shape in known_shapes().items()}
    shapes |= dict.fromkeys(own_shapes.installed(), "installed")
    summaries = {name: descriptor.load(name).summary for name in applications}
    return {
        "topology.shape": _or_a_path(_selector(shapes, "how the motes stand"), _OWN_SHAPE, "a Python file"),
        "application.name": _or_a_path(
            _selector(summaries, "what the motes run"), _OWN, "an application's folder"
        ),
    }


def _selector(summaries: dict[str, str], help: str) -> dict[str, Any]:
    listed = "; ".join(f"{name}: {summary}" for name, summary in summaries.items())
    return {"enum": list(summaries), "description": f"{help} - {listed}"}


def _or_a_path(selector: dict[str, Any], path: dict[str, Any], of: str) -> dict[str, Any]:
    names = {"enum": selector["enum"]}
    return {"anyOf": [names, path], "description": selector["description"] + f"; or the path of {of}"}


def seed_list() -> dict[str, Any]:
    """Return the schema of seeds: one, a range, or a list of both."""
    one = {
        "type": ["integer", "string"],
        "minimum": 0,
        "maximum": settings.MOST_SEED,
        "pattern": json_schema.text(seeds.RANGE.pattern),
    }
    many = {"type": "array", "items": one, "minItems": 1, "uniqueItems": True}
    return {
        "anyOf": [one, many],
        "description": "one run per cell and seed: 7, 1..30, or a list of both",
        "examples": ["1..30"],
    }


def master() -> dict[str, Any]:
    """Return the schema of the key `spark`, which a campaign has as well."""
    return {
        "type": "string",
        "pattern": json_schema.text(settings.MASTER),
        "description": settings.MASTER_HELP,
        "examples": ["embedded", "local[*]", "spark://HOST:7077"],
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
    return {"enum": list(engines()), "description": settings.RUN["engine.name"].help}


def _fixed_section(section: str) -> dict[str, Any]:
    inside = {
        path.removeprefix(f"{section}."): json_schema.value(declared)
        for path, declared in (settings.FIXED | settings.MACHINE).items()
        if path.startswith(f"{section}.")
    }
    return json_schema.only(inside)


def _section(
    selector: str, choice: dict[str, Any], owners: dict[str, dict[str, Parameter]]
) -> dict[str, Any]:
    """Return the section topology or application, whose parameters depend on its shape or name.

    They don't if the matrix sets that one. There may be other shapes or applications, whose parameters are
    unknown here.
    """
    cases = [
        {
            "if": _chosen(selector, owner),
            "then": {
                "properties": {
                    selector: True,
                    **{name: json_schema.value(p) for name, p in declared.items()},
                },
                "additionalProperties": False,
            },
        }
        for owner, declared in owners.items()
    ]
    return {"type": "object", "properties": {selector: choice}, "allOf": cases}


def _chosen(selector: str, owner: str) -> dict[str, Any]:
    return {"properties": {selector: {"const": owner}}, "required": [selector]}


def _union(owners: dict[str, dict[str, Parameter]]) -> dict[str, Any]:
    """Every parameter of any owner; one that several have may be any of theirs."""
    found: dict[str, list[dict[str, Any]]] = {}
    for declared in owners.values():
        for name, parameter in declared.items():
            value = json_schema.value(parameter)
            # Descriptions and defaults may differ between owners; only what is allowed makes a difference.
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
    """Return the required settings of a file without a matrix."""

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
        **{path: json_schema.value(declared) for path, declared in settings.AXES.items()},
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
            "items": json_schema.ref("settings") | {"minProperties": 1},
            "description": "whole cells on top of what is set outside the matrix",
        },
    }
    bundles = {
        "type": "array",
        "minItems": 1,
        "items": json_schema.ref("settings") | {"required": ["label"]},
        "description": "settings that change together",
    }
    return {
        "type": "object",
        "properties": {path: _axis(path) for path in paths} | own,
        "patternProperties": {
            _OWN_PATH: {"type": "array", "minItems": 1},
            _OF_SUBJECTS: {"type": "array", "minItems": 1},
        },
        "propertyNames": {
            "anyOf": [
                {"enum": [*paths, *own]},
                {"pattern": f"^(?:{matrix.AXIS.pattern})$"},
                {"pattern": _OWN_PATH},
                {"pattern": _OF_SUBJECTS},
            ]
        },
        "additionalProperties": bundles,
        "description": "the product of its axes: every combination is a cell",
    }


def _axes_of_shapes(topology: dict[str, dict[str, Parameter]]) -> dict[str, Any]:
    """Return the rule that a matrix names only built-in shapes' parameters where all shapes are built in."""
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
        "properties": {"label": json_schema.ref("label"), "value": json_schema.ref(f"path:{path}")},
        "required": ["value"],
        "additionalProperties": False,
    }
    return {
        "type": "array",
        "minItems": 1,
        "uniqueItems": True,
        "items": {"anyOf": [json_schema.ref(f"path:{path}"), labelled]},
    }
