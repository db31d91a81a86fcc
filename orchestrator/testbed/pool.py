# SPDX-License-Identifier: Apache-2.0
"""Which motes may take part: a mote that failed too often in a row is out, until somebody takes it back."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from orchestrate_testbed.model import Lab, Mote

FAILED = "failed"  # the kind of record


def failed_again(before: Mapping[str, Any] | None, why: str) -> dict[str, Any]:
    """The record of a mote after one more failure."""
    return {"count": count(before) + 1, "why": why[:300], "when": int(time.time())}


def count(record: Mapping[str, Any] | None) -> int:
    """How often it failed in a row."""
    found = (record or {}).get("count", 0)
    return found if isinstance(found, int) and 0 <= found < 1_000_000 else 0


def why_out(lab: Lab, record: Mapping[str, Any] | None) -> str | None:
    """Why a mote with this record is out of the pool; None if it is in."""
    times = count(record)
    if times < lab.failures:
        return None
    return f"it failed {times} times in a row, the last time: {(record or {}).get('why', '')}"


def spare_for(lab: Lab, mote: Mote, taken: set[str]) -> Mote | None:
    """A spare of the same platform that isn't taken: on the same board or behind the same gateway if there
    is one.
    """
    spares = [
        one
        for one in lab.motes
        if one.name not in taken
        and one.platform == mote.platform
        and (one.spare or lab.gateway(one.gateway).spare)
    ]
    return min(
        spares,
        key=lambda one: (one.board != mote.board, one.gateway != mote.gateway),
        default=None,
    )
