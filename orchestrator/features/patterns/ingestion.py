# SPDX-License-Identifier: Apache-2.0
"""Options of `orchestrate ingest`: patterns by which logs are read, and the form of logs from elsewhere."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

NONE = "none"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--pattern",
        action="append",
        default=[],
        metavar="FILE.yaml|SET",
        help="read lines by these patterns (`orchestrate log sets` lists the ready-made ones); they stay the "
        "experiment's until others are named; none removes them",
    )
    parser.add_argument(
        "--profile", metavar="NAME", help="with --pattern: the platform whose currents count, such as cc2538"
    )
    parser.add_argument(
        "--form",
        metavar="NAME",
        help="the form of the lines of --log: cooja, log-listener, iot-lab, serialdump (default: found out)",
    )


def given(args: argparse.Namespace) -> bool:
    """Whether the options name runs."""
    return False


@contextmanager
def prepared(
    args: argparse.Namespace, folder: Path, logs: Sequence[tuple[Path, str | None]]
) -> Iterator[list[tuple[Path, str | None]]]:
    """Give the logs in Cooja's form, those from elsewhere as temporary files; keep the patterns afterwards.

    Raises WrongUsage, NoSuchThing, FaultyInput, StorageFailed.
    """
    import tempfile

    from orchestrator.errors import WrongUsage

    if args.profile and not args.pattern:
        raise WrongUsage("--profile goes with --pattern")
    if args.form and not args.log:
        raise WrongUsage("--form goes with --log")
    if NONE in args.pattern and len(args.pattern) > 1:
        raise WrongUsage("--pattern none removes the patterns, so it goes alone")
    if not args.pattern and not logs:
        yield list(logs)
        return
    from orchestrator.features.patterns import stored
    from orchestrator.features.patterns.load import load

    patterns = load(args.pattern, profile=args.profile) if args.pattern and NONE not in args.pattern else None
    with tempfile.TemporaryDirectory(prefix="orchestrate-log-") as place:
        yield [
            _as_cooja(args.form, patterns, log, cell, Path(place) / str(n))
            for n, (log, cell) in enumerate(logs)
        ]
    if args.pattern:
        stored.keep(patterns, folder, stored.COMMAND if patterns else _whose(folder))


def _whose(folder: Path) -> str:
    from orchestrator.features.patterns import stored

    before = stored.of(folder)
    return before[stored.MARKS].get(stored.BY, stored.COMMAND) if before else stored.COMMAND


def _as_cooja(
    named: str | None, patterns: object, log: Path, cell: str | None, place: Path
) -> tuple[Path, str | None]:
    """Return the log as it is, or written in Cooja's form; its cell is then named after the original."""
    from orchestrate_spark.experiment import LOG

    from orchestrator.errors import NoSuchThing
    from orchestrator.features.patterns import lines
    from orchestrator.words import did_you_mean

    if not log.is_file():
        return log, cell  # whoever reads it says so
    if named is not None and named not in lines.FORMS:
        raise NoSuchThing(f"no form {named!r} of lines; {did_you_mean(named, lines.FORMS)}")
    form = lines.FORMS[named] if named else getattr(patterns, "form", None) or lines.form_of(log)
    if form is None or form.name == "cooja":
        return log, cell
    place.mkdir()
    with open(place / log.name, "wb") as stream:
        for part in lines.converted(log, form):
            stream.write(part)
    return place / log.name, cell or (log.resolve().parent.name if log.name == LOG else log.stem)
