# SPDX-License-Identifier: Apache-2.0
"""Keeps measurements in a folder: one file for each case and source, named by all that determines its runs.

Another firmware, engine or scenario has another file, so an outdated measurement is never used.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from orchestrator import durable
from tools.contract.measure import Measured

_FORM = 1  # of the files; another one after a change of what is counted


class Store:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def path(self, name: str, *determines: bytes) -> Path:
        """`determines`: everything but the seed that makes a run what it is."""
        digest = hashlib.sha256()
        for part in (b"%d" % _FORM, *determines):
            digest.update(b"%d:" % len(part) + part)
        return self._folder / f"{name}-{digest.hexdigest()[:32]}.json"

    def load(self, path: Path) -> dict[int, Measured]:
        """By seed. Every seed has the records of all: they are compared as a whole."""
        if not path.exists():
            return {}
        kept = json.loads(path.read_bytes())
        records, malformed = (
            frozenset((mote, form) for mote, form in kept["records"]),
            tuple(kept["malformed"]),
        )
        return {int(seed): Measured(records, counts, malformed) for seed, counts in kept["counts"].items()}

    def keep(self, path: Path, runs: Mapping[int, Measured]) -> None:
        """Whole or not at all: a kill leaves what was there."""
        kept = {
            "counts": {seed: dict(one.counts) for seed, one in sorted(runs.items())},
            "records": sorted(frozenset().union(*(one.records for one in runs.values()))),
            "malformed": sorted({line for one in runs.values() for line in one.malformed}),
        }
        durable.rewrite(path, json.dumps(kept).encode())
