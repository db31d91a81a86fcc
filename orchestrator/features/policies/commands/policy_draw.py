# SPDX-License-Identifier: Apache-2.0
"""orchestrate policy draw: pictures of policies, and the overview page of an application."""

from __future__ import annotations

import argparse
from pathlib import Path

DESCRIPTION = """Draw each policy as a state machine (POLICY.svg), as in the paper's Figures 4 and 12.

--overview writes a page of the application: who advertises, notifies and subscribes
to what, whether it is encrypted, and all state machines."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--out", type=Path, default=Path(), metavar="DIR", help="where to write (default: here)"
    )
    parser.add_argument("--overview", type=Path, metavar="FILE.html", help="write the overview page")


def run(args: argparse.Namespace) -> int:
    """Draw; return the exit code."""
    from orchestrator.cli import files
    from orchestrator.features.policies import extensions
    from orchestrator.features.policies.application import sound
    from orchestrator.features.policies.overview import page
    from orchestrator.features.policies.picture import picture

    application, _ = sound(args.files, extensions.with_more(args.extensions))
    written = [args.overview] if args.overview else []
    if args.overview:
        files.write(args.overview, page(application).encode())
    else:
        args.out.mkdir(parents=True, exist_ok=True)
        for policy in application.policies:
            path = args.out / f"{policy.name}.svg"
            files.write(path, picture(policy).svg().encode())
            written.append(path)
    for path in written:
        print(f"written: {path}")
    return 0
