# SPDX-License-Identifier: Apache-2.0
"""Ids of runs: hashes of everything that determines a result, as JSON with sorted keys and no spaces."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from orchestrator.scenario.model import Cell

DIGITS = 20  # hex digits of an id: 80 bits


def plain(value: Any) -> Any:
    """Return `value` in JSON's types: mappings, lists, strings, numbers, booleans, None.

    Fields with the metadata `identity: False` (which say where something is, not what it is) are left out.
    Raises TypeError for values that JSON can't hold.
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
    """Return the one JSON text of `value` that hashes are made of."""
    return json.dumps(
        plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    ).encode("ascii")


def digest(value: Any) -> str:
    """Return the first digits of the SHA-256 of `value`'s canonical form."""
    return hashlib.sha256(canonical(value)).hexdigest()[:DIGITS]


def trend_id(cell: Cell | Mapping, seed: int) -> str:
    """Return the id of a cell (with its rule set) and seed, which a new build of firmware or engine keeps."""
    return digest({"cell": plain(cell), "seed": seed})


def run_id(
    cell: Cell | Mapping,
    seed: int,
    csc_sha256: str,
    firmware_sha256: Mapping[str, str],
    engine: str,
    engine_version: str,
) -> str:
    """Return the id of a run, made of everything that determines its result."""
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


class Named:
    """Names runs of one cell with one firmware and engine, which differ only in seed and .csc.

    The ids are those of the functions `run_id` and `trend_id`, but the cell's canonical form is made once for
    all runs.
    """

    def __init__(
        self, cell: Cell | Mapping, firmware_sha256: Mapping[str, str], engine: str, engine_version: str
    ):
        # The canonical form has the keys of the two in this order: cell, csc, engine, ..., seed.
        self._cell = hashlib.sha256(b'{"cell":' + canonical(cell))
        rest = {"engine": engine, "engine_version": engine_version, "firmware": dict(firmware_sha256)}
        self._rest = b"," + canonical(rest)[1:-1]

    def run_id(self, seed: int, csc_sha256: str) -> str:
        digest = self._cell.copy()
        digest.update(b',"csc":"%s"%s,"seed":%d}' % (csc_sha256.encode("ascii"), self._rest, seed))
        return digest.hexdigest()[:DIGITS]

    def trend_id(self, seed: int) -> str:
        digest = self._cell.copy()
        digest.update(b',"seed":%d}' % seed)
        return digest.hexdigest()[:DIGITS]
