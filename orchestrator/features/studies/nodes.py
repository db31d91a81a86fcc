# SPDX-License-Identifier: Apache-2.0
"""The motes of a study as nodes of a layout, for manifests, tables and pictures."""

from __future__ import annotations

from collections import Counter

from orchestrator.csc.model import Mote
from orchestrator.topology.model import Node


def nodes_of(
    motes: tuple[Mote, ...], names: dict[str, str], places: list[str] | None = None
) -> tuple[Node, ...]:
    """Return motes as nodes: called by their type, and by their id where the type has several."""
    many = Counter(mote.type_identifier for mote in motes)
    return tuple(
        Node(
            mote.id,
            places[number]
            if places is not None
            else name
            if many[mote.type_identifier] == 1
            else f"{name}-{mote.id}",
            name,
            mote.x,
            mote.y,
        )
        for number, mote in enumerate(motes)
        for name in [names[mote.type_identifier]]
    )
