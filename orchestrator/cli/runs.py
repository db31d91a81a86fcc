# SPDX-License-Identifier: Apache-2.0
"""orchestrate runs: list, show, verify and remove stored runs."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from orchestrator.cli.options import add_store
from orchestrator.words import counted

if TYPE_CHECKING:
    from orchestrator.runs.manifest import Manifest
    from orchestrator.runs.store import Store

DESCRIPTION = """List, show, verify and remove stored runs.

  orchestrate runs list [EXPERIMENT]
      all experiments, or the runs of one
  orchestrate runs show EXPERIMENT RUN...
      everything about a run
  orchestrate runs verify [EXPERIMENT] [RUN...]
      compare files with the hashes in their manifests
  orchestrate runs remove EXPERIMENT [RUN...]
      remove runs or a whole experiment, after asking

RUN is the id of a run or the start of it. EXPERIMENT/CELL/SEED also names a
run, and EXPERIMENT/CELL all runs of a cell.

exit code: 0 done, 2 wrong usage, 8 a run is damaged (verify) or its manifest
is unreadable (list; the others are shown), 9 no such experiment or run"""
_STYLES = {"ok": "green"}
_WHY = 80  # characters of a run's evidence in a list


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate runs`."""
    parser.add_argument("action", choices=("list", "show", "verify", "remove"))
    parser.add_argument(
        "experiment",
        nargs="?",
        metavar="EXPERIMENT",
        help="an experiment's name, or EXPERIMENT/CELL, or EXPERIMENT/CELL/SEED",
    )
    parser.add_argument("runs", nargs="*", default=[], metavar="RUN", help="a run's id, or the start of it")
    add_store(parser)
    parser.add_argument("--yes", action="store_true", help="remove without asking")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate runs`; return the exit code."""
    from orchestrator.errors import WrongUsage
    from orchestrator.runs.store import Store, default_store

    store = Store(default_store(args.store))
    if args.experiment is None and args.action in ("show", "remove"):
        raise WrongUsage(f"name an experiment; there are: {', '.join(store.experiments()) or 'none'}")
    if args.experiment is None:
        store.there()
        ids = []
    elif "/" in args.experiment:
        args.experiment, ids = _of_cells(store, [args.experiment, *args.runs])
    else:
        store.experiment(args.experiment)  # a name that none can have says so
        store.known(args.experiment)
        ids = [store.find(args.experiment, prefix) for prefix in args.runs]
    return {"list": _list, "show": _show, "verify": _verify, "remove": _remove}[args.action](store, args, ids)


def _of_cells(store: Store, names: list[str]) -> tuple[str, list[str]]:
    """Return the experiment and run ids that a name means (EXPERIMENT/CELL[/SEED] or EXPERIMENT/RUN)."""
    from orchestrator.errors import WrongUsage
    from orchestrator.inspect.find import runs_of

    experiments = list(dict.fromkeys(name.partition("/")[0] for name in names))
    for name in experiments:
        store.experiment(name)
    if len(experiments) > 1:
        raise WrongUsage(
            f"the runs belong to {len(experiments)} experiments, {', '.join(experiments)}\n    name those of "
            "one at a time"
        )
    return experiments[0], list(dict.fromkeys(run_id for name in names for run_id in runs_of(store, name)))


def _list(store: Store, args: argparse.Namespace, ids: list[str]) -> int:
    from orchestrator.errors import StorageFailed

    if args.experiment is None:
        _list_experiments(store, args)
        return 0
    runs, unreadable = store.readable(args.experiment, ids or None)
    if args.json:
        print(json.dumps([_brief(run) for run in runs], indent=2))
    else:
        _list_runs(runs)
    for error in unreadable:
        print(f"orchestrate: {error}", file=sys.stderr)
    return StorageFailed.exit_code if unreadable else 0


def _why(evidence: list[str]) -> str:
    """Return the first line that proves an outcome, as far as there is room for it."""
    first = evidence[0].replace("\t", " ") if evidence else ""
    return first if len(first) <= _WHY else first[: _WHY - 3] + "..."


def _list_runs(runs: list) -> None:
    from orchestrator.cli.numbers import decimal
    from orchestrator.cli.tables import Column, Table, numbers
    from orchestrator.console import show

    columns = ["run", "cell", *numbers("seed"), "outcome", *numbers("simulated, min", "wall, s"), "made"]
    rows = [
        [
            run.run_id[:12],
            run.cell,
            str(run.seed),
            (run.outcome.value, _STYLES.get(run.outcome.value, "red")),
            decimal(run.statistics.sim_us / 60e6, 1),
            decimal(run.statistics.wall_s, 3),
            run.finished[:19],
        ]
        for run in runs
    ]
    engines = [f"{run.engine.name} {run.engine.rules}" for run in runs]
    if several := len(set(engines)) > 1:
        columns.append("engine")
        rows = [[*row, engine] for row, engine in zip(rows, engines, strict=True)]
    if any(run.evidence for run in runs):
        columns.append(Column("why", prose=True))
        rows = [[*row, _why(run.evidence)] for row, run in zip(rows, runs, strict=True)]
    show(Table("", columns, rows, note="" if several or not engines else f"engine and rules: {engines[0]}"))


def _list_experiments(store: Store, args: argparse.Namespace) -> None:
    from orchestrator.cli.numbers import count
    from orchestrator.cli.tables import Table, numbers
    from orchestrator.console import show

    counts = [(name, len(store.ids(name))) for name in store.experiments()]
    if args.json:
        print(json.dumps([{"experiment": name, "runs": number} for name, number in counts], indent=2))
    elif counts:
        rows = [(name, count(number)) for name, number in counts]
        show(Table("", ("experiment", *numbers("runs")), rows))
    else:
        print(
            f"no experiments in {store.path}; `orchestrate run SCENARIO` makes some, --store names another "
            "folder",
            file=sys.stderr,
        )


def _brief(run: Manifest) -> dict:
    return {
        "run_id": run.run_id,
        "trend_id": run.trend_id,
        "cell": run.cell,
        "seed": run.seed,
        "outcome": run.outcome.value,
        "engine": vars(run.engine),
        "statistics": vars(run.statistics),
        "finished": run.finished,
    }


def _show(store: Store, args: argparse.Namespace, ids: list[str]) -> int:
    from orchestrator.errors import WrongUsage

    if not ids:
        raise WrongUsage("name a run; `orchestrate runs list " + args.experiment + "` shows them")
    manifests = []
    for run_id in ids:
        manifest = json.loads(store.manifest(args.experiment, run_id).to_json())
        manifests.append({"folder": str(store.folder(args.experiment, run_id)), **manifest})
    if args.json:
        print(json.dumps(manifests, indent=2))
        return 0
    from orchestrator.console import show

    for each in manifests:
        show(*_lines(each))
    return 0


def _lines(values: dict, indent: str = "") -> Iterator[str]:
    """One value a line, those of a group below its name."""
    most = max(
        (len(key) for key, value in values.items() if not (value and isinstance(value, dict))), default=0
    )
    for key, value in values.items():
        if key == "motes" and value and isinstance(value[0], dict):  # and no list of types' names
            value = " ".join(f"{mote['name']}={mote['mote']}" for mote in value)
        elif value and isinstance(value, list):
            value = f"\n{indent}{'':<{most}}  ".join(map(_plain, value))
        if value and isinstance(value, dict):
            yield f"{indent}{key}"
            yield from _lines(value, indent + "  ")
        else:
            yield f"{indent}{key:<{most}}  {_plain(value)}".rstrip()


def _plain(value: object) -> str:
    """As the manifest has it: a text as it is, all else as in JSON."""
    return "none" if value in ({}, [], None) else value if isinstance(value, str) else json.dumps(value)


def _verify(store: Store, args: argparse.Namespace, ids: list[str]) -> int:
    from orchestrator.errors import StorageFailed

    checked, damage = 0, []
    for name in [args.experiment] if args.experiment else store.experiments():
        chosen = ids or store.ids(name)
        checked += len(chosen)
        damage += store.verify(name, chosen)
    if args.json:
        print(json.dumps({"checked": checked, "damaged": [vars(file) for file in damage]}, indent=2))
    else:
        for file in damage:
            print(f"{file.experiment}/{file.run_id}: {file.what}")
        print(f"{counted(checked, 'run')} checked, {len({file.run_id for file in damage})} damaged")
        if damage:
            print(
                f"remove the damaged runs (`orchestrate runs remove {damage[0].experiment} "
                f"{damage[0].run_id[:12]}`) and run the scenario again",
                file=sys.stderr,
            )
    return StorageFailed.exit_code if damage else 0


def _remove(store: Store, args: argparse.Namespace, ids: list[str]) -> int:
    from orchestrator.errors import Interrupted, WrongUsage

    chosen = ids or store.ids(args.experiment)
    if not args.yes:
        if not sys.stdin.isatty():
            raise WrongUsage(
                f"nothing removed; say --yes to remove {counted(len(chosen), 'run')} without a question"
            )
        answer = input(
            f"remove {len(chosen)} run{'s' * (len(chosen) != 1)} of {args.experiment} from {store.path}? "
            "[y/N] "
        )
        if answer.strip().lower() not in ("y", "yes"):
            print("nothing removed")
            return Interrupted.exit_code
    for run_id in chosen:
        store.remove(args.experiment, run_id)
    print(json.dumps({"removed": chosen}, indent=2) if args.json else f"{len(chosen)} removed")
    return 0
