# SPDX-License-Identifier: Apache-2.0
"""orchestrate testbed init: an inventory to start from."""

from __future__ import annotations

import argparse
from pathlib import Path

from orchestrator.cli.options import positive

DESCRIPTION = """Write an inventory to start from, NAME.yaml: boards of 2 x 4 motes, each
behind a gateway, or motes that stand as those of a scenario's first cell.
Correct its addresses, devices and EUI-64s."""
_MOST_BOARDS = 750


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate testbed init`."""
    parser.add_argument(
        "name", nargs="?", default="lab", help="the lab's name, or a path NAME.yaml (default: lab)"
    )
    parser.add_argument("--boards", type=positive, default=12, metavar="N", help="how many (default: 12)")
    parser.add_argument(
        "--like",
        type=Path,
        metavar="SCENARIO",
        help="a mote for each of this scenario's, a gateway for each base station's tree",
    )
    parser.add_argument("--platform", default="sky", metavar="P", help="of its motes (default: sky)")
    parser.add_argument("--force", action="store_true", help="overwrite the file if it exists")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate testbed init`; return the exit code."""
    from orchestrator.cli import files
    from orchestrator.errors import WrongUsage
    from orchestrator.features.testbed.settings import LAB, PLATFORM
    from orchestrator.features.testbed.starter import like, starter

    path = Path(args.name if args.name.endswith((".yaml", ".yml")) else args.name + ".yaml")
    if not LAB.fullmatch(path.stem):
        raise WrongUsage(
            f"{path.stem!r} is not a valid name; use letters, digits, `-`, `_` and `.`, at most 32"
        )
    if not PLATFORM.fullmatch(args.platform):
        raise WrongUsage(
            f"--platform: {args.platform!r} is not a valid name; write it as Contiki does, such as sky"
        )
    if args.boards > _MOST_BOARDS:
        raise WrongUsage(f"--boards: at most {_MOST_BOARDS} are possible")
    if path.exists() and not args.force:
        raise WrongUsage(f"{path} already exists; choose another name, or overwrite it with --force")
    if args.like is None:
        text = starter(path.stem, args.boards, args.platform)
    else:
        from orchestrator.applications.place import place
        from orchestrator.scenario.load import load

        text = like(path.stem, place(load(args.like).cells[0]).layout, args.platform)
    files.write(path, text.encode())
    print(
        f"{path} written. Correct it, then:\n  orchestrate testbed trust {path}\n"
        f"  orchestrate testbed check {path}"
    )
    return 0
