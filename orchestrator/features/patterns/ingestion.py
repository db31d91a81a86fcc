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
        help="the form of the lines of --log: cooja, log-listener, seconds, iot-lab, serialdump "
        "(default: found out)",
    )
    parser.add_argument(
        "--together", action="store_true", help="the logs of --log are of one run, such as one for each mote"
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
    if (args.form or args.together) and not args.log:
        raise WrongUsage("--form and --together go with --log")
    if NONE in args.pattern and len(args.pattern) > 1:
        raise WrongUsage("--pattern none removes the patterns, so it goes alone")
    if not args.pattern and not logs:
        yield list(logs)
        return
    from orchestrator.features.patterns import stored
    from orchestrator.features.patterns.load import load

    patterns = load(args.pattern, profile=args.profile) if args.pattern and NONE not in args.pattern else None
    groups = [list(logs)] if args.together else [[one] for one in logs]
    with tempfile.TemporaryDirectory(prefix="orchestrate-log-") as place:
        yield [
            one
            for number, group in enumerate(groups)
            for one in _as_cooja(args.form, patterns, group, Path(place) / str(number))
        ]
    if args.pattern:
        stored.keep(patterns, folder, stored.COMMAND if patterns else _whose(folder))


def _whose(folder: Path) -> str:
    from orchestrator.features.patterns import stored

    before = stored.of(folder)
    return before[stored.MARKS].get(stored.BY, stored.COMMAND) if before else stored.COMMAND


def _as_cooja(
    named: str | None, patterns: object, logs: Sequence[tuple[Path, str | None]], place: Path
) -> list[tuple[Path, str | None]]:
    """Return the logs of one run as they are, or as one in Cooja's form, named after the first."""
    from orchestrate_spark.experiment import LOG

    from orchestrator.errors import NoSuchThing
    from orchestrator.features.patterns import lines
    from orchestrator.words import did_you_mean

    if not all(log.is_file() for log, _ in logs):
        return list(logs)  # whoever reads them says which are not there
    if named is not None and named not in lines.FORMS:
        raise NoSuchThing(f"no form {named!r} of lines; {did_you_mean(named, lines.FORMS)}")
    given = lines.FORMS[named] if named else getattr(patterns, "form", None)
    forms = [given or lines.form_of(log) for log, _ in logs]
    if None in forms or (len(logs) == 1 and forms[0].name == "cooja"):
        return list(logs)
    first, cell = logs[0]
    place.mkdir()
    with open(place / first.name, "wb") as stream:
        for part in lines.converted([(log, form) for (log, _), form in zip(logs, forms, strict=True)]):
            stream.write(part)
    return [(place / first.name, cell or (first.resolve().parent.name if first.name == LOG else first.stem))]
