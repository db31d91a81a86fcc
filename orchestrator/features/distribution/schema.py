# SPDX-License-Identifier: Apache-2.0
"""Makes the JSON Schema (2020-12) of systems' files from the declarations that the reader checks.

A file that loads is valid. Only the reader knows the names and a table's rows, so the schema requires no
times.
"""

from __future__ import annotations

from typing import Any

from orchestrator.features.distribution import settings
from orchestrator.vocabulary import json_schema
from orchestrator.vocabulary.parameters import Parameter

_NAMES = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}


def schema() -> dict[str, Any]:
    """Return the schema of a file of a system."""
    lists = {name: _NAMES | {"description": help} for name, help in settings.LISTS.items()}
    properties = {
        "distribution": {"type": "string"},
        "table": {"type": "string"},
        "nodes": _NAMES,
        "networks": _named(settings.NETWORK, ("delay",)),
        "objects": _named(settings.OBJECT, ("validity",)),
        "sources": _named(settings.SOURCE, ("object", "node")),
        "targets": _named(settings.TARGET, ("object", "node")),
        "steps": _named(settings.STEP, ("node",)),
        "distributions": _named(settings.DISTRIBUTION, ("object",), lists),
        "loads": _named(settings.LOAD, ("node",)),
    }
    required = ("distribution", "nodes")
    return json_schema.document("distribution", properties, required, settings.SECTIONS)


def _named(
    declared: dict[str, Parameter], required: tuple[str, ...], others: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Return the schema of a section, whose entries have names."""
    values = {name: json_schema.value(parameter) for name, parameter in declared.items()} | (others or {})
    return json_schema.named(settings.NAME.pattern, values, required)
