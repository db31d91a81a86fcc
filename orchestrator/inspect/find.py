# SPDX-License-Identifier: Apache-2.0
"""Finds the run that a user names by EXPERIMENT RUN, EXPERIMENT/RUN, EXPERIMENT/CELL/SEED, RUN, or a path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import NoSuchThing, WrongUsage
from orchestrator.runs import manifest as manifests
from orchestrator.runs import run_list as run_lists
from orchestrator.runs.manifest import FILE, LOG_FILE, Manifest
from orchestrator.runs.store import Store
from orchestrator.words import did_you_mean, first_of, spans

FORMS = "EXPERIMENT RUN, EXPERIMENT/CELL/SEED, the start of a run's id, or a run folder's path"


@dataclass(frozen=True)
class Found:
    """A run: its folder, or a log that has none (then `manifest` is None).

    `others`: stored runs of the same cell and seed, with other firmware or another engine.
    """

    where: Path
    manifest: Manifest | None
    others: tuple[Manifest, ...] = ()


def find(store: Store, names: Sequence[str]) -> Found:
    """Find the run that these words name.

    Raises NoSuchThing if there is none or several, StorageFailed for a manifest that can't be read,
    WrongUsage for too many words.
    """
    if len(names) == 1:
        return _one_word(store, names[0])
    if len(names) == 2:
        experiment = store.known(names[0])
        return _stored(store, experiment, store.find(experiment, names[1]))
    raise WrongUsage(f"{len(names)} words don't name a run\n    name it by {FORMS}")


def runs_of(store: Store, name: str) -> list[str]:
    """Return the ids of the runs that EXPERIMENT/CELL, EXPERIMENT/CELL/SEED or EXPERIMENT/RUN names.

    For a cell these are all stored runs, otherwise it is the one that `find` returns. Raises what `find`
    raises.
    """
    experiment, _, rest = name.partition("/")
    cell = [run.run_id for run in store.readable(store.known(experiment))[0] if run.cell == rest]
    if cell:
        return cell
    stored_run = (
        _by_seed(store, experiment, *rest.rsplit("/", 1))
        if "/" in rest
        else _run_or_cell(store, experiment, rest)
    )
    return [stored_run.manifest.run_id]


def mote_number(stored_run: Found, name: str) -> int:
    """Return the number of the mote with this name or number. Raises NoSuchThing."""
    motes = stored_run.manifest.motes if stored_run.manifest else ()
    for mote in motes:
        if name in (mote.name, str(mote.mote)):
            return mote.mote
    raise NoSuchThing(f"no mote {name!r} in this run; {did_you_mean(name, [mote.name for mote in motes])}")


def of_cell(store: Store, experiment: str, cell: str, seed: int) -> tuple[list[Manifest], list[Manifest]]:
    """Return the runs of a cell and seed that are meant, and the others.

    Those of the present run list or, if there is none, all.
    """
    runs, unreadable = store.readable(experiment)
    if unreadable and not any(run.cell == cell and run.seed == seed for run in runs):
        raise unreadable[0]  # it may be the run that is meant
    _known_cell(experiment, cell, list(dict.fromkeys(run.cell for run in runs)))
    matches = [run for run in runs if run.cell == cell and run.seed == seed]
    if not matches:
        seeds = sorted({run.seed for run in runs if run.cell == cell})
        raise NoSuchThing(f"no run of {experiment}/{cell} with seed {seed}; there are: {in_ranges(seeds)}")
    current = set(run_lists.readable(store.experiment(experiment)).runs)
    meant = [run for run in matches if run.run_id in current] or matches
    return meant, [run for run in matches if run not in meant]


def listed(names: Sequence[str | int]) -> str:
    """List the first of many names."""
    return first_of(names) or "none"


def _one_word(store: Store, name: str) -> Found:
    path = Path(name)
    if path.name in (FILE, LOG_FILE) and path.is_file():
        path = path.parent
    if (path / FILE).is_file():
        remedy = f"name its {LOG_FILE} in a folder of its own to look into that alone"
        return Found(path, manifests.read(path / FILE, remedy))
    if (path / LOG_FILE).is_file() or (path.is_file() and path.suffix in (".testlog", ".log")):
        return Found(path, None)
    experiment, *rest = name.split("/")
    if experiment in ("", ".", "..") and rest:
        raise NoSuchThing(
            f"no run folder {name!r}: it has no {FILE} and no {LOG_FILE}\n    name a run by {FORMS}"
        )
    if len(rest) == 1:
        return _run_or_cell(store, store.known(experiment), rest[0])
    if len(rest) >= 2:
        return _by_seed(store, store.known(experiment), "/".join(rest[:-1]), rest[-1])
    there = store.experiments()
    if name in there:
        return _only_run(store, name)
    store.there()
    matching = [
        (experiment, run_id)
        for experiment in store.experiments()
        for run_id in store.ids(experiment)
        if run_id.startswith(name)
    ]
    if len(matching) == 1:
        return _stored(store, *matching[0])
    if matching:
        raise NoSuchThing(
            f"{len(matching)} runs start with {name!r}: {listed(['/'.join(pair) for pair in matching])}"
        )
    raise NoSuchThing(
        f"no run {name!r} in {store.path}\n    name it by {FORMS}; of experiments: "
        f"{did_you_mean(name, there)}"
    )


def _only_run(store: Store, experiment: str) -> Found:
    """Find the run of an experiment that has no other."""
    ids = store.ids(experiment)
    if len(ids) == 1:
        return _stored(store, experiment, ids[0])
    runs = store.readable(experiment)[0]
    cells = list(dict.fromkeys(run.cell for run in runs))
    raise NoSuchThing(
        f"{experiment} has {len(ids)} runs, in the cells {listed(cells)}\n    name one by {FORMS}, such as "
        f"{experiment}/{runs[0].cell}/{runs[0].seed}; `orchestrate runs list {experiment}` shows them"
        if runs
        else f"{experiment} has no readable run\n    `orchestrate runs list {experiment}` says why"
    )


def _run_or_cell(store: Store, experiment: str, name: str) -> Found:
    """Find EXPERIMENT/RUN, or EXPERIMENT/CELL if the cell has one run."""
    starting = [run_id for run_id in store.ids(experiment) if name and run_id.startswith(name)]
    runs = store.readable(experiment)[0]
    cells_runs = [run for run in runs if run.cell == name]
    current = set(run_lists.readable(store.experiment(experiment)).runs)
    cells_runs = [run for run in cells_runs if run.run_id in current] or cells_runs
    if len(cells_runs) == 1:
        return _stored(store, experiment, cells_runs[0].run_id)
    if cells_runs:
        seeds = sorted({run.seed for run in cells_runs})
        raise NoSuchThing(
            f"{experiment}/{name} is a cell, with runs of the seeds {in_ranges(seeds)}\n"
            f"    name one by its seed, such as {experiment}/{name}/{seeds[0]}"
        )
    if starting or not runs:
        return _stored(store, experiment, store.find(experiment, name))
    cells = list(dict.fromkeys(run.cell for run in runs))
    if name and not set(name) <= set("0123456789abcdef"):
        _known_cell(experiment, name, cells)
    raise NoSuchThing(
        f"no cell {name!r} in {experiment}, and no run whose id starts so; {did_you_mean(name, cells)}"
    )


def told(run: Manifest) -> str:
    """Describe a run by the properties in which runs of its cell and seed differ."""
    firmware = ", ".join(f"{name} {digest[:12]}" for name, digest in run.firmware.items())
    sanitizers = [flag for flag in run.built.flags.split() if flag.startswith("-fsanitize=")]
    flags = f" compiled with {' '.join(sanitizers) or 'further flags'}" if run.built.flags else ""
    return (
        f"{run.run_id[:12]}: {run.outcome.value}, finished {run.finished[:19]}, {run.engine.name} "
        f"{run.engine.rules}, firmware {firmware}{flags}"
    )


def in_ranges(numbers: Sequence[int]) -> str:
    """Write sorted numbers with ranges: "1, 3 to 30"."""
    return listed(
        [
            str(low) if low == high else f"{low} to {high}" if high > low + 1 else f"{low}, {high}"
            for low, high in spans(numbers)
        ]
    )


def _by_seed(store: Store, experiment: str, cell: str, seed: str) -> Found:
    if not seed.removeprefix("-").isdecimal():
        raise NoSuchThing(f"{seed!r} is not a seed\n    name the run by {FORMS}")
    runs, others = of_cell(store, experiment, cell, int(seed))
    if len(runs) > 1:
        raise NoSuchThing(
            f"{len(runs)} runs of {experiment}/{cell} have seed {seed}, of different firmware or engines; "
            "name one by its id:\n"
            + "\n".join(f"    {told(run)}" for run in sorted(runs, key=lambda run: run.finished))
        )
    return Found(store.folder(experiment, runs[0].run_id), runs[0], tuple(others))


def _known_cell(experiment: str, cell: str, cells: list[str]) -> None:
    if cell not in cells:
        raise NoSuchThing(f"no cell {cell!r} in {experiment}; {did_you_mean(cell, cells)}")


def _stored(store: Store, experiment: str, run_id: str) -> Found:
    return Found(store.folder(experiment, run_id), store.manifest(experiment, run_id))
