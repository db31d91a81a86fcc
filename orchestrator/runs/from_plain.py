# SPDX-License-Identifier: Apache-2.0
"""Makes dataclasses from their JSON form, as the inverse of identity.plain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")
_KINDS = {
    "str": (str,),
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "str | None": (str, type(None)),
    "Mapping[str, Any]": (dict,),
    "Mapping[str, str]": (dict,),
    "Mapping[str, str | int]": (dict,),
}


def from_plain(kind: type[T], given: Any, **ready: Any) -> T:
    """Make a `kind` from the mapping `given`; the fields in `ready` have their final values already.

    Raises ValueError with every field that is missing, unknown or of another type.
    """
    if not isinstance(given, Mapping):
        raise ValueError(f"not a mapping: {given!r}")  # noqa: TRY004 - of a file's content
    field_types = _fields(kind)
    values = {**given, **ready}
    faults = [f"{name} is unknown" for name in values if name not in field_types]
    for name, (types, needed) in field_types.items():
        if name not in values:
            faults += [f"{name} is missing"] if needed else []
        elif types and name not in ready and type(values[name]) not in types:
            faults.append(f"{name} is {values[name]!r}")
    if faults:
        raise ValueError("; ".join(faults))
    return kind(**values)


@cache
def _fields(kind: type) -> dict[str, tuple[tuple[type, ...], bool]]:
    """Return by field name the types that the value may have (none: any) and whether it is required."""
    return {
        field.name: (
            _KINDS.get(str(field.type), ()),
            field.default is MISSING and field.default_factory is MISSING,
        )
        for field in fields(kind)
    }
