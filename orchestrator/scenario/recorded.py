# SPDX-License-Identifier: Apache-2.0
"""Reads `record`, what a scenario keeps of its runs besides their logs."""

from __future__ import annotations

from typing import Any

from orchestrator.scenario.settings import RECORDS
from orchestrator.vocabulary.document import Node, Scalar, Sequence, wrong_kind
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.units import short
from orchestrator.words import did_you_mean


def kinds(node: Node | None, faults: Faults) -> tuple[str, ...]:
    """Return what is to be recorded: `record: [air]`, the transmissions and who received them."""
    wanted: dict[str, None] = {}
    if node is None:
        return ()
    for item in node.items if isinstance(node, Sequence) else [node]:
        if isinstance(item, Scalar) and item.text in RECORDS:
            wanted[item.text] = None
        elif isinstance(item, Scalar):
            faults.add(
                item.line, f"record: {short(item.text)} can't be recorded", did_you_mean(item.text, RECORDS)
            )
        else:
            wrong_kind(item, "record", "write `record: [air]`", faults)
    return tuple(wanted)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the key."""
    kind = {"enum": list(RECORDS)}
    return {
        "anyOf": [kind, {"type": "array", "items": kind}],
        "description": "what is kept of each run besides its log: air, who sent which frame when, and what "
        "became of it at every other radio",
    }
