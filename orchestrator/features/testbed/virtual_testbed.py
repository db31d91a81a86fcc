# SPDX-License-Identifier: Apache-2.0
"""Starts the virtual twin of a lab: its servers by orchestrate_testbed, its motes by the embedded engine."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from orchestrate_testbed.model import Lab, Mote, Spot
from orchestrate_testbed.virtual import testbed as virtual
from orchestrate_testbed.virtual.testbed import VirtualTestbed
from orchestrate_testbed.zipapp import packed

from orchestrator import durable
from orchestrator.csc.model import Medium
from orchestrator.engines.embedded.mote_host import plan as plans
from orchestrator.engines.embedded.mote_host.plan import Plan, VirtualMote
from orchestrator.features.testbed import inventory, twin

INVENTORY = "lab.yaml"
_ASIDE_M = 1e6  # from each other: motes that don't take part in the layout


@dataclass(frozen=True)
class Twin:
    """A started testbed; all other commands take its inventory."""

    inventory: Path
    lab: Lab
    testbed: VirtualTestbed


def folder_of(path: Path) -> Path:
    """Return the folder of the twin of this inventory, or the one that holds it."""
    path = path.resolve()
    if (path.parent / virtual.STATE).exists():
        return path.parent
    return path.with_suffix(".virtual")


def up(
    path: Path,
    medium: Medium,
    layout: str,
    seed: int,
    disk_size: int | None = None,
    own_networks: bool = False,
) -> Twin:
    """Start the twin of an inventory; an earlier one goes first.

    `disk_size`: bytes of each gateway's own disk; None: it has none. `own_networks`: each gateway has a
    network namespace.
    """
    lab, folder = inventory.load(path), folder_of(path)
    spots = {spot.mote: spot for spot in lab.layout(layout).spots}

    def mote_host(testbed: VirtualTestbed) -> list[str]:
        plan = plan_of(lab, testbed, spots, medium, seed)
        plan.folder.mkdir(exist_ok=True)
        plans.write(plan, plan.folder / "plan.json")
        module = "orchestrator.engines.embedded.mote_host"
        return [sys.executable, "-m", module, str(plan.folder / "plan.json")]

    testbed = virtual.up(lab, folder, mote_host, packed(), disk_size, own_networks)
    servers = {server.name: server for server in testbed.servers}
    written = twin.text(path, lab, servers, testbed.known_hosts, testbed.key)
    durable.rewrite(folder / INVENTORY, written.encode())
    return Twin(folder / INVENTORY, inventory.load(folder / INVENTORY), testbed)


def _spare_spot(mote: Mote, origins: dict[str, tuple[float, float]], number: int) -> Spot:
    """Where a mote stands that doesn't take part: a spare at its place on the board, as it may be needed."""
    if mote.spare and mote.board in origins:
        x, y = origins[mote.board]
        return Spot(mote.name, x + mote.x, y + mote.y)
    return Spot(mote.name, number * _ASIDE_M, _ASIDE_M)


def plan_of(lab: Lab, testbed: VirtualTestbed, spots: dict[str, Spot], medium: Medium, seed: int) -> Plan:
    """Return what the motes' process simulates; motes are numbered from 1 in the inventory's order."""
    motes = []
    placed = [mote for mote in lab.motes if mote.name in spots and mote.board and not mote.movable]
    origins = {
        mote.board: (spots[mote.name].x - mote.x, spots[mote.name].y - mote.y)
        for mote in placed
        if mote.board
    }
    for number, mote in enumerate(lab.motes, 1):
        spot = spots.get(mote.name) or _spare_spot(mote, origins, number)
        motes.append(
            VirtualMote(
                mote.name,
                number,
                twin.device(testbed.server(mote.gateway), mote.device),
                mote.baud,
                twin.PLATFORM,
                mote.eui64,
                mote.board or "",
                spot.x,
                spot.y,
            )
        )
    return Plan(testbed.folder / virtual.MOTES, medium, tuple(motes), seed)
