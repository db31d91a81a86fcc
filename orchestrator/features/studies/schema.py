# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of what a scenario of a study has in place of an application, by key."""

from __future__ import annotations

from typing import Any

from orchestrator.features.studies.commands import NAME
from orchestrator.features.studies.settings import COUNT, FIRMWARE, PLATFORM, SOURCE
from orchestrator.vocabulary import json_schema

_SCALAR = {"type": ["string", "number", "boolean", "null"]}


def schema() -> dict[str, dict[str, Any]]:
    """Return the schemas of the keys."""
    values = {
        "type": "object",
        "propertyNames": {"pattern": f"^(?:{NAME.pattern})$"},
        "additionalProperties": _SCALAR,
    }
    kind = {
        "source": json_schema.value(SOURCE),
        "firmware": json_schema.value(FIRMWARE),
        "platform": json_schema.value(PLATFORM),
        "count": json_schema.value(COUNT),
        "defines": values | {"description": "macros of its build"},
        "make": values | {"description": "make variables of its build"},
    }
    csc = {"type": "string", "minLength": 1, "description": "a .csc file, seen from the scenario's folder"}
    return {
        "simulation": json_schema.only({"csc": csc}) | {"description": "simulate a .csc"},
        "motes": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": json_schema.only(kind),
            "description": "mote types: of the .csc, or else with their sources or firmware",
        },
        "script": {
            "type": "object",
            "additionalProperties": _SCALAR,
            "description": "variables of the .csc's script",
        },
    }
