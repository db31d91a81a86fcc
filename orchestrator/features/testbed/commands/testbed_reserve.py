# SPDX-License-Identifier: Apache-2.0
"""orchestrate testbed reserve: have a lab for a time."""

from __future__ import annotations

import argparse

from orchestrator.cli.options import duration

DESCRIPTION = """Reserve all gateways of a lab that answer, or extend your own reservation.
Others who run, deploy or reserve are told who has it and for how long. The
records are on the gateways, whose clocks decide when they are over."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate testbed reserve`."""
    parser.add_argument(
        "--for", dest="length", type=duration, default=3600.0, metavar="TIME", help="how long (default: 1 h)"
    )
    parser.add_argument("--purpose", default="", metavar="TEXT", help="what others are told")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate testbed reserve`; return the exit code."""
    from orchestrate_testbed.ssh import Network

    from orchestrator.console import show
    from orchestrator.errors import WrongUsage
    from orchestrator.features.testbed.inventory import load
    from orchestrator.features.testbed.reservation import MOST_S, me, reserve
    from orchestrator.words import counted

    if args.length > MOST_S:
        raise WrongUsage(f"--for: at most {MOST_S // 86_400} days")
    if len(args.purpose) > 100 or not args.purpose.isprintable():
        raise WrongUsage("--purpose: write a line of at most 100 characters")
    lab = load(args.lab)
    with Network(lab.known_hosts) as network:
        held = reserve(lab, network, round(args.length), args.purpose)
    silent = [gateway.name for gateway in lab.gateways if gateway.name not in held]
    show(f"{me()} has {counted(len(held), 'gateway')} of {lab.name} for {args.length / 60:g} min.")
    if silent:
        show(f"No answer from {', '.join(silent)}.")
    return 0
