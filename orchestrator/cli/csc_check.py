# SPDX-License-Identifier: Apache-2.0
"""orchestrate csc check: check whether Cooja loads files without a window."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.cli.options import add_contiki
from orchestrator.vocabulary.simulators import DEFAULT_RULES, RULES

if TYPE_CHECKING:
    from orchestrator.csc.loading.check import Report

DESCRIPTION = """Check whether Cooja would load and start a .csc without a window, and name
every reason why not, with its line and a remedy. Nothing is built or run;
the command looks for sources and compiles scripts as JavaScript.

exit code: 0 every file loads (perhaps with notes), 3 some file does not load,
4 only the embedded engine cannot run it (--engine embedded), 9 no such file"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate csc check`."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a .csc or .csc.gz file")
    parser.add_argument(
        "--engine",
        choices=("cooja", "embedded"),
        default="cooja",
        help="embedded: also check whether our own engine can run it (default: cooja)",
    )
    parser.add_argument(
        "--rules",
        choices=RULES,
        help="the version of Cooja: that of Contiki-NG 5.0 or that of July 2026 (default: that "
        "of --cooja, otherwise 5.0)",
    )
    add_contiki(parser)
    parser.add_argument(
        "--cooja",
        type=Path,
        metavar="PATH",
        help="a Cooja to check by: its folder ([COOJA_DIR] in the file), jar or start program",
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate csc check`; return the exit code."""
    from orchestrator.csc.loading.report import Loading

    rules, folder = _which(args.cooja, args.rules)
    reports = [_report(file, args, rules, folder) for file in args.files]
    if args.json:
        verdicts = [
            {
                "file": report.file,
                "rules": report.rules,
                "verdict": report.loading.value,
                "findings": [finding._asdict() for finding in report.findings],
            }
            for report, _ in reports
        ]
        print(json.dumps(verdicts, indent=2))
    else:
        for report, only_ours in reports:
            print("\n".join(shown(report, only_ours=only_ours)))
    if any(report.loading is Loading.FAILS and not only_ours for report, only_ours in reports):
        return 3
    return 4 if any(only_ours for _, only_ours in reports) else 0


def _which(named: Path | None, rules: str | None) -> tuple[str, Path | None]:
    """Return the rules and the folder of the Cooja that is meant.

    Raises MissingTool if it is named and not there, WrongUsage if it has other rules than those named.
    """
    from orchestrator.errors import WrongUsage

    if named is None:
        return rules or DEFAULT_RULES, None
    from orchestrator.engines.cooja import classes, find

    place = find.find(named, build=False)
    actual = classes.UNKNOWN if place.jar is None else classes.read(place.jar).rules
    if actual == classes.UNKNOWN:
        return rules or DEFAULT_RULES, place.folder
    if rules not in (None, actual):
        raise WrongUsage(f"the Cooja at {place} is {actual}, not {rules}\n    leave --rules or --cooja out")
    return actual, place.folder


def _report(file: Path, args: argparse.Namespace, rules: str, cooja: Path | None):
    """Return the report, and whether only the embedded engine keeps it from running."""
    from orchestrator.csc import document, read
    from orchestrator.csc.faults import Finding
    from orchestrator.csc.loading.check import judge, misread
    from orchestrator.csc.loading.report import Loading
    from orchestrator.engines.embedded.interpreter import faults
    from orchestrator.errors import FaultyInput

    try:
        written = document.read(file)
    except FaultyInput as faulty:
        return misread(faulty, str(file), rules), False
    report = judge(written, rules, args.contiki, cooja, faults)
    if args.engine != "embedded":
        return report, False
    lines = {finding.line for finding in report.findings if finding.fatal}
    more = []
    for finding in read.judge(written, args.contiki, cooja, syntax=faults)[1].listed():
        here = finding.file == written.file  # else in a script's own file
        if not here or finding.line not in lines:
            what = finding.what if here else f"{finding.file}:{finding.line}: {finding.what}"
            more.append(
                Finding(finding.line if here else 0, True, f"the embedded engine: {what}", finding.remedy)
            )
    return replace(report, findings=(*report.findings, *more)), report.loading is not Loading.FAILS and bool(
        more
    )


def shown(report: Report, fatal_only: bool = False, only_ours: bool = False) -> list[str]:
    """Return the lines that tell a report.

    `only_ours`: Cooja would load the file, only the embedded engine does not run it.
    """
    verdict = "loads, but the embedded engine does not run it" if only_ours else report.loading.value
    lines = [f"{report.file}: {verdict} (Cooja {report.rules})"]
    for finding in report.findings:
        if fatal_only and not finding.fatal:
            continue
        where = f"line {finding.line}: " if finding.line else ""
        lines.append(f"  {'' if finding.fatal else 'note: '}{where}{finding.what}")
        if finding.remedy:
            lines.append(f"      {finding.remedy}")
    return lines
