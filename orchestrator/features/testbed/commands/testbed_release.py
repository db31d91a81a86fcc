# SPDX-License-Identifier: Apache-2.0
"""orchestrate testbed release: give a lab back."""

from __future__ import annotations

import argparse

DESCRIPTION = """Give back what you have reserved. Other users' reservations stay."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate testbed release`: none."""


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate testbed release`; return the exit code."""
    from orchestrate_testbed.ssh import Network

    from orchestrator.console import show
    from orchestrator.features.testbed.inventory import load
    from orchestrator.features.testbed.reservation import mine, release
    from orchestrator.words import counted

    lab = load(args.lab)
    with Network(lab.known_hosts) as network:
        held = mine(lab, network)
        release(lab, network, held)
    show(f"{counted(len(held), 'gateway')} of {lab.name} given back.")
    return 0
