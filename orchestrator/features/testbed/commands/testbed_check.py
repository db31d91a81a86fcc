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
        found = check(lab, network)
        said = {} if args.devices else ask(network, found)
        if args.flash_probe is not None:
            said |= probing.probe(lab, network, found, said, blob(args.flash_probe))
    if args.json:
        print(json.dumps({"lab": lab.name, "gateways": [described(one, said) for one in found]}, indent=2))
    else:
        _show(found, said, args.motes)
    motes = [mote for one in found for mote in one.motes]
    wrong = [mote for mote in motes if _wrong(mote, said)]
    silent = [one for one in found if one.lacks()]
    return RunFailed.exit_code if wrong or silent else 0


def _wrong(found: MoteFound, said: Mapping[str, Said]) -> bool:
    """Whether a mote isn't as the inventory says."""
    own = said.get(found.mote.name)
    return bool(
        not found.present
        or found.other_platform
        or found.out
        or (own is not None and (own.alive is False or own.differences(found.mote)))
    )


def described(one: GatewayFound, said: Mapping[str, Said]) -> dict:
    """Return a gateway and its motes as plain values.

    `said`: what motes said, by name; those not asked aren't in it.
    """
    return {
        "gateway": one.gateway.name,
        "address": one.gateway.ssh.address,
        "lacks": one.lacks(),
        "system": one.system,
        "python": one.python,
        "free_kb": one.free_kb,
        "clock_s": one.clock_s,
        "other_devices": one.others,
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
                "asked": _said(each, said.get(each.mote.name)),
            }
            for each in one.motes
        ],
    }


def _said(found: MoteFound, own: Said | None) -> dict | None:
    if own is None:
        return None
    return {
        "state": own.state,
        "alive": own.alive,
        "identity": None if own.identity is None else vars(own.identity),
        "text": own.text,
        "differs": own.differences(found.mote),
    }


def _show(found: list[GatewayFound], said: Mapping[str, Said], every: bool) -> None:
    from orchestrator.console import show
    from orchestrator.words import counted

    show(_gateways(found), *_motes(found, said, every))
    for one in found:
        if one.others:
            show(f"{one.gateway.name} has devices that the inventory lacks: {', '.join(one.others[:8])}")
    there = sum(mote.present for one in found for mote in one.motes)
    total = sum(len(one.motes) for one in found)
    answering = sum(not one.error for one in found)
    show(
        f"{answering} of {counted(len(found), 'gateway')} answer; {there} of {counted(total, 'mote')} "
        f"are plugged in{_living(found, said)}."
    )


def _gateways(found: list[GatewayFound]) -> Table:
    from orchestrator.cli.tables import Column, Table, numbers

    rows = [
        (
            one.gateway.name,
            one.gateway.ssh.address,
            (f"{sum(mote.present for mote in one.motes)} of {len(one.motes)}", _style(one)),
            one.python or None,
            f"{one.free_kb / 1e6:,.1f} GB" if not one.error else None,
            f"{one.clock_s:+d} s" if one.clock_s is not None else None,
            "; ".join(one.lacks()).split("\n")[0],
        )
        for one in found
    ]
    lacks = Column("what it lacks", prose=True)
    columns = ["gateway", "address", *numbers("motes"), "Python", *numbers("free", "clock"), lacks]
    return Table("Gateways", columns, rows)


def _motes(found: list[GatewayFound], said: Mapping[str, Said], every: bool) -> Iterator[Table]:
    from orchestrator.cli.tables import Column, Table

    rows = [
        (
            each.mote.name,
            one.gateway.name,
            each.mote.platform,
            (_state(each, said), "red" if _wrong(each, said) else ""),
            "; ".join(filter(None, (*_heard(each, said), _about(each), each.out))),
            each.flashed[:12] or None,
        )
        for one in found
        for each in one.motes
        if every or (_wrong(each, said) and not one.error)
    ]
    if rows:
        yield Table(
            "Motes", ["mote", "gateway", "platform", "state", Column("", prose=True), "flashed"], rows
        )


def _living(found: list[GatewayFound], said: Mapping[str, Said]) -> str:
    """Return what asking them showed, as the sentence goes on."""
    states = [said[mote.mote.name].state for one in found for mote in one.motes if mote.mote.name in said]
    if not states:
        return ", which doesn't show that they are alive"
    words = {
        ANSWERS: "say who they are",
        PRINTS: "print something else",
        SILENT: "print nothing",
        IN_USE: "are in use",
    }
    return "".join(f"; {states.count(state)} {text}" for state, text in words.items() if state in states)


def _state(found: MoteFound, said: Mapping[str, Said]) -> str:
    if found.present and found.out:
        return "out of the pool"
    own = said.get(found.mote.name)
    return own.state if found.present and own is not None else found.state


def _heard(found: MoteFound, said: Mapping[str, Said]) -> list[str]:
    """Return what the mote said, in words."""
    own = said.get(found.mote.name)
    if own is None or not found.present:
        return []
    if own.identity is not None:
        eui64 = [] if own.identity.eui64 else ["it can't tell its EUI-64"]
        runs = own.text or f"runs {own.identity.firmware}"
        return [runs, *eui64, *own.differences(found.mote)]
    if own.state == SILENT:
        return [own.text or "dead, or its firmware prints nothing (--flash-probe tells)"]
    return [f"prints {own.text!r}" if own.state == PRINTS else own.text]


def _about(mote: MoteFound) -> str:
    if mote.other_platform:
        return f"the device is {mote.other_platform}"
    return mote.usb if mote.present else mote.detail


def _style(one: GatewayFound) -> str:
    return "" if all(mote.present for mote in one.motes) else "red"
