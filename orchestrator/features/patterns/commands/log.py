# SPDX-License-Identifier: Apache-2.0
"""orchestrate log: patterns for the lines of any log. Each action has its own module."""

from __future__ import annotations

import argparse

from orchestrator.cli.usage import add_actions

# name -> one line of help; its module is log_NAME, with DESCRIPTION, add_arguments(parser), run(args).
ACTIONS = {
    "try": "try patterns on a log: what matches, what doesn't, what becomes of it",
    "sets": "list the ready-made sets of patterns, or print one",
}
DESCRIPTION = """Work with log patterns: regular expressions with named, typed groups, which
make events, deliveries, values over time and metrics of any line.

docs/log-patterns.md describes the files. `orchestrate ingest --log FILE
--pattern PATTERNS` and the key `log` of a scenario use them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate log`."""
    for _, action, module in add_actions(parser, __name__, ACTIONS):
        module.add_arguments(action)


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate log`; return the exit code."""
    return args.act(args)
