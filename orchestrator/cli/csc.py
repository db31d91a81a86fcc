# SPDX-License-Identifier: Apache-2.0
"""orchestrate csc: check and mend Cooja's simulation files. Each action has its own module."""

from __future__ import annotations

import argparse

from orchestrator.cli.usage import add_actions

# name -> one line of help; its module is csc_NAME, with DESCRIPTION, add_arguments(parser) and run(args).
ACTIONS = {
    "check": "check whether Cooja loads it without a window",
    "fix": "bring an old file up to date",
    "show": "draw positions, ranges and links as SVG",
    "diff": "list the differences between two files",
    "open": "open a run's or a file's simulation in Cooja's window",
}
DESCRIPTION = "Check, mend, draw, compare and open Cooja's simulation files (.csc, .csc.gz)."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate csc`."""
    for _, action, module in add_actions(parser, __name__, ACTIONS):
        module.add_arguments(action)


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate csc`; return the exit code."""
    return args.act(args)
