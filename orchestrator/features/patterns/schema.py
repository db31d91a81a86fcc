# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema (2020-12) of pattern files, for editors. What names what only the loader sees."""

from __future__ import annotations

from typing import Any

from orchestrate_spark.metrics.model import DIRECTIONS
from orchestrate_spark.profiles import STATES, profiles
from orchestrate_spark.sources.log_patterns import TYPES
from orchestrate_spark.sources.log_patterns.family import STATISTICS, TOTALS

from orchestrator.features.patterns import lines, load, platforms, written
from orchestrator.vocabulary import json_schema
from orchestrator.vocabulary.json_schema import named, only

_TEXT = {"type": "string", "minLength": 1}
_VALUE = {
    "type": ["string", "number"],
    "description": "a group, or arithmetic over groups: 100 * (tx + rx) / total",
}


def schema() -> dict[str, Any]:
    """Return the schema of a pattern file."""
    match = {
        **_TEXT,
        "maxLength": written.MOST_PATTERN,
        "description": "an RE2 pattern with groups (?P<name>...)",
    }
    event = {**_TEXT, "description": "an event of this file, or of one that it uses"}
    types = {"enum": list(TYPES), "description": "; ".join(f"{name}: {what}" for name, what in TYPES.items())}
    state = {"anyOf": [_VALUE, only({"event": event, "value": _VALUE, "whole": _VALUE})]}
    whole = {**_VALUE, "description": "the ticks that were looked at, in the unit of the states: cpu + lpm"}
    properties = {
        "title": {**_TEXT, "description": "one line about the file"},
        "use": {
            "anyOf": [_TEXT, {"type": "array", "items": _TEXT}],
            "description": f"further sets and files; ready-made are {', '.join(load.sets())}",
        },
        "lines": {
            "anyOf": [
                {"enum": list(lines.FORMS)},
                only(
                    {
                        "match": {**match, "description": "with the groups time, mote and text"},
                        "time": {
                            **_TEXT,
                            "description": f"{', '.join(lines.TIMES)}, or a format of strftime",
                        },
                        "mote": {"type": "integer", "minimum": 1, "description": "if no group says which"},
                    },
                    ("match", "time"),
                ),
            ],
            "description": "the form of lines of a log from elsewhere (`orchestrate ingest --log`)",
        },
        "profile": {
            **_TEXT,
            "description": f"the platform whose currents count: {', '.join(profiles())}, or an own one",
        },
        "profiles": platforms.schema(),
        "events": named(
            platforms.NAME.pattern,
            {
                "match": match,
                "fields": {
                    "type": "object",
                    "additionalProperties": types,
                    "description": "the types of the groups; text if they have none here",
                },
                "mote": {
                    **_TEXT,
                    "description": "the group that names the node which the line is about, if another",
                },
                "help": _TEXT,
            },
            ("match",),
        ),
        "deliveries": named(
            platforms.NAME.pattern,
            {
                "sent": event,
                "received": event,
                "key": {
                    "anyOf": [_TEXT, {"type": "object", "additionalProperties": _TEXT, "minProperties": 1}],
                    "description": "group of the event sent: group of the event received, or mote",
                },
                "within": json_schema.ref("time"),
            },
            ("sent", "received", "key"),
        ),
        "metrics": named(
            platforms.NAME.pattern,
            {
                "event": event,
                "value": _VALUE,
                "statistic": {
                    "enum": list(STATISTICS),
                    "description": "of a mote; mean if there is a value, else count",
                },
                "total": {"enum": list(TOTALS), "description": "over the motes"},
                "unit": _TEXT,
                "better": {"enum": [one for one in DIRECTIONS if one]},
                "title": _TEXT,
                "definition": _TEXT,
            },
            ("event",),
        ),
        "energy": named(
            platforms.NAME.pattern,
            {
                "event": event,
                "states": only(dict.fromkeys(STATES, state)),
                "whole": whole,
                "cumulative": {
                    "type": "boolean",
                    "description": "true: since the boot; false: since the line before",
                },
            },
            ("states",),
        ),
    }
    return {
        "$schema": json_schema.DIALECT,
        "title": "orchestrate log patterns",
        **only(properties),
        "$defs": json_schema.definitions(),
    }
