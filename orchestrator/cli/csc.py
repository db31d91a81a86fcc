# SPDX-License-Identifier: Apache-2.0
"""orchestrate csc: look into Cooja's simulation files, and mend them. Each action is in a file of its own."""

from __future__ import annotations

from importlib import import_module

from orchestrator.cli.usage import Help

# name -> one line of help; its module is csc_NAME, with DESCRIPTION, add_arguments(parser) and run(args).
ACTIONS = {
    "check": "would it load in a headless Cooja? every reason why not",
    "fix": "bring old forms up to date, add what ends a headless run",
    "show": "draw positions, ranges and links as SVG",
    "diff": "what differs between two, whatever their formatting",
    "open": "open a run's or a file's simulation in Cooja's window",
}
DESCRIPTION = "Look into Cooja's simulation files (.csc, .csc.gz), and mend them."


def add_arguments(parser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, text in ACTIONS.items():
        module = import_module(f"orchestrator.cli.csc_{name}")
        action = actions.add_parser(name, help=text, description=module.DESCRIPTION, formatter_class=Help)
        module.add_arguments(action)


def run(args) -> int:
    return import_module(f"orchestrator.cli.csc_{args.action}").run(args)
