# SPDX-License-Identifier: Apache-2.0
"""orchestrate testbed up: start a lab's virtual twin."""

from __future__ import annotations

import argparse

from orchestrator.cli.options import length
from orchestrator.features.testbed.commands.testbed import layout

DESCRIPTION = """Start a virtual twin of a lab on this machine: an sshd of its own for every gateway
and jump host, on loopback addresses or in network namespaces, and motes that the embedded engine runs in
real time behind pseudo-terminals. Motes are blank until they are flashed.

The twin's inventory, LAB.virtual/lab.yaml, is what all other commands take."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate testbed up`."""
    parser.add_argument("--virtual", action="store_true", help="a testbed in a box; no other can be started")
    parser.add_argument("--layout", default="all", help="how the motes stand (default: all)")
    parser.add_argument(
        "--range", type=length, default=1.0, metavar="LENGTH", help="of radios at full power (default: 1 m)"
    )
    parser.add_argument(
        "--interference", type=length, metavar="LENGTH", help="range of interference (default: twice that)"
    )
    parser.add_argument(
        "--ratio", type=_share, default=1.0, metavar="SHARE", help="of frames received at the range's edge"
    )
    parser.add_argument(
        "--disk",
        type=int,
        metavar="MB",
        help="of each gateway: a file system in memory, which `break disk` fills (needs the right to mount)",
    )
    parser.add_argument(
        "--namespaces",
        action="store_true",
        help="each gateway has a network of its own, so that `break link G1 --to G2` works (needs the right "
        "to make network namespaces)",
    )
    parser.add_argument("--seed", type=int, default=1, help="of the radio's losses (default: 1)")


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share from 0 to 1")
    return value


def _bytes(megabytes: int | None) -> int | None:
    from orchestrator.errors import WrongUsage

    if megabytes is not None and megabytes < 1:
        raise WrongUsage("--disk: a disk has at least 1 MB")
    return None if megabytes is None else megabytes * 1_000_000


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate testbed up`; return the exit code."""
    from orchestrator.console import show
    from orchestrator.csc.model import Udgm
    from orchestrator.errors import WrongUsage
    from orchestrator.features.testbed import virtual_testbed
    from orchestrator.features.testbed.inventory import load
    from orchestrator.words import counted

    if not args.virtual:
        raise WrongUsage("only a virtual testbed can be started: add --virtual\n    a real one is there")
    # A layout that the lab hasn't ends the command before anything starts.
    layout(load(args.lab), args.layout)
    medium = Udgm(args.range, args.interference or 2 * args.range, 1.0, args.ratio)
    twin = virtual_testbed.up(args.lab, medium, args.layout, args.seed, _bytes(args.disk), args.namespaces)
    show(
        f"{counted(len(twin.lab.gateways), 'gateway')} and {counted(len(twin.lab.motes), 'blank mote')} run. "
        f"The inventory of the twin: {twin.inventory}"
    )
    show(f"    orchestrate testbed check {twin.inventory}\n    orchestrate testbed down {args.lab}")
    return 0
