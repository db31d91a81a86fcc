# SPDX-License-Identifier: Apache-2.0
"""orchestrate distribution change: from one mode of a system to another, while it runs."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

DESCRIPTION = """Judge whether a running system can go over to another mode, which has a file of
its own. If everything of both modes can be there at once, the change is
possible at any time, and no target of both reads outdated data. Otherwise the
old mode has to end first. The exit code is 1 if one of the modes isn't
schedulable itself."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate distribution change`."""
    parser.add_argument("other", type=Path, metavar="OTHER", help="the mode to go over to (YAML)")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate distribution change`; return 1 if it isn't possible."""
    from orchestrator.features.distribution.commands.distribution_common import reading, us
    from orchestrator.features.distribution.load import load
    from orchestrator.features.distribution.modes import change

    before, after = load(args.file), load(args.other)
    mode_change = change(before, after, reading(args))
    late = [bound.task.name for bound in mode_change.together if not bound.held]
    if args.json:
        content = {
            "possible": mode_change.possible,
            "at_once": mode_change.at_once,
            "schedulable": {
                mode.system.name: mode.schedulable for mode in (mode_change.before, mode_change.after)
            },
            "overloaded": list(mode_change.overloaded),
            "not_held": late,
            "pause": mode_change.pause if mode_change.possible and not mode_change.at_once else None,
        }
        print(json.dumps(content, indent=2))
        return 0 if mode_change.possible else 1
    for mode in (mode_change.before, mode_change.after):
        print(f"{mode.system.name} is {'' if mode.schedulable else 'not '}schedulable by itself.")
    if mode_change.at_once:
        print(
            f"The change from {before.name} to {after.name} is possible at any time: with everything of both "
            "modes there, all deadlines are held."
        )
    elif mode_change.possible:
        why = (
            f"{', '.join(mode_change.overloaded)} would have more to do than time"
            if mode_change.overloaded
            else f"{', '.join(late[:5])} would not be shown to hold their deadlines"
        )
        print(
            f"The change needs a pause: with everything of both modes there, {why}. After the last release "
            f"of {before.name} its jobs end within {us(mode_change.pause)} us; {after.name} can begin then."
        )
    return 0 if mode_change.possible else 1
