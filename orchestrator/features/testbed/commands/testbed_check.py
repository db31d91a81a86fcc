# SPDX-License-Identifier: Apache-2.0
"""orchestrate testbed check: what of a lab is there, beside its inventory."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrator.cli.tables import Table
    from orchestrator.features.testbed.asking import Said
    from orchestrator.features.testbed.check import GatewayFound, MoteFound

DESCRIPTION = """Ask every gateway what it is and which motes are plugged in, and compare that
with the inventory. Then ask every mote over its serial line who it is: whether
it is alive, what it runs, its EUI-64 and platform. Firmware of ours answers;
other firmware may print something, or nothing. Nothing is assumed to be there.

The exit code is 7 if something is missing or silent, or a mote is another one
than the inventory says, or out of the pool."""
# As asking.py has them; it loads SSH.
ANSWERS, PRINTS, SILENT, IN_USE = "answers", "prints", "silent", "in use"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate testbed check`."""
    parser.add_argument(
        "--motes", action="store_true", help="list every mote, also those that are as they should"
    )
    parser.add_argument(
        "--devices", action="store_true", help="look only whether devices are there; don't ask the motes"
    )
    parser.add_argument(
        "--flash-probe",
        type=Path,
        metavar="FIRMWARE",
        help="flash this firmware (`orchestrate build link-survey`) into motes that didn't answer, ask "
        "again, and put back what our record says that they ran",
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate testbed check`; return 7 if something is missing."""
    from orchestrate_testbed.ssh import Network
    from orchestrate_testbed.transfer import blob

    from orchestrator.errors import RunFailed
    from orchestrator.features.testbed import probing
    from orchestrator.features.testbed.asking import ask
    from orchestrator.features.testbed.check import check
    from orchestrator.features.testbed.inventory import load

    lab = load(args.lab)
    with Network(lab.known_hosts) as network:
        gateways = check(lab, network)
        states = {} if args.devices else ask(network, gateways)
        if args.flash_probe is not None:
            states |= probing.probe(lab, network, gateways, states, blob(args.flash_probe))
    if args.json:
        print(
            json.dumps(
                {"lab": lab.name, "gateways": [described(gateway, states) for gateway in gateways]}, indent=2
            )
        )
    else:
        _show(gateways, states, args.motes)
    motes = [mote for gateway in gateways for mote in gateway.motes]
    wrong = [mote for mote in motes if _wrong(mote, states)]
    silent = [gateway for gateway in gateways if gateway.lacks()]
    return RunFailed.exit_code if wrong or silent else 0


def _wrong(mote: MoteFound, states: Mapping[str, Said]) -> bool:
    """Whether a mote isn't as the inventory says."""
    own = states.get(mote.mote.name)
    return bool(
        not mote.present
        or mote.other_platform
        or mote.out
        or (own is not None and (own.alive is False or own.differences(mote.mote)))
    )


def described(gateway: GatewayFound, states: Mapping[str, Said]) -> dict:
    """Return a gateway and its motes as plain values.

    `said`: what motes said, by name; those not asked aren't in it.
    """
    return {
        "gateway": gateway.gateway.name,
        "address": gateway.gateway.ssh.address,
        "lacks": gateway.lacks(),
        "system": gateway.system,
        "python": gateway.python,
        "free_kb": gateway.free_kb,
        "clock_s": gateway.clock_s,
        "other_devices": gateway.others,
        "motes": [
            {
                "mote": each.mote.name,
                "eui64": each.mote.eui64,
                "platform": each.mote.platform,
                "state": each.state,
                "usb": each.usb,
                "other_platform": each.other_platform,
                "flashed": each.flashed,
                "out_of_the_pool": each.out or None,
                "asked": _identity(each, states.get(each.mote.name)),
            }
            for each in gateway.motes
        ],
    }


def _identity(mote: MoteFound, own: Said | None) -> dict | None:
    if own is None:
        return None
    return {
        "state": own.state,
        "alive": own.alive,
        "identity": None if own.identity is None else vars(own.identity),
        "text": own.text,
        "differs": own.differences(mote.mote),
    }


def _show(gateways: list[GatewayFound], states: Mapping[str, Said], every: bool) -> None:
    from orchestrator.console import show
    from orchestrator.words import counted

    show(_gateways(gateways), *_motes(gateways, states, every))
    for gateway in gateways:
        if gateway.others:
            show(
                f"{gateway.gateway.name} has devices that the inventory lacks: "
                f"{', '.join(gateway.others[:8])}"
            )
    there = sum(mote.present for gateway in gateways for mote in gateway.motes)
    total = sum(len(gateway.motes) for gateway in gateways)
    answering = sum(not gateway.error for gateway in gateways)
    show(
        f"{answering} of {counted(len(gateways), 'gateway')} answer; {there} of {counted(total, 'mote')} "
        f"are plugged in{_living(gateways, states)}."
    )


def _gateways(gateways: list[GatewayFound]) -> Table:
    from orchestrator.cli.tables import Column, Table, numbers

    rows = [
        (
            gateway.gateway.name,
            gateway.gateway.ssh.address,
            (f"{sum(mote.present for mote in gateway.motes)} of {len(gateway.motes)}", _style(gateway)),
            gateway.python or None,
            f"{gateway.free_kb / 1e6:,.1f} GB" if not gateway.error else None,
            f"{gateway.clock_s:+d} s" if gateway.clock_s is not None else None,
            "; ".join(gateway.lacks()).split("\n")[0],
        )
        for gateway in gateways
    ]
    lacks = Column("what it lacks", prose=True)
    columns = ["gateway", "address", *numbers("motes"), "Python", *numbers("free", "clock"), lacks]
    return Table("Gateways", columns, rows)


def _motes(gateways: list[GatewayFound], states: Mapping[str, Said], every: bool) -> Iterator[Table]:
    from orchestrator.cli.tables import Column, Table

    rows = [
        (
            each.mote.name,
            gateway.gateway.name,
            each.mote.platform,
            (_state(each, states), "red" if _wrong(each, states) else ""),
            "; ".join(filter(None, (*_heard(each, states), _about(each), each.out))),
            each.flashed[:12] or None,
        )
        for gateway in gateways
        for each in gateway.motes
        if every or (_wrong(each, states) and not gateway.error)
    ]
    if rows:
        yield Table(
            "Motes", ["mote", "gateway", "platform", "state", Column("", prose=True), "flashed"], rows
        )


def _living(gateways: list[GatewayFound], asked: Mapping[str, Said]) -> str:
    """Return what asking them showed, as the sentence goes on."""
    states = [
        asked[mote.mote.name].state
        for gateway in gateways
        for mote in gateway.motes
        if mote.mote.name in asked
    ]
    if not states:
        return ", which doesn't show that they are alive"
    words = {
        ANSWERS: "say who they are",
        PRINTS: "print something else",
        SILENT: "print nothing",
        IN_USE: "are in use",
    }
    return "".join(f"; {states.count(state)} {text}" for state, text in words.items() if state in states)


def _state(mote: MoteFound, states: Mapping[str, Said]) -> str:
    if mote.present and mote.out:
        return "out of the pool"
    own = states.get(mote.mote.name)
    return own.state if mote.present and own is not None else mote.state


def _heard(mote: MoteFound, states: Mapping[str, Said]) -> list[str]:
    """Return what the mote said, in words."""
    own = states.get(mote.mote.name)
    if own is None or not mote.present:
        return []
    if own.identity is not None:
        eui64 = [] if own.identity.eui64 else ["it doesn't know its EUI-64"]
        runs = own.text or f"runs {own.identity.firmware}"
        return [runs, *eui64, *own.differences(mote.mote)]
    if own.state == SILENT:
        return [own.text or "dead, or its firmware prints nothing (--flash-probe tells)"]
    return [f"prints {own.text!r}" if own.state == PRINTS else own.text]


def _about(mote: MoteFound) -> str:
    if mote.other_platform:
        return f"the device is {mote.other_platform}"
    return mote.usb if mote.present else mote.detail


def _style(gateway: GatewayFound) -> str:
    return "" if all(mote.present for mote in gateway.motes) else "red"
