# SPDX-License-Identifier: Apache-2.0
"""Names of runs: hashes of what determines a result. The canonical form is JSON with sorted keys and no
spaces.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from orchestrator.scenario.model import Cell

DIGITS = 20  # hex digits of an id: 80 bits


def plain(value: Any) -> Any:
    """`value` as JSON has it: mappings, lists, strings, numbers, booleans, None. Raises TypeError for
    anything else.

    Fields with the metadata `identity: False` (where something is, not what it is) are left out.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: plain(getattr(value, field.name))
            for field in fields(value)
            if field.metadata.get("identity", True)
        }
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no canonical form: {value!r}")


def canonical(value: Any) -> bytes:
    return json.dumps(
        plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    ).encode("ascii")


def digest(value: Any) -> str:
    return hashlib.sha256(canonical(value)).hexdigest()[:DIGITS]


def trend_id(cell: Cell | Mapping, seed: int) -> str:
    """Cell (rule set included) and seed: the same before and after a rebuild of firmware or engine."""
    return digest({"cell": plain(cell), "seed": seed})


def run_id(
    cell: Cell | Mapping,
    seed: int,
    csc_sha256: str,
    firmware_sha256: Mapping[str, str],
    engine: str,
    engine_version: str,
) -> str:
    """Everything that determines a result: cell and seed, the .csc, the firmware, the engine and its
    version."""
    return digest(
        {
            "cell": plain(cell),
            "seed": seed,
            "csc": csc_sha256,
            "firmware": dict(firmware_sha256),
            "engine": engine,
            "engine_version": engine_version,
        }
    )
