# SPDX-License-Identifier: Apache-2.0
"""orchestrate testbed readmit: motes back into the pool."""

from __future__ import annotations

import argparse

DESCRIPTION = """Take motes back into the pool that failed too often in a row, once they are
repaired: their records of failures are removed from their gateways.
`orchestrate testbed check` names such motes and why they failed."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate testbed readmit`."""
    parser.add_argument("motes", nargs="+", metavar="MOTE", help="its name in the inventory")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate testbed readmit`; return the exit code."""
    from orchestrate_testbed.ssh import Network

    from orchestrator.console import show
    from orchestrator.errors import WrongUsage
    from orchestrator.features.testbed.inventory import load
    from orchestrator.features.testbed.pool import readmit
    from orchestrator.words import counted, did_you_mean

    lab = load(args.lab)
    by_name = {mote.name: mote for mote in lab.motes}
    if unknown := [name for name in args.motes if name not in by_name]:
        raise WrongUsage(f"{lab.name} has no mote {unknown[0]}; {did_you_mean(unknown[0], sorted(by_name))}")
    wanted = [by_name[name] for name in dict.fromkeys(args.motes)]
    with Network(lab.known_hosts) as network:
        readmit(lab, network, wanted)
    show(f"{counted(len(wanted), 'mote')} taken back: no failure is on record.")
    return 0
