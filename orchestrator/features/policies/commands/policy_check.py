# SPDX-License-Identifier: Apache-2.0
"""orchestrate policy check: every fault of policies, with its line, column and remedy."""

from __future__ import annotations

import argparse

DESCRIPTION = """Check policies together, as those of one application.

Prints errors and warnings with file, line, column and the check's name. A comment
above or behind a line silences a check there: // allow gap: the sensor never reads that.
Exit code 3: there are errors (with --strict: or Figure 5 refuses something)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--strict", action="store_true", help="say what the grammar of the paper's Figure 5 refuses"
    )
    parser.add_argument(
        "--application",
        metavar="APP",
        help="the application that is to have the policies (name or folder): its components' topics, and "
        "whether it links what the policies use",
    )


def run(args: argparse.Namespace) -> int:
    """Check; return the exit code."""
    from orchestrator.features.policies import extensions
    from orchestrator.features.policies.application import gather, read
    from orchestrator.features.policies.findings import ERROR
    from orchestrator.features.policies.strict import NOTES, refused
    from orchestrator.words import counted

    if args.strict:
        findings, faulty = [], False
        for path in args.files:
            source, faults = read(path)
            faulty = faulty or bool(faults)
            findings += faults or refused(path.read_text(encoding="utf-8"), source)
    else:
        components = None
        if args.application is not None:
            from orchestrator.build.sources import application_folder
            from orchestrator.features.policies import components as reader

            components = reader.read(application_folder(args.application))
        _, findings = gather(args.files, extensions.with_more(args.extensions), components)
    for finding in findings:
        print(finding)
    errors = sum(finding.severity == ERROR for finding in findings)
    if args.strict:
        print("\n".join(f"note: {note}" for note in NOTES))
        result = f"Figure 5 refuses {counted(errors, 'construct')}"
        if faulty:
            result = "a text with faults of our own language is not compared with Figure 5"
        print(result if errors else "Figure 5 takes it")
    else:
        print(f"{counted(errors, 'error')}, {counted(len(findings) - errors, 'warning')}")
    return 3 if errors else 0
