# SPDX-License-Identifier: Apache-2.0
"""Reads an experiment's metrics and manifests from its folder in the store (docs/architecture.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from orchestrate_spark.jobs.metrics import own_metrics_in
from orchestrate_spark.metrics.model import Metric

from orchestrator.errors import NoSuchThing, StorageFailed
from orchestrator.report.metrics import Shown, shown
from orchestrator.runs import run_list as run_lists
from orchestrator.runs.manifest import Manifest
from orchestrator.runs.store import Store
from orchestrator.scenario.model import SimulationCell
from orchestrator.statistics.estimates import Estimate, estimate
from orchestrator.words import natural

PER_RUN_COLUMNS = ("experiment", "cell", "seed", "run_id", "metric", "key", "value")

_NONE = pd.Series(dtype="float64", index=pd.Index([], dtype="int64", name="seed"))


@dataclass(frozen=True)
class Results:
    """The results of an experiment.

    `per_run`: the table metrics/per_run. `manifests`: in the order of cell and seed. `scenario`: the file's
    text. `cells`: in the scenario's order. `own`: the user's own metrics, by name. `plan`: the ids of the
    campaign's runs, in the scenario's order.
    """

    experiment: str
    folder: Path
    per_run: pd.DataFrame
    manifests: tuple[Manifest, ...]
    scenario: str
    cells: tuple[str, ...]
    own: Mapping[str, Metric] = field(default_factory=dict)
    plan: tuple[str, ...] = ()

    @cached_property
    def measured(self) -> frozenset[str]:
        """The ids of the runs that have metrics."""
        return frozenset(map(str, self.per_run["run_id"].unique()))

    @property
    def planned(self) -> int:
        """The number of the campaign's runs; without a plan, of the existing runs."""
        return len(self.plan) or max(len(self.manifests), len(self.measured))

    @cached_property
    def _rows(self) -> tuple[np.ndarray, pd.Index, dict[tuple[str, str, str], np.ndarray]]:
        """Values and seeds of all rows by seed, and the places of each (cell, metric, key) in them."""
        rows = self.per_run.sort_values("seed", kind="stable")
        places = rows.groupby(["cell", "metric", "key"], sort=False).indices
        return (
            rows["value"].to_numpy(),
            pd.Index(rows["seed"], name="seed"),
            {(str(cell), str(metric), str(key)): at for (cell, metric, key), at in places.items()},
        )

    @cached_property
    def _series(self) -> dict[tuple[str, str, str], pd.Series]:
        """The series asked for so far: a report asks for a few of all, and for each of them many times."""
        return {}

    @cached_property
    def _keys(self) -> dict[str, dict[str, list[str]]]:
        """The keys of each metric in each cell."""
        keys: dict[str, dict[str, list[str]]] = {}
        for cell, metric, key in self._rows[2]:
            keys.setdefault(metric, {}).setdefault(cell, []).append(key)
        return keys

    @cached_property
    def _seeds(self) -> dict[str, list[int]]:
        return {
            str(cell): sorted(set(group.tolist())) for cell, group in self.per_run.groupby("cell")["seed"]
        }

    def seeds(self, cell: str) -> list[int]:
        """Return the seeds of a cell that have metrics, ascending."""
        return self._seeds.get(cell, [])

    def values(self, cell: str, metric: str, key: str = "total") -> pd.Series:
        """Return a metric's values, one for each seed (the index); empty if there are none."""
        name = (cell, metric, key)
        if name not in self._series:
            values, seeds, places = self._rows
            self._series[name] = (
                pd.Series(values[places[name]], seeds[places[name]], name="value")
                if name in places
                else _NONE
            )
        return self._series[name]

    def counts(self, cell: str, metric: str, key: str) -> pd.Series:
        """Return a metric's values for every seed of a cell, 0 where the key is absent (for histograms)."""
        return self.values(cell, metric, key).reindex(self.seeds(cell), fill_value=0.0)

    def summed(self, cell: str, metric: str) -> pd.Series:
        """Return for each seed the sum over a metric's keys but "total"."""
        parts = [self.counts(cell, metric, key) for key in self.keys(metric, cell) if key != "total"]
        return sum(parts) if parts else _NONE

    def estimate(self, cell: str, metric: str, key: str = "total", scale: float = 1.0) -> Estimate:
        """Return the mean over seeds of a metric, multiplied by `scale`."""
        least, most = self.shown(metric).bounds
        return estimate(
            (self.values(cell, metric, key).to_numpy() * scale).tolist(), (least * scale, most * scale)
        )

    def table(self, name: str, columns: list[str], filters: list[tuple] | None = None) -> pd.DataFrame:
        """Return columns of a table of the runs' records (orchestrate_spark.tables); without it no rows."""
        from pyarrow import parquet

        folder = self.folder / "tables" / name
        if not any(folder.glob("*.parquet")):
            return pd.DataFrame(columns=columns)
        return parquet.read_table(folder, columns=columns, filters=filters).to_pandas()

    def keys(self, metric: str, cell: str | None = None) -> list[str]:
        """Return the keys of a metric in natural order, "total" last."""
        by_cell = self._keys.get(metric, {})
        names = {key for name, keys in by_cell.items() if cell in (None, name) for key in keys}
        return sorted(names, key=lambda key: (key == "total", natural(key)))

    def cells_with(self, metric: str) -> list[str]:
        """Return the cells in which a metric was measured."""
        return [cell for cell in self.cells if cell in self._keys.get(metric, {})]

    def place(self, cell: str) -> int:
        """Return a cell's place among all cells, which gives its look in every figure (style.look)."""
        return self.cells.index(cell)

    def metrics(self) -> list[str]:
        """Return the names of all measured metrics."""
        return sorted(self._keys)

    def shown(self, metric: str) -> Shown:
        """Return how a metric is shown."""
        return shown(metric, self.keys(metric), self.own)

    def manifest(self, cell: str) -> Manifest | None:
        """Return the first manifest of a cell, for what its runs have in common (motes, parameters)."""
        return next((manifest for manifest in self.manifests if manifest.cell == cell), None)

    def prints_records(self, cell: str) -> bool:
        """Whether its firmware is to print records of metrics: an application's is, a foreign one's isn't."""
        manifest = self.manifest(cell)
        return manifest is None or not isinstance(manifest.resolved, SimulationCell)


def read(store_folder: Path, experiment: str) -> Results:
    """Read the results of an experiment.

    Raises NoSuchThing if it has no metrics, StorageFailed if they can't be read.
    """
    folder = Store(store_folder).experiment(experiment)
    plan = run_lists.runs(folder)
    current = None if plan is None else set(plan)
    per_run = per_run_table(folder / "metrics" / "per_run", experiment)
    runs = Store(store_folder).runs(experiment, current)
    if current is not None:
        per_run = per_run[per_run["run_id"].isin(current)].reset_index(drop=True)
        if per_run.empty:
            raise NoSuchThing(
                f"no run of the present campaign of {experiment!r} has metrics; the store has those of older "
                "runs only\n"
                f"    `orchestrate runs list {experiment}` says how the runs ended, `orchestrate metrics "
                f"{experiment}` computes the metrics"
            )
    _one_run_a_seed(per_run, experiment)
    scenario = folder / run_lists.SCENARIO
    text = scenario.read_text(encoding="utf-8", errors="replace") if scenario.is_file() else ""
    return Results(
        experiment,
        folder,
        per_run,
        tuple(runs),
        text,
        _cells(per_run, runs),
        own_metrics_in(folder),
        tuple(plan or ()),
    )


def _cells(per_run: pd.DataFrame, manifests: list[Manifest]) -> tuple[str, ...]:
    """Return the cells in the order of their manifests, then those without one, whose logs are foreign."""
    foreign = sorted(map(str, per_run["cell"].unique()), key=natural)
    return tuple(
        name for name in dict.fromkeys([*(manifest.cell for manifest in manifests), *foreign]) if name
    )


def per_run_table(folder: Path, experiment: str) -> pd.DataFrame:
    """Return the rows of an experiment's metrics/per_run. Raises NoSuchThing and StorageFailed."""
    import pyarrow as pa
    from pyarrow import parquet

    files = sorted(folder.glob("*.parquet"))
    if not files:
        raise NoSuchThing(
            f"no metrics of experiment {experiment!r} in {folder}\n"
            "    run the scenario (`orchestrate run SCENARIO.yaml`) or, if its runs are there, "
            f"`orchestrate metrics {experiment}` first"
        )
    try:
        table = pa.concat_tables(
            [parquet.read_table(file, page_checksum_verification=True) for file in files],
            promote_options="default",
        )
    except (pa.ArrowException, OSError) as error:
        raise StorageFailed(
            f"{folder}: not readable as Parquet: {error}\n"
            f"    write it again with `orchestrate metrics {experiment}`"
        ) from error
    missing = [name for name in PER_RUN_COLUMNS if name not in table.column_names]
    if missing:
        raise StorageFailed(
            f"{folder}: columns missing: {', '.join(missing)}\n"
            f"    write it again with `orchestrate metrics {experiment}`"
        )
    frame = table.select(list(PER_RUN_COLUMNS)).to_pandas()
    frame["seed"] = frame["seed"].astype("int64")
    frame["value"] = frame["value"].astype("float64")
    return frame.sort_values(["cell", "metric", "key", "seed"], kind="stable").reset_index(drop=True)


def _one_run_a_seed(per_run: pd.DataFrame, experiment: str) -> None:
    """Raise StorageFailed if a cell has two runs with one seed: both would count in a mean over seeds."""
    runs = per_run.drop_duplicates(["cell", "seed", "run_id"])
    twice = runs[runs.duplicated(["cell", "seed"])]
    if len(twice):
        first = twice.iloc[0]
        raise StorageFailed(
            f"experiment {experiment!r} has two runs of cell {first['cell']} with seed {first['seed']}, of "
            "different firmware or engines\n    run the scenario again, or remove the older runs "
            f"(`orchestrate runs remove {experiment} RUN`) and ingest again"
        )
