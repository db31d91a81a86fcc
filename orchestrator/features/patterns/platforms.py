# SPDX-License-Identifier: Apache-2.0
"""Reads platforms that a user describes: supply voltage and currents by state."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from orchestrate_spark.profiles import STATES, Profile

from orchestrator.features.patterns.written import number_of, text_of
from orchestrator.vocabulary import json_schema
from orchestrator.vocabulary.document import Mapping
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.fields import entries, known_keys
from orchestrator.vocabulary.units import short
from orchestrator.words import did_you_mean

NAME = re.compile(r"[a-z][a-z0-9_]{0,31}", re.ASCII)
NAME_REMEDY = "use small letters, digits and `_`, at most 32"
MOST_ENTRIES = 200
KEYS = ("title", "volts", "currents-ma", "source")


def read(root: Mapping, faults: Faults) -> dict[str, Profile]:
    """Return the platforms of `profiles:` in a pattern file or a scenario's key `air`; faults are noted."""
    found: dict[str, Profile] = {}
    for name, node in entries(root, "profiles", MOST_ENTRIES, NAME, NAME_REMEDY, faults):
        known_keys(node, f"{name}: ", KEYS, faults)
        volts = number_of(node.get("volts"), f"{name}: volts", node.line, faults)
        currents: dict[str, float] = {}
        given = node.get("currents-ma")
        if not isinstance(given, Mapping):
            faults.add(
                (given or node).line, f"{name} has no currents-ma", f"name states: {', '.join(STATES)}"
            )
        for key, value in given if isinstance(given, Mapping) else ():
            if key.text not in STATES:
                faults.add(
                    key.line, f"{name}: {short(key.text)} is not a state", did_you_mean(key.text, STATES)
                )
            else:
                currents[key.text] = number_of(value, f"{name}: {key.text}", value.line, faults)
        title = text_of(node, "title", name, faults) or name
        found[name] = Profile(name, title, volts, currents, text_of(node, "source", name, faults))
    return found


def schema(states: Iterable[str] = ()) -> dict[str, Any]:
    """Return the JSON Schema of `profiles:`. `states`: those whose currents each platform must have."""
    text, number = {"type": "string", "minLength": 1}, {"type": "number", "minimum": 0}
    return json_schema.named(
        NAME.pattern,
        {
            "title": text,
            "volts": number,
            "currents-ma": json_schema.only(dict.fromkeys(STATES, number), states),
            "source": {**text, "description": "where the numbers are from"},
        },
        ("volts", "currents-ma"),
    )
