# SPDX-License-Identifier: Apache-2.0
"""An experiment's metrics and manifests, read from its folder in the store (docs/architecture.md) with pyarrow."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from orchestrator.errors import NoSuchThing, StorageFailed
from orchestrator.report.statistics import Estimate, estimate
from orchestrator.runs.store import Store

PER_RUN_COLUMNS = ("experiment", "cell", "seed", "run_id", "metric", "key", "value")


def natural(text: str) -> tuple:
    """Sort key under which P2 comes before P10 and H5 before H10."""
    return tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", text) if part)


@dataclass(frozen=True)
class Results:
    """One experiment. `per_run` is metrics/per_run; `manifests` in (cell, seed) order; `scenario` the file's text."""

    experiment: str
    folder: Path
    per_run: pd.DataFrame
    manifests: tuple[dict[str, Any], ...]
    scenario: str
    cells: tuple[str, ...]

    def seeds(self, cell: str) -> list[int]:
        """The seeds with metrics of a cell, ascending."""
        return sorted({int(seed) for seed in self.per_run.loc[self.per_run["cell"] == cell, "seed"]})

    def values(self, cell: str, metric: str, key: str = "total") -> pd.Series:
        """One value a seed (the index) of a metric; empty if there is none."""
        frame = self.per_run
        found = frame[(frame["cell"] == cell) & (frame["metric"] == metric) & (frame["key"] == key)]
        return found.set_index("seed")["value"].sort_index()

    def counts(self, cell: str, metric: str, key: str) -> pd.Series:
        """As values, for a metric whose absent key means zero (a histogram): every seed of the cell has a value."""
        return self.values(cell, metric, key).reindex(self.seeds(cell), fill_value=0.0)

    def estimate(self, cell: str, metric: str, key: str = "total", scale: float = 1.0) -> Estimate:
        return estimate((self.values(cell, metric, key) * scale).tolist())

    def keys(self, metric: str, cell: str | None = None) -> list[str]:
        """The keys of a metric in natural order, "total" last."""
        frame = self.per_run[self.per_run["metric"] == metric]
        if cell is not None:
            frame = frame[frame["cell"] == cell]
        return sorted(frame["key"].unique(), key=lambda key: (key == "total", natural(key)))

    def cells_with(self, metric: str) -> list[str]:
        present = set(self.per_run.loc[self.per_run["metric"] == metric, "cell"])
        return [cell for cell in self.cells if cell in present]

    def metrics(self) -> list[str]:
        return sorted(self.per_run["metric"].unique())

    def manifest(self, cell: str) -> dict[str, Any] | None:
        """The first manifest of a cell, for what all its runs share (motes, parameters)."""
        return next((m for m in self.manifests if m.get("cell") == cell), None)


def read(store_folder: Path, experiment: str) -> Results:
    """Raises NoSuchThing if there are no metrics of that experiment, StorageFailed if they can't be read."""
    folder = Store(store_folder).experiment(experiment)
    per_run = _table(folder / "metrics" / "per_run", experiment)
    manifests = _manifests(Store(store_folder), folder, experiment)
    scenario = folder / "scenario.yaml"
    text = scenario.read_text(encoding="utf-8", errors="replace") if scenario.is_file() else ""
    return Results(experiment, folder, per_run, manifests, text, _cell_order(per_run, manifests))


def _cell_order(per_run: pd.DataFrame, manifests: tuple[dict[str, Any], ...]) -> tuple[str, ...]:
    names = {str(name) for name in per_run["cell"]} | {str(m.get("cell", "")) for m in manifests}
    return tuple(sorted(names - {""}, key=natural))


def _table(folder: Path, experiment: str) -> pd.DataFrame:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    files = sorted(folder.glob("*.parquet"))
    if not files:
        raise NoSuchThing(
            f"no metrics of experiment {experiment!r} in {folder}\n"
            f"    run the scenario (`orchestrate run`) or, if its runs are there, `orchestrate ingest {experiment}` first")
    try:
        table = pa.concat_tables([parquet.read_table(file) for file in files], promote_options="default")
    except (pa.ArrowException, OSError) as error:
        raise StorageFailed(f"{folder}: not readable as Parquet: {error}\n"
                            f"    write it again with `orchestrate ingest {experiment}`") from error
    missing = [name for name in PER_RUN_COLUMNS if name not in table.column_names]
    if missing:
        raise StorageFailed(f"{folder}: columns missing: {', '.join(missing)}\n"
                            f"    write it again with `orchestrate ingest {experiment}`")
    frame = table.select(list(PER_RUN_COLUMNS)).to_pandas()
    frame["seed"] = frame["seed"].astype("int64")
    frame["value"] = frame["value"].astype("float64")
    return frame.sort_values(["cell", "metric", "key", "seed"], kind="stable").reset_index(drop=True)


def _manifests(store: Store, folder: Path, experiment: str) -> tuple[dict[str, Any], ...]:
    """Those of the current campaign (campaign.json lists its runs; older ones may lie beside them), else all."""
    found = [vars(manifest) for manifest in store.runs(experiment)]
    campaign = folder / "campaign.json"
    if campaign.is_file():
        try:
            current = set(json.loads(campaign.read_text(encoding="utf-8"))["runs"])
        except (ValueError, KeyError, TypeError) as error:
            raise StorageFailed(f"{campaign}: not a readable list of runs: {error}\n"
                                "    run the scenario again; finished runs are kept") from error
        found = [manifest for manifest in found if manifest["run_id"] in current]
    return tuple(sorted(found, key=lambda manifest: (natural(manifest["cell"]), manifest["seed"])))
