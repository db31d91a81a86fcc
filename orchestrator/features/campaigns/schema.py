# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema (2020-12) of campaign files, for editors, from the tables that the loader checks.

What loads is valid. What the scenarios decide only the loader sees: whether a file, a cell or an experiment
exists, and whether an overridden setting does.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from orchestrator.features.campaigns import entries, load
from orchestrator.scenario import settings
from orchestrator.scenario.schema import master, seed_list
from orchestrator.vocabulary import json_schema
from orchestrator.vocabulary.json_schema import only
from orchestrator.vocabulary.parameters import Parameter

_LINE = {"type": ["string", "number"], "minLength": 1}
_HELP = {
    "fresh": "how many new seeds each round draws",
    "effect": "a change up to this counts as none",
    "false-alarms": "the probability of any false alarm between two promotions",
    "rounds": "how many rounds are kept",
    "quota": "the most that the store may hold",
    "seed": "only this seed",
}


def schema() -> dict[str, Any]:
    """Return the schema of a campaign file."""
    numbers = (load.TIME_BUDGET, load.SHARDS, load.RETRIES, load.WALL_LIMIT)
    properties = {
        "campaign": {"type": ["string", "number"], "pattern": json_schema.text(load.NAME)},
        "parts": {"type": "array", "items": _part(), "minItems": 1},
        "seeds": _seeds(),
        **{number.name: _value(number) for number in numbers},
        "quarantine": {"type": "array", "items": _quarantined()},
        "retention": only(
            {parameter.name: _value(parameter) for parameter in (entries.ROUNDS, entries.QUOTA)}
        ),
        "spark": master(),
        "verdict": only(
            {parameter.name: _value(parameter) for parameter in (entries.EFFECT, entries.FALSE_ALARMS)}
        ),
    }
    return json_schema.document("campaign", properties, ("campaign", "parts"), load.KEYS)


def _part() -> dict[str, Any]:
    one_or_many = {"anyOf": [_LINE, {"type": "array", "items": _LINE, "minItems": 1}]}
    properties = {
        "scenario": _LINE,
        "paper": _LINE,
        "experiment": {"type": ["string", "number"], "pattern": rf"^(?:{settings.EXPERIMENT})$"},
        "set": {"type": "object"},
        "cells": one_or_many,
        "seeds": _seeds(),
    }
    named = [{"required": ["scenario"]}, {"required": ["paper"]}]
    return only(_described(properties, load.PART_KEYS)) | {"oneOf": named}


def _seeds() -> dict[str, Any]:
    both = only({"fixed": seed_list(), "fresh": _value(entries.FRESH)})
    return {"anyOf": [seed_list(), both | {"minProperties": 1}]}


def _quarantined() -> dict[str, Any]:
    properties = {key: _LINE for key in ("experiment", "cell", "reason")}
    properties |= {"until": {"type": "string", "format": "date"}, "seed": _value(entries.SEED)}
    return only(properties, ("experiment", "until", "reason"))


def _value(declared: Parameter) -> dict[str, Any]:
    return json_schema.value(
        replace(declared, help=_HELP.get(declared.name, load.KEYS.get(declared.name, "")))
    )


def _described(properties: dict[str, Any], helps: dict[str, str]) -> dict[str, Any]:
    return {key: {"description": helps[key]} | schema_of_key for key, schema_of_key in properties.items()}
