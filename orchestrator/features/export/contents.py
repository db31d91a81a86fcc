# SPDX-License-Identifier: Apache-2.0
"""Selects the parts of a store for an artifact: runs, scenarios, sources, metrics, reports and rounds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.errors import NoSuchThing, StorageFailed
from orchestrator.feature import features, find, offered, resolve
from orchestrator.runs import run_list as run_lists
from orchestrator.runs.manifest import AIR_FILE, CSC_FILE, FILE, LOG_FILE, Manifest
from orchestrator.runs.store import CAMPAIGNS, FIRMWARE, Damage, Store
from orchestrator.words import counted, did_you_mean

STORE = "store"  # the store's folder in an artifact
_SHOWN = 20  # damaged runs that a message names
_KEY = re.compile(rb"/firmware/([0-9a-f]{32})/apps/")

Content = dict[str, Path | bytes]  # path in the artifact -> the file, or its content


@dataclass(frozen=True)
class Chosen:
    """The runs of an artifact by experiment, its campaigns, and how many of their runs the store has lost.

    `engines`: what computed the metrics of an experiment, where the store says.
    """

    runs: dict[str, list[Manifest]]
    campaigns: tuple[str, ...] = ()
    gone: dict[str, int] = field(default_factory=dict)
    engines: dict[str, str] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """The number of runs."""
        return sum(map(len, self.runs.values()))

    def all(self) -> Iterator[Manifest]:
        """Give all runs, by experiment."""
        for several in self.runs.values():
            yield from several


def choose(store: Store, names: Sequence[str]) -> Chosen:
    """Find the runs that experiments and campaigns mean; of an experiment those of its present campaign.

    Raises NoSuchThing, and StorageFailed with every damaged run.
    """
    store.there()
    offers = find("offers", "campaign-rounds")  # without campaigns there are experiments to pack
    record = resolve(offers) if offers else None
    experiments, rounds = store.experiments(), record.names(store.path) if record else []
    ids: dict[str, dict[str, None]] = {}
    gone: dict[str, int] = {}
    chosen = []
    for name in names:
        if name in rounds:
            chosen.append(name)
            for round_ in record.rounds(store.path, name):
                for run in round_.runs():
                    ids.setdefault(run.experiment, {})[run.run_id] = None
        elif name in experiments:
            current = run_lists.runs(store.experiment(name))
            ids.setdefault(name, {}).update(dict.fromkeys(store.ids(name) if current is None else current))
        else:
            there = did_you_mean(name, [*experiments, *rounds])
            raise NoSuchThing(f"no experiment and no campaign {name!r} in {store.path}; {there}")
    for experiment, wanted in ids.items():
        there = set(store.ids(experiment))
        if lost := sum(run_id not in there for run_id in wanted):
            gone[experiment] = lost
        ids[experiment] = {run_id: None for run_id in wanted if run_id in there}
    _undamaged(
        [damage for experiment, wanted in ids.items() for damage in store.verify(experiment, [*wanted])]
    )
    runs = {experiment: store.runs(experiment, wanted) for experiment, wanted in ids.items() if wanted}
    if not runs:
        raise NoSuchThing(
            f"{', '.join(names)}: no run of it is in {store.path}; `orchestrate run SCENARIO.yaml` makes some"
        )
    from orchestrate_spark.jobs.metrics import computed_by

    by = {name: computed_by(store.experiment(name)) for name in runs}
    return Chosen(runs, tuple(dict.fromkeys(chosen)), gone, {name: who for name, who in by.items() if who})


def _undamaged(damage: Sequence[Damage]) -> None:
    if damage:
        lines = [f"    {fault.experiment}/{fault.run_id}: {fault.what}" for fault in damage[:_SHOWN]]
        if len(damage) > _SHOWN:
            lines.append(
                f"    and {len(damage) - _SHOWN} more; "
                f"`orchestrate runs verify {damage[0].experiment}` lists them"
            )
        raise StorageFailed(
            "\n".join(
                [
                    f"nothing was exported, as {counted(len({fault.run_id for fault in damage}), 'run')} "
                    "can't be trusted:",
                    *lines,
                    "    remove them "
                    f"(`orchestrate runs remove {damage[0].experiment} {damage[0].run_id[:12]}`) "
                    "and run the scenario again",
                ]
            )
        )


def content(store: Store, chosen: Chosen) -> Content:
    """List the store's part of an artifact."""
    files: Content = {}
    keys: set[str] = set()
    for experiment, runs in chosen.runs.items():
        folder = store.experiment(experiment)
        for run in runs:
            place = folder / "runs" / run.run_id
            recorded = [AIR_FILE] if (place / AIR_FILE).is_file() else []
            for name in (FILE, CSC_FILE, LOG_FILE, *recorded):
                files[f"{STORE}/{experiment}/runs/{run.run_id}/{name}"] = place / name
            named = _KEY.findall((place / CSC_FILE).read_bytes())
            keys |= {key.decode() for key in named}
            keys |= {f"descriptions/{run.built.description}"} if run.built.description else set()
        files[f"{STORE}/{experiment}/{run_lists.FILE}"] = _listed(experiment, runs)
        for name in (run_lists.SCENARIO, *(name for each in features() for name in each.experiment_files)):
            if (folder / name).is_file():
                files[f"{STORE}/{experiment}/{name}"] = folder / name
        for part in ("metrics", "report"):
            files |= _tree(folder / part, f"{STORE}/{experiment}/{part}")
    for key in sorted(keys):
        files |= _tree(store.path / FIRMWARE / key, f"{STORE}/{FIRMWARE}/{key}")
    for name in chosen.campaigns:
        files |= _tree(offered("campaign-rounds").folder(store.path, name), f"{STORE}/{CAMPAIGNS}/{name}")
    return files


def _listed(experiment: str, runs: Sequence[Manifest]) -> bytes:
    """Write the list of an experiment's runs, without the folders of the machine that they were made on."""
    listing = {
        "format": run_lists.FORMAT,
        "experiment": experiment,
        "applications": {},
        "runs": [run.run_id for run in runs],
    }
    return (json.dumps(listing, indent=1) + "\n").encode()


def _tree(folder: Path, prefix: str) -> Content:
    """List the files of a folder, without those that are being written."""
    return {
        f"{prefix}/{path.relative_to(folder).as_posix()}": path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not path.is_symlink()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    }
