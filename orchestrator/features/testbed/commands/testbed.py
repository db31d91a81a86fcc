# SPDX-License-Identifier: Apache-2.0
"""orchestrate testbed: motes behind gateways over SSH. Each action has its own module."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.cli.usage import add_actions

if TYPE_CHECKING:
    from orchestrate_testbed.model import Lab, LabLayout

# name -> one line of help; its module is testbed_NAME, with DESCRIPTION, add_arguments(parser), run(args).
ACTIONS = {
    "init": "write an inventory to start from",
    "trust": "show the host keys of gateways, and record them on request",
    "check": "find out which gateways and motes are there, and compare them with the inventory",
    "reserve": "have a lab for a time; others are told",
    "release": "give back what you have reserved",
    "readmit": "take motes back into the pool, after they failed too often",
    "deploy": "flash firmware into motes",
    "collect": "bring the logs of runs whose controller has disappeared",
    "survey": "measure the links between motes, as a medium for the simulator",
    "route": "route the event service's events between the gateways of a lab",
    "predict": "simulate a measured lab, and show how far simulation can be trusted",
    "up": "start a virtual twin of a lab",
    "down": "stop the virtual twin of a lab",
    "status": "what the virtual twin of a lab does",
    "break": "let something fail in the virtual twin of a lab",
}
WITHOUT_FILE = {"init"}  # these have operands of their own
DESCRIPTION = """Work with a testbed: motes behind gateways that are reached over SSH.

LAB is its inventory (YAML): gateways, motes, boards, layouts.
docs/testbed.md describes it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate testbed`."""
    for name, action, module in add_actions(parser, __name__, ACTIONS):
        if name not in WITHOUT_FILE:
            action.add_argument("lab", type=Path, metavar="LAB", help="the inventory (YAML)")
        module.add_arguments(action)


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate testbed`; return the exit code."""
    return args.act(args)


def layout(lab: Lab, name: str) -> LabLayout:
    """Return the layout that --layout names. Raises WrongUsage, which suggests others."""
    from orchestrator.errors import WrongUsage
    from orchestrator.words import did_you_mean

    layouts = {layout.name: layout for layout in lab.layouts}
    if name not in layouts:
        raise WrongUsage(f"--layout: no layout {name!r}; {did_you_mean(name, layouts)}")
    return layouts[name]
