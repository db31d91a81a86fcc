# SPDX-License-Identifier: Apache-2.0
"""Flashes a probe into motes that said nothing about themselves, asks again, and puts back their firmware."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from orchestrate_testbed.model import Lab, Mote
from orchestrate_testbed.ssh import Network
from orchestrate_testbed.transfer import Blob

from orchestrator.features.testbed.asking import ANSWERS, LISTEN_S, PRINTS, SILENT, Said, ask
from orchestrator.features.testbed.check import GatewayFound
from orchestrator.features.testbed.deploy import Loaded, Wanted, deploy, places, put_back
from orchestrator.features.testbed.gateways import AtGateway


def probe(
    lab: Lab,
    network: Network,
    gateways: Sequence[GatewayFound],
    states: Mapping[str, Said],
    firmware: Blob,
    listen_s: float = LISTEN_S,
) -> dict[str, Said]:
    """Return what motes say with the probe, by name.

    Only motes get it that were silent or printed something else.
    """
    asked = [
        mote
        for gateway in gateways
        for mote in gateway.motes
        if mote.mote.name in states and states[mote.mote.name].state in (SILENT, PRINTS) and not mote.out
    ]
    if not asked:
        return {}
    at = places(lab, network, [wish.mote for wish in asked])
    before: dict[str, Mapping[str, Any]] = {}
    names = {wish.mote.name for wish in asked}
    try:
        for place in at.values():
            place.deliver([])
            before |= {name: dict(last) for name, last in place.kept.flashed.items() if name in names}
        loaded = deploy(lab, at, [Wanted(wish.mote, firmware) for wish in asked], again=True)
        try:
            for place in at.values():
                place.disconnect()  # asking ends the daemon if nobody else needs it
            there = [
                replace(gateway, motes=[mote for mote in gateway.motes if mote.mote.name in names])
                for gateway in gateways
            ]
            again = ask(network, there, listen_s)
        finally:
            restored = _put_back(
                at, [wish.mote for wish in asked if loaded.motes[wish.mote.name].good], before
            )
        return {name: _state_after(loaded.motes[name], again[name], name in restored) for name in names}
    finally:
        for place in at.values():
            place.end()


def _state_after(loaded: Loaded, state: Said, restored: bool) -> Said:
    """Return what to say of a mote that was to get the probe."""
    if not loaded.good:
        return Said(SILENT, text=f"the probe can't be flashed: {loaded.why}")
    left = "which it keeps" if restored else "and has its firmware back"
    return replace(state, text=f"it answered the probe, {left}" if state.state == ANSWERS else state.text)


def _put_back(
    at: Mapping[str, AtGateway], motes: Sequence[Mote], before: Mapping[str, Mapping[str, Any]]
) -> set[str]:
    """Flash what the motes ran before, and record it; return the names of those that keep the probe."""
    keep = set()
    for mote in motes:
        place, last = at[mote.gateway], before.get(mote.name)
        if last is None:
            keep.add(mote.name)
            continue
        place.kept.flashed[mote.name] = last
        if put_back(place, mote):
            place.record([("flashed", mote.name, last)])
        else:
            keep.add(mote.name)
    return keep
