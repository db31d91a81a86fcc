# SPDX-License-Identifier: Apache-2.0
"""orchestrate testbed down: stop a lab's virtual twin."""

from __future__ import annotations

import argparse

DESCRIPTION = """Stop the virtual twin of a lab, whatever is left of it: all its processes are
killed, and its folder is removed."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate testbed down`."""


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate testbed down`; return the exit code."""
    from orchestrate_testbed.virtual import testbed

    from orchestrator.console import show
    from orchestrator.features.testbed.virtual_testbed import folder_of

    folder = folder_of(args.lab)
    testbed.find(folder)
    testbed.down(folder)
    show(f"The virtual testbed is gone, and {folder} with it.")
    return 0
