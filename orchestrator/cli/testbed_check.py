# SPDX-License-Identifier: Apache-2.0
"""orchestrate testbed check: what of a lab is there, beside its inventory."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrator.testbed.check import GatewayFound, MoteFound

DESCRIPTION = """Ask every gateway what it is and which motes are plugged in, and compare that
with the inventory. Nothing is assumed to be there. The exit code is 7 if
something is missing, or a mote is out of the pool."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate testbed check`."""
    parser.add_argument(
        "--motes", action="store_true", help="list every mote, also those that are as they should"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate testbed check`; return 7 if something is missing."""
    from orchestrate_testbed.ssh import Network

    from orchestrator.errors import RunFailed
    from orchestrator.testbed.check import check
    from orchestrator.testbed.inventory import load

    lab = load(args.lab)
    with Network(lab.known_hosts) as network:
        found = check(lab, network)
    if args.json:
        print(json.dumps({"lab": lab.name, "gateways": [described(one) for one in found]}, indent=2))
    else:
        _show(found, args.motes)
    motes = [mote for one in found for mote in one.motes]
    wrong = [mote for mote in motes if not mote.present or mote.other_platform or mote.out]
    silent = [one for one in found if one.lacks()]
    return RunFailed.exit_code if wrong or silent else 0


def described(one: GatewayFound) -> dict:
    """A gateway and its motes as plain values."""
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
            }
            for each in one.motes
        ],
    }


def _show(found: list[GatewayFound], every: bool) -> None:
    from orchestrator.cli.tables import Column, Table
    from orchestrator.console import show
    from orchestrator.words import counted

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
    columns = [
        "gateway", "address", Column("motes", True), "Python", Column("free", True), Column("clock", True),
        Column("what it lacks", prose=True),
    ]  # fmt: skip
    show(Table("Gateways", columns, rows))
    motes = [
        (
            each.mote.name,
            one.gateway.name,
            each.mote.platform,
            ("out of the pool" if each.present and each.out else each.state, _mote_style(each)),
            "; ".join(filter(None, (_about(each), each.out))),
            each.flashed[:12] or None,
        )
        for one in found
        for each in one.motes
        if every or each.other_platform or each.out or (not each.present and not one.error)
    ]
    if motes:
        show(
            Table("Motes", ["mote", "gateway", "platform", "state", Column("", prose=True), "flashed"], motes)
        )
    for one in found:
        if one.others:
            show(f"{one.gateway.name} has devices that the inventory lacks: {', '.join(one.others[:8])}")
    there = sum(mote.present for one in found for mote in one.motes)
    total = sum(len(one.motes) for one in found)
    answering = sum(not one.error for one in found)
    show(
        f"{answering} of {counted(len(found), 'gateway')} answer; {there} of {counted(total, 'mote')} "
        "are plugged in."
    )


def _about(mote: MoteFound) -> str:
    if mote.other_platform:
        return f"the device is {mote.other_platform}"
    return mote.usb if mote.present else mote.detail


def _mote_style(mote: MoteFound) -> str:
    return "" if mote.present and not mote.out else "red"


def _style(one: GatewayFound) -> str:
    return "" if all(mote.present for mote in one.motes) else "red"
