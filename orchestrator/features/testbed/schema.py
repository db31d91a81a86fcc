# SPDX-License-Identifier: Apache-2.0
"""Makes the JSON Schema (2020-12) of inventories, for editors, from the declarations that the reader checks.

A file that loads is valid. Only the reader sees whether a board, gateway or mote that is named exists, and
whether two are the same.
"""

from __future__ import annotations

from typing import Any

from orchestrator.features.testbed import settings
from orchestrator.vocabulary import json_schema
from orchestrator.vocabulary.json_schema import only
from orchestrator.vocabulary.parameters import Parameter

# A text that a YAML reader may take for a number, as some EUI-64s without quotes.
_LINE = {"type": ["string", "number"]}
_LIST = {"anyOf": [_LINE, {"type": "array", "items": _LINE}]}


def schema() -> dict[str, Any]:
    """Return the schema of an inventory."""
    commands = {name: _LIST | {"description": help} for name, help in settings.COMMANDS.items()}
    options = {"type": "object", "additionalProperties": _LINE, "description": settings.OPTIONS_HELP}
    mote = _values(settings.MOTE) | commands | {settings.OPTIONS: options}
    gateway = _values(settings.GATEWAY)
    properties = {
        "lab": _LINE,
        "known-hosts": _value(settings.KNOWN_HOSTS),
        "failures": _value(settings.FAILURES),
        "defaults": only(
            {
                kind: only({name: of for name, of in section.items() if name not in settings.OF_ONE})
                for kind, section in (("gateway", gateway), ("mote", mote))
            }
        ),
        "jump-hosts": _named(_values(settings.SERVER), ("host",)),
        "gateways": _named(gateway, ("host",)),
        "boards": _named(_values(settings.BOARD), tuple(settings.BOARD)),
        "motes": _named(mote, ("device", "eui64")),
        "layouts": _named(_layout()),
    }
    required = ("lab", "gateways", "motes")
    return json_schema.document("testbed inventory", properties, required, settings.SECTIONS)


def _named(properties: dict[str, Any], required: tuple[str, ...] = ()) -> dict[str, Any]:
    return json_schema.named(settings.NAME.pattern, properties, required)


def _layout() -> dict[str, Any]:
    rows = {"anyOf": [_LINE, {"type": "array", "items": _LIST}]}
    positions = {"type": "object", "additionalProperties": {"type": "string"}}
    kinds = {"boards": rows, "motes": _LIST, "without": _LIST, "at": positions}
    return {name: kinds[name] | {"description": help} for name, help in settings.LAYOUT.items()}


def _values(declared: dict[str, Parameter]) -> dict[str, Any]:
    return {name: _value(parameter) for name, parameter in declared.items()}


def _value(declared: Parameter) -> dict[str, Any]:
    value = json_schema.value(declared)
    if declared.type == "text":
        value.pop("minLength", None)
    return value
