# SPDX-License-Identifier: Apache-2.0
"""Asks the motes themselves: a device shows neither that its mote is alive, nor which mote it is."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from orchestrate_testbed.client import Refused
from orchestrate_testbed.errors import LabError
from orchestrate_testbed.gateway_log import Chunk, records
from orchestrate_testbed.model import Mote
from orchestrate_testbed.ssh import Network, together
from orchestrate_testbed.untrusted import shown

from orchestrator.features.testbed.check import GatewayFound
from orchestrator.features.testbed.gateways import AtGateway
from orchestrator.features.testbed.identity import QUESTION, Identity, identity
from orchestrator.features.testbed.reservation import refuse_taken

LISTEN_S = 3.0  # after the question; an answer takes 10 ms, but other firmware may print only now and then
LOOK_S = 0.2  # between two looks whether all have answered
BOOT_S = 0.3  # some boards reboot when their port is opened
_MOST_BYTES = 1 << 20  # of one mote's output
_LONGEST = 60  # characters of what a mote printed
# A simulated mote's names for its platform, which a lab may use, too.
_SAME_PLATFORM = {"cooja": {"cooja", "virtual"}}

ANSWERS, PRINTS, SILENT, IN_USE, NOT_ASKED = "answers", "prints", "silent", "in use", "not asked"


@dataclass(frozen=True)
class Said:
    """A mote's reaction when it was asked. `text`: its last line, or why it wasn't asked."""

    state: str
    identity: Identity | None = None
    text: str = ""

    @property
    def alive(self) -> bool | None:
        """Whether the mote has shown that it is alive; None if that is not known."""
        return {ANSWERS: True, PRINTS: True, SILENT: False}.get(self.state)

    def differences(self, mote: Mote) -> list[str]:
        """Return what a mote says of itself that differs from the inventory."""
        identity = self.identity
        if identity is None:
            return []
        faults = []
        if identity.eui64 and identity.eui64 != mote.eui64:
            faults.append(f"its EUI-64 is {identity.eui64}, the inventory has {mote.eui64}")
        if identity.platform != "unknown" and mote.platform not in _SAME_PLATFORM.get(
            identity.platform, {identity.platform}
        ):
            faults.append(f"it runs firmware for {identity.platform}")
        return faults


def ask(network: Network, gateways: Sequence[GatewayFound], listen_s: float = LISTEN_S) -> dict[str, Said]:
    """Ask every mote whose device is there, all at once, and return the answers by mote."""
    answers = together(gateways, lambda gateway_check: _ask(network, gateway_check, listen_s))
    states: dict[str, Said] = {}
    for gateway, answer in zip(gateways, answers, strict=True):
        failed = isinstance(answer, LabError)
        for mote in gateway.motes:
            if failed:
                states[mote.mote.name] = Said(NOT_ASKED, text=str(answer).split("\n")[0])
            else:
                states[mote.mote.name] = answer.get(mote.mote.name) or Said(
                    NOT_ASKED, text=mote.detail or mote.state
                )
    return states


def _ask(network: Network, gateway_check: GatewayFound, listen_s: float) -> dict[str, Said]:
    """Ask the motes of one gateway. Raises LabError.

    The gateway's daemon goes on only if it has other runs.
    """
    motes = [mote.mote for mote in gateway_check.motes if mote.present]
    if gateway_check.error or not motes:
        return {}
    if gateway_check.without_python:
        return {mote.name: Said(NOT_ASKED, text="its gateway has no Python") for mote in motes}
    if lacks := gateway_check.lacks():
        return {mote.name: Said(NOT_ASKED, text="; ".join(lacks)) for mote in motes}
    with AtGateway(gateway_check.gateway, network) as place:
        place.deliver([])
        refuse_taken(gateway_check.gateway, place.kept)  # some boards reboot when their port is opened
        busy = bool(place.daemon.status().get("runs"))
        run = f"check-{time.time_ns() // 1000}"
        try:
            return _answers(place, run, motes, listen_s)
        finally:
            if not busy:
                place.end()


def _answers(place: AtGateway, run: str, motes: Sequence[Mote], listen_s: float) -> dict[str, Said]:
    states: dict[str, Said] = {}
    for mote in motes:
        try:
            place.daemon.open(run, mote.name, place.device(mote), mote.baud)
        except Refused as refused:
            states[mote.name] = Said(IN_USE, text=refused.text)
    asked = [mote for mote in motes if mote.name not in states]
    if not asked:
        return states
    try:
        time.sleep(BOOT_S)
        for mote in asked:
            try:
                place.daemon.write(run, mote.name, QUESTION)
            except Refused as refused:
                states[mote.name] = Said(NOT_ASKED, text=refused.text)
        _listen(place, run, {mote.name for mote in asked} - set(states), listen_s)
        place.daemon.close(run)
        states |= {name: heard for name, heard in _states(place, run).items() if name not in states}
    finally:
        place.daemon.remove(run)
    return states


def _listen(place: AtGateway, run: str, motes: set[str], listen_s: float) -> None:
    """Wait until all of them have answered, or the time is over."""
    until = time.monotonic() + listen_s
    while True:
        _pause(LOOK_S)
        answered = {name for name, state in _states(place, run).items() if state.state == ANSWERS}
        if motes <= answered or time.monotonic() > until:
            return


def _pause(seconds: float) -> None:
    time.sleep(seconds)


def _states(place: AtGateway, run: str) -> dict[str, Said]:
    """Return what all motes of the run have said so far."""
    content: dict[str, bytes] = {}
    for mote, segment, size in sorted(place.daemon.segments(run)):
        content[mote] = content.get(mote, b"") + _content(place, run, mote, segment, size)
    return {mote: _heard(text) for mote, text in content.items()}


def _content(place: AtGateway, run: str, mote: str, segment: int, size: int) -> bytes:
    """Return what the mote printed, from a segment of its log."""
    log = b""
    while len(log) < min(size, _MOST_BYTES):
        more = place.daemon.fetch(run, mote, segment, len(log))
        if not more:
            break
        log += more
    return b"".join(record.content for record in records(log) if isinstance(record, Chunk))


def _heard(content: bytes) -> Said:
    lines = [line.strip() for line in content.decode("ascii", "replace").splitlines() if line.strip()]
    for line in reversed(lines):
        if match := identity(line):
            return Said(ANSWERS, match)
    return Said(PRINTS, text=shown(lines[-1][:_LONGEST])) if lines else Said(SILENT)
