# SPDX-License-Identifier: Apache-2.0
"""The pool of motes that may take part.

A mote that failed too often in a row is out until it is readmitted.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from orchestrate_testbed.model import Lab, Mote
from orchestrate_testbed.ssh import Network

from orchestrator.features.testbed.gateways import AtGateway

FAILED = "failed"  # the kind of record


def failed_again(before: Mapping[str, Any] | None, why: str) -> dict[str, Any]:
    """Return the record of a mote after one more failure."""
    return {"count": count(before) + 1, "why": why[:300], "when": int(time.time())}


def count(record: Mapping[str, Any] | None) -> int:
    """Return how often a mote failed in a row."""
    count_ = (record or {}).get("count", 0)
    return count_ if isinstance(count_, int) and 0 <= count_ < 1_000_000 else 0


def why_out(lab: Lab, record: Mapping[str, Any] | None) -> str | None:
    """Return why a mote with this record is out of the pool; None if it is in."""
    times = count(record)
    if times < lab.failures:
        return None
    return f"it failed {times} times in a row, the last time: {(record or {}).get('why', '')}"


def readmit(lab: Lab, network: Network, motes: Iterable[Mote]) -> None:
    """Remove the records of failures of these motes. Raises LabError if a gateway can't be asked."""
    behind: dict[str, list[Mote]] = {}
    for mote in motes:
        behind.setdefault(mote.gateway, []).append(mote)
    for name, theirs in behind.items():
        with AtGateway(lab.gateway(name), network) as place:
            place.record((FAILED, mote.name, None) for mote in theirs)


def spare_for(lab: Lab, mote: Mote, taken: set[str]) -> Mote | None:
    """Return a spare of the same platform that isn't taken; None if there is none.

    One on the same board or behind the same gateway is preferred.
    """
    spares = [
        candidate
        for candidate in lab.motes
        if candidate.name not in taken
        and candidate.platform == mote.platform
        and (candidate.spare or lab.gateway(candidate.gateway).spare)
    ]
    return min(
        spares,
        key=lambda candidate: (candidate.board != mote.board, candidate.gateway != mote.gateway),
        default=None,
    )
