# SPDX-License-Identifier: Apache-2.0
"""orchestrate policy format: policies in one form."""

from __future__ import annotations

import argparse
import sys

DESCRIPTION = """Print policies in one form, or write it into their files (--write).

A file with faults of its form is left alone (exit code 3)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--write", action="store_true", help="write into the files")
    parser.add_argument(
        "--check", action="store_true", help="only say which files would change (exit code 1)"
    )


def run(args: argparse.Namespace) -> int:
    """Format; return the exit code."""
    from orchestrator.cli import files
    from orchestrator.errors import Fault, FaultyInput
    from orchestrator.features.policies.application import read
    from orchestrator.features.policies.formatter import formatted

    faults, changed = [], 0
    for path in args.files:
        source, findings = read(path)
        if findings:
            faults += [
                Fault(
                    f"{finding.file}:{finding.at.line}:{finding.at.column}", 0, finding.what, finding.remedy
                )
                for finding in findings
            ]
            continue
        before = path.read_bytes().decode()
        after = formatted(before, source)
        if not args.write and not args.check:
            sys.stdout.write(after)
        elif before != after:
            changed += 1
            if args.write:
                files.write(path, after.encode())
            print(f"{'written' if args.write else 'would change'}: {path}")
    if faults:
        raise FaultyInput(faults)
    return 1 if args.check and changed else 0
