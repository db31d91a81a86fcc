# SPDX-License-Identifier: Apache-2.0
"""Makes JSON Schemas (2020-12) of single values from the declarations that the loaders check.

They serve scenarios and the other files that a user writes.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from orchestrator.vocabulary import parameters, units
from orchestrator.vocabulary.parameters import QUANTITIES, Parameter

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_ASCII_SPACE = r"[ \t\n\r\f\v]"


def ref(name: str) -> dict[str, str]:
    """Return a reference to a definition, for example of a dimension."""
    return {"$ref": f"#/$defs/{name}"}


def definitions() -> dict[str, dict[str, Any]]:
    """Return the definitions of all dimensions, which `value` refers to."""
    return {dimension: _quantity(dimension) for dimension in QUANTITIES}


def document(
    title: str, properties: dict[str, Any], required: Iterable[str], helps: dict[str, str]
) -> dict[str, Any]:
    """Return the schema of a whole file with these keys; `helps`: their descriptions, by key."""
    described = {
        key: {"description": helps[key], **one} if key in helps else one for key, one in properties.items()
    }
    return {
        "$schema": DIALECT,
        "title": f"orchestrate {title}",
        **only(described, required),
        "$defs": definitions(),
    }


def only(properties: dict[str, Any], required: Iterable[str] = ()) -> dict[str, Any]:
    """Return the schema of an object with these keys and no others."""
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "properties": properties, "additionalProperties": False} | needed


def named(pattern: str, properties: dict[str, Any], required: Iterable[str] = ()) -> dict[str, Any]:
    """Return the schema of a section, whose entries have names."""
    names = {"pattern": f"^(?:{pattern})$"}
    return {"type": "object", "propertyNames": names, "additionalProperties": only(properties, required)}


def text(pattern: str) -> str:
    """Return a loader's pattern as the schema's: the loader strips white space and matches ASCII only."""
    return rf"^\s*(?:{pattern.replace(chr(92) + 's', _ASCII_SPACE)})\s*$"


def value(declared: Parameter) -> dict[str, Any]:
    """Return the schema of one setting. Numbers and switches may be quoted, as the loader reads text."""
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
        return ref(kind) | bounds | about  # the bounds are for a ratio without a unit
    if kind in QUANTITIES:
        return ref(kind) | about
    if kind == "int":
        return {"type": ["integer", "string"], "pattern": text(parameters.INT.pattern)} | bounds | about
    if kind == "number":
        return {"type": ["number", "string"], "pattern": text(parameters.NUMBER.pattern)} | bounds | about
    if kind == "bool":
        return {"type": ["boolean", "string"], "pattern": text("true|false")} | about
    if kind == "motes":
        return {"type": "string", "pattern": text(parameters.MOTES.pattern)} | about
    if kind not in parameters.TYPES:
        return {"type": "string", "pattern": text(parameters.own_type(kind).pattern)} | about
    if kind == "choice":
        return {"enum": _choices(declared.choices)} | about
    return {"type": ["string", "number", "boolean"], "minLength": 1} | about


def _choices(words: tuple[str, ...]) -> list[Any]:
    """Return the words, and the values that a YAML reader makes of those like numbers or switches."""
    read = [float(word) for word in words if parameters.NUMBER.fullmatch(word)]
    return [
        *words,
        *read,
        *({"true": True, "false": False}[word] for word in words if word in ("true", "false")),
    ]


def _quantity(dimension: str) -> dict[str, Any]:
    """Return the schema of a number and a unit; times and rates must be whole microseconds or bit/s."""
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
    """Return a pattern of the decimals d with which 0.d of a unit is a whole number of the inner unit.

    `size`: how many of the inner unit the unit holds. For a minute (60,000,000 us) these are any seven
    digits, an eighth that is 5, then zeros.
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
