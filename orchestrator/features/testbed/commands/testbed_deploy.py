# SPDX-License-Identifier: Apache-2.0
"""orchestrate testbed deploy: firmware into the motes of a lab."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.features.testbed.commands.testbed import layout

if TYPE_CHECKING:
    from orchestrator.features.testbed.deploy import Deployed

DESCRIPTION = """Flash firmware into motes. Files go to the gateways once, by their content;
motes that run this firmware already are left as they are. If no gateway can
flash its first mote, the others are left alone. A mote that can't be flashed
gets the firmware back that it had; one that failed too often leaves the pool.

exit code: 0 every mote runs it; 7 some don't."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate testbed deploy`."""
    parser.add_argument("firmware", type=Path, metavar="FIRMWARE", help="as the motes' tool takes it")
    parser.add_argument("--layout", default="all", metavar="NAME", help="whose motes (default: all)")
    parser.add_argument("--motes", metavar="LIST", help="these motes instead: M1,M2")
    parser.add_argument("--image", type=Path, metavar="FILE", help="for their EEPROM, the same for all")
    parser.add_argument("--again", action="store_true", help="also flash motes that run it already")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate testbed deploy`; return 7 if some mote doesn't run the firmware."""
    from orchestrate_testbed.ssh import Network
    from orchestrate_testbed.transfer import blob

    from orchestrator.console import stages
    from orchestrator.errors import NoSuchThing, RunFailed, WrongUsage
    from orchestrator.features.testbed.deploy import Wanted, deploy, places
    from orchestrator.features.testbed.inventory import load
    from orchestrator.features.testbed.reservation import refuse_taken
    from orchestrator.words import did_you_mean

    lab = load(args.lab)
    files = [path for path in (args.firmware, args.image) if path is not None]
    for path in files:
        if not path.is_file():
            raise NoSuchThing(f"no file {str(path)!r}\n    name the firmware as the motes' tool takes it")
    chosen = layout(lab, args.layout)
    all_names = [mote.name for mote in lab.motes]
    names = args.motes.split(",") if args.motes else [spot.mote for spot in chosen.spots]
    for name in names:
        if name not in all_names:
            raise WrongUsage(f"--motes: no mote {name!r}; {did_you_mean(name, all_names)}")
    firmware, image = blob(args.firmware), None if args.image is None else blob(args.image)
    wanted = [Wanted(lab.mote(name), firmware, image) for name in dict.fromkeys(names)]
    with Network(lab.known_hosts) as network, stages(lab.name) as display:
        at = places(lab, network, [wish.mote for wish in wanted])
        done = deploy(lab, at, wanted, args.again, display, refuse_taken)
        for place in at.values():
            place.disconnect()
    without_python = [name for name, place in at.items() if place.found_plain]
    if args.json:
        print(json.dumps(_described(done) | {"without_python": without_python}, indent=2))
    else:
        _show(done, without_python)
    return RunFailed.exit_code if done.failures() else 0


def _described(done: Deployed) -> dict:
    return {
        "sent_bytes": done.sent,
        "motes": [
            {"mote": name, "gateway": loaded.mote.gateway, "state": loaded.state, "why": loaded.why}
            for name, loaded in done.motes.items()
        ],
    }


def _show(done: Deployed, without_python: list[str]) -> None:
    from collections import Counter

    from orchestrator.cli.tables import Column, Table
    from orchestrator.console import show

    failures = done.failures()
    if failures:
        rows = [
            (failure.mote.name, failure.mote.gateway, (failure.state, "red"), failure.why.split("\n")[0])
            for failure in failures
        ]
        columns = ["mote", "gateway", "state", Column("why", prose=True)]
        show(Table("Motes without this firmware", columns, rows))
    for name in without_python:
        show(f"{name} has no Python: tools that need it can't run there. Write `python: none` to {name}.")
    counts = Counter(mote.state for mote in done.motes.values())
    show(
        f"{done.sent:,} bytes sent; "
        + ", ".join(f"{count} {_WORDS.get(state, state)}" for state, count in counts.items())
    )


_WORDS = {"kept": "ran it already"}
