# SPDX-License-Identifier: Apache-2.0
"""orchestrate csc show: a .csc as a picture."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from orchestrator.words import first_of

DESCRIPTION = """Describe the motes and links of a .csc, and draw them: motes by type, ranges,
and links with their ratio of reception. Any mote type, any medium and files
of any age are accepted."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate csc show`."""
    parser.add_argument("file", type=Path, metavar="FILE", help="a .csc or .csc.gz file")
    parser.add_argument("-o", "--out", type=Path, metavar="OUT.svg", help="draw a picture into this file")
    parser.add_argument("--json", action="store_true", help="print motes and links as JSON")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate csc show`; return the exit code."""
    from orchestrator.cli.files import write
    from orchestrator.csc import classes
    from orchestrator.csc.links import links
    from orchestrator.csc.picture import picture, summary
    from orchestrator.csc.survey import survey

    seen = survey(args.file)
    if args.out is not None:
        write(args.out, picture(seen).svg().encode("utf-8"))
    if args.json:
        result = {
            **seen.settings,
            "medium": seen.medium,
            "values": seen.values,
            "types": [vars(kind) for kind in seen.types],
            "motes": [
                {"id": mote.id, "type": mote.type, "x": mote.x, "y": mote.y, "z": mote.z}
                for mote in seen.motes
            ],
            "links": [
                {"from": seen.motes[first].id, "to": seen.motes[other].id, "ratio": round(ratio, 6)}
                for (first, other), ratio in links(seen).items()
            ],
        }
        print(json.dumps(result, indent=2))
        return 0
    print(f"{seen.settings['title'] or seen.file}: {'; '.join(summary(seen))}")
    for number, kind in enumerate(seen.types):
        motes = [mote for mote in seen.motes if mote.type == number]
        print(
            f"  {len(motes)} x {kind.title} ({classes.short(kind.kind)}): {_ids([mote.id for mote in motes])}"
        )
    print(f"drawn: {args.out}" if args.out else "draw it with -o FILE.svg")
    return 0


def _ids(ids: list) -> str:
    """Write runs of numbers as 1-5."""
    parts: list[list] = []
    for mote in ids:
        if parts and isinstance(mote, int) and isinstance(parts[-1][-1], int) and mote == parts[-1][-1] + 1:
            parts[-1] = [parts[-1][0], mote]
        else:
            parts.append([mote])
    return first_of(["-".join(str(end) for end in part) for part in parts], 20)
