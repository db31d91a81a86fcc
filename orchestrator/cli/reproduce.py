# SPDX-License-Identifier: Apache-2.0
"""orchestrate reproduce: stored runs made again from their manifests and compared byte for byte."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.cli.options import add_engine, add_store, add_workers
from orchestrator.words import counted, enumerated

if TYPE_CHECKING:
    from orchestrator.execution.reproduce import Part, Reproduced
    from orchestrator.runs.manifest import Manifest
    from orchestrator.runs.store import Store

DESCRIPTION = """Make stored runs again from their manifests and compare every byte.

The .csc is written again from the manifest, firmware is compiled again (not
taken from the cache) of the sources that the store keeps, and the engine runs
again. Its table says of each whether it is the same, differs or could not be
made, and why. Nothing is written to the store.

  orchestrate reproduce chain/H10A/7
      one run; named as in `orchestrate show`
  orchestrate reproduce chain
      all runs of the experiment's present campaign, in parallel
  orchestrate reproduce chain/H10A
      all runs of a cell
  orchestrate reproduce chain --engine embedded
      runs of a real Cooja by the embedded engine, where that Cooja is missing

exit code: 0 everything is the same; 1 something differs; 5 a compiler or the
Cooja is missing; 6 the build failed; 7 the run could not be compared; 8 the
manifest or the kept sources are damaged; 9 no such run, or its Contiki-NG tree
is missing. With several, the worst (docs/exit-codes.md)."""
_DIGITS = 12  # shown of a digest
_STYLES = {"same": "green", "differs": "red", "not made": "yellow", "other version": "yellow"}
_FILES = 10  # changed sources that are named


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate reproduce`."""
    parser.add_argument(
        "run",
        nargs="+",
        metavar="RUN",
        help="EXPERIMENT, EXPERIMENT/CELL, EXPERIMENT/CELL/SEED, EXPERIMENT RUN or a run folder",
    )
    add_store(parser)
    add_engine(parser)
    add_workers(parser)
    parser.add_argument(
        "--results",
        action="store_true",
        help="let log and outcome alone decide the exit code, so that another compiler or engine may make "
        "them",
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate reproduce`; return the exit code."""
    from orchestrator.runs.store import Store, default_store

    store = Store(default_store(args.store))
    again, code = made(args, named(store, args.run), args.run[0])
    if args.json:
        print(json.dumps([described(repetition) for repetition in again], indent=2))
    else:
        show_all(again)
    return code


def made(
    args: argparse.Namespace, runs: Sequence[tuple[Path, Manifest]], label: str
) -> tuple[list[Reproduced], int]:
    """Make runs again as the options say; return the results and the exit code."""
    from orchestrator.cli.guard import worst
    from orchestrator.console import say, stages
    from orchestrator.engines.protocol import known
    from orchestrator.execution import reproduce
    from orchestrator.scenario.model import EngineOptions

    if args.engine is not None:
        known(args.engine)
    with stages(label) as display:
        again = reproduce.reproduce(
            runs,
            engine_name=args.engine,
            options=EngineOptions(args.cooja, args.heap, args.engine_image, plain=args.plain),
            workers=args.workers,
            show=lambda done, total: display("reproducing", done, total, "runs"),
            say=say,
        )
    deciding = (reproduce.LOG, reproduce.OUTCOME) if args.results else None
    return again, worst(code for repetition in again for code in repetition.codes(deciding))


def named(store: Store, names: Sequence[str]) -> list[tuple[Path, Manifest]]:
    """Return folder and manifest of the runs that are named. Raises what inspect.find raises."""
    from orchestrator.errors import NoSuchThing
    from orchestrator.inspect import find
    from orchestrator.runs import manifest as manifests
    from orchestrator.runs import run_list as run_lists

    experiment, _, rest = names[0].partition("/")
    if (
        len(names) == 1
        and not (Path(names[0]) / manifests.FILE).is_file()
        and experiment in store.experiments()
    ):
        if not rest:
            current = run_lists.runs(store.experiment(experiment))
            ids = store.ids(experiment) if current is None else current
        else:
            ids = find.runs_of(store, names[0])
        if not ids:
            raise NoSuchThing(f"{experiment} has no runs; `orchestrate run SCENARIO.yaml` makes some")
        return [(store.folder(experiment, run_id), store.manifest(experiment, run_id)) for run_id in ids]
    stored_run = find.find(store, names)
    if stored_run.manifest is None:
        raise NoSuchThing(
            f"{stored_run.where} is only a log and not a stored run, so it can't be made again\n"
            "    name a run of a store"
        )
    return [(stored_run.where, stored_run.manifest)]


def described(repetition: Reproduced) -> dict:
    """Return a run's result as plain values."""
    run = repetition.manifest
    return {
        "experiment": run.experiment,
        "cell": run.cell,
        "seed": run.seed,
        "run_id": run.run_id,
        "same": repetition.same,
        "damage": list(repetition.damage),
        "sources": repetition.sources or None,
        "sources_changed": None if repetition.changed is None else list(repetition.changed),
        "parts": [
            {name: value for name, value in vars(part).items() if name != "error"}
            for part in repetition.parts
        ],
    }


def show_all(repetitions: Sequence[Reproduced]) -> None:
    """Print the results of runs."""
    from orchestrator.console import show

    if len(repetitions) == 1:
        show(*_of_one(repetitions[0]))
        return
    show(_of_all(repetitions), *_other_versions(repetitions))
    alike: dict[tuple, list[Reproduced]] = {}
    for repetition in repetitions:
        if not repetition.same:
            alike.setdefault(tuple((part.name, part.verdict) for part in repetition.parts), []).append(
                repetition
            )
    for several in alike.values():
        show(*_of_one(several[0], len(several) - 1))
    if not alike:
        show(*_sources(repetitions))


def _of_one(repetition: Reproduced, alike: int = 0) -> Iterator[object]:
    from orchestrator.cli.tables import Table

    run = repetition.manifest
    rows = [
        [part.name, (part.verdict, _STYLES[part.verdict]), _short(part.then), _short(part.now) or None]
        for part in repetition.parts
    ]
    title = f"{run.experiment}/{run.cell}/{run.seed}, run {run.run_id[:_DIGITS]}"
    if alike:
        title += f"; for {counted(alike, 'more run')} the same parts came out like this (--json has them all)"
    yield Table(title, ("made again", "", "then", "now"), rows)
    reasons: dict[str, list[str]] = {}
    for part in repetition.parts:
        if part.why:
            reasons.setdefault(part.why.split("\n")[0], []).append(part.name)
    yield from (f"{enumerated(names)}: {why}" for why, names in reasons.items())
    yield from (f"damaged: {what}" for what in repetition.damage)
    yield from _sources([repetition])


def _of_all(repetitions: Sequence[Reproduced]) -> object:
    from orchestrator.cli.numbers import count
    from orchestrator.cli.tables import Table, numbers

    parts: dict[str, list[Part]] = {}
    for repetition in repetitions:
        for part in repetition.parts:
            parts.setdefault(part.name, []).append(part)
    verdicts = ("same", "differs", "not made", "other version")
    rows = [
        [name, *(count(sum(part.verdict == verdict for part in of)) for verdict in verdicts)]
        for name, of in parts.items()
    ]
    same = sum(repetition.same for repetition in repetitions)
    alike = "all" if same == len(repetitions) else f"{same:,}"
    title = f"{counted(len(repetitions), 'run')} made again, {alike} the same"
    return Table(title, ["part", *numbers(*verdicts)], rows)


def _other_versions(repetitions: Sequence[Reproduced]) -> Iterator[str]:
    pairs = {
        (p.then, p.now)
        for repetition in repetitions
        for p in repetition.parts
        if p.verdict == "other version"
    }
    for then, now in sorted(pairs):
        yield f"engine then {_short(then)}, now {_short(now)}"


def _sources(repetitions: Sequence[Reproduced]) -> Iterator[str]:
    """Say which sources were used, and whether today's are the same."""
    used = sorted({repetition.sources for repetition in repetitions} - {""})
    changed = sorted({path for repetition in repetitions for path in repetition.changed or ()})
    unknown = [repetition for repetition in repetitions if repetition.changed is None]
    if used:
        yield f"sources of the firmware: {' and '.join(used)}"
    if changed:
        names = ", ".join(changed[:_FILES]) + (
            f" and {counted(len(changed) - _FILES, 'more file')}" if len(changed) > _FILES else ""
        )
        yield f"the present sources are others: {names}"
    elif not unknown:
        yield "the present sources are the same"


def _short(text: str) -> str:
    """Shorten the digests in a text, and drop the text in brackets after each."""
    words = [word for word in text.split(" ") if not word.startswith("(")]
    return " ".join(word[:_DIGITS] if set(word) <= set("0123456789abcdef") else word for word in words)
