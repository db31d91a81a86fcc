# SPDX-License-Identifier: Apache-2.0
"""Manifests for tests that need a run's record and no run: of format 1, as docs/architecture.md has it."""

from __future__ import annotations

import json
from typing import Any

from orchestrator.runs.manifest import Manifest, parse

RADIO = {"medium": "udgm", "range_m": 50.0, "interference_m": 100.0, "tx_ratio": 1.0, "rx_ratio": 1.0}


def parameters(name: str = "base", **changes: Any) -> dict[str, Any]:
    """A resolved cell."""
    return {
        "name": name,
        "settings": {},
        "topology": {"shape": "chain", "parameters": {}},
        "radio": RADIO,
        "application": {"name": "aggregation", "parameters": {}},
        "duration_us": 60_000_000,
        "drain_us": 0,
        "start_delay_us": 0,
        "ruleset": "5.0",
        "engine": "embedded",
        "trace": False,
    } | changes


def content(run_id: str = "0" * 20, **changes: Any) -> dict[str, Any]:
    """What a manifest.json holds."""
    return {
        "format": 1,
        "run_id": run_id,
        "trend_id": run_id[::-1],
        "experiment": "trial",
        "cell": "base",
        "settings": {},
        "seed": 1,
        "parameters": parameters(),
        "motes": [],
        "csc_sha256": "c" * 64,
        "log_sha256": "1" * 64,
        "firmware": {"mtype1": "f" * 64},
        "engine": {"name": "embedded", "version": "0123456789ab", "rules": "5.0"},
        "outcome": "ok",
        "evidence": [],
        "statistics": {"sim_us": 900_000_000, "wall_s": 0.02, "events": 120_000, "peak_memory": 4 << 20},
        "host": {"name": "a host"},
        "started": "2026-11-21T05:00:00Z",
        "finished": "2026-11-21T05:00:01Z",
        "orchestrate": "0.1.0",
    } | changes


def manifest(run_id: str = "0" * 20, **changes: Any) -> Manifest:
    """The same, read."""
    return parse(json.dumps(content(run_id, **changes)))
