# SPDX-License-Identifier: Apache-2.0
"""The metrics of a round's runs, as the verdict keeps them: verdicts/ROUND/per_run.parquet.

EXPERIMENT/metrics/per_run has the runs of the experiment's present campaign only. A trend needs those of all
rounds, and a baseline must outlive its runs, so each round's are kept once they were there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

import pandas as pd

from orchestrator.durable import replacing
from orchestrator.errors import AGAIN, NoSuchThing, StorageFailed, writing
from orchestrator.features.campaigns import record
from orchestrator.features.campaigns.record import Round
from orchestrator.report.comparison import rows
from orchestrator.report.data import PER_RUN_COLUMNS, Results, per_run_table
from orchestrator.runs.model import Outcome
from orchestrator.runs.store import Store

FILE = "per_run.parquet"
VERDICTS = "verdicts"


def folder(store: Path, campaign: str, round_id: str) -> Path:
    """Return the folder of the verdict on a round."""
    return record.folder(store, campaign) / VERDICTS / round_id


def measured(store: Path, round_: Round) -> pd.DataFrame:
    """Return the metrics of those runs of a round that ended ok and have any, from the experiments' tables.

    Raises StorageFailed for a table that can't be read: half of the numbers are worse than none.
    """
    frames = []
    of: dict[str, set[str]] = {}
    for run in round_.runs():
        if run.outcome is Outcome.OK:
            of.setdefault(run.experiment, set()).add(run.run_id)
    for experiment, ids in sorted(of.items()):
        try:
            frame = per_run_table(Store(store).experiment(experiment) / "metrics" / "per_run", experiment)
        except NoSuchThing:
            continue
        frames.append(frame[frame["run_id"].isin(ids)].assign(experiment=experiment))
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=list(PER_RUN_COLUMNS))


def keep(path: Path, frame: pd.DataFrame) -> None:
    """Write the file whole or not at all. Raises StorageFailed."""
    import pyarrow as pa
    from pyarrow import parquet

    with writing(path, AGAIN):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as draft:
            parquet.write_table(
                pa.Table.from_pandas(frame[list(PER_RUN_COLUMNS)], preserve_index=False),
                draft,
                compression="zstd",
                write_page_checksum=True,
            )


def kept(path: Path) -> pd.DataFrame | None:
    """Return the stored samples, None if there are none. Raises StorageFailed for half a file."""
    import pyarrow as pa
    from pyarrow import parquet

    if not path.is_file():
        return None
    try:
        table = parquet.read_table(path, columns=list(PER_RUN_COLUMNS), page_checksum_verification=True)
    except (pa.ArrowException, OSError) as error:
        raise StorageFailed(
            f"{path}: not readable as Parquet: {error}\n"
            "    take it from a backup, or move it away; the runs have the data to make it again"
        ) from error
    return table.to_pandas()


def of_cell(frame: pd.DataFrame, experiment: str, cell: str) -> pd.DataFrame:
    """Return the rows of one cell."""
    return frame[(frame["experiment"] == experiment) & (frame["cell"] == cell)]


def results(frame: pd.DataFrame, experiment: str, cell: str, runs: Collection[str] | None = None) -> Results:
    """Return the metrics of one cell, of these runs only."""
    own = of_cell(frame, experiment, cell)
    if runs is not None:
        own = own[own["run_id"].isin(runs)]
    return of_rows(experiment, cell, own)


def of_rows(experiment: str, cell: str, own: pd.DataFrame) -> Results:
    """Return the same of the cell's own rows."""
    return Results(experiment, Path(experiment), own, (), "", (cell,))


def pooled(frames: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Several rounds' together, each run once."""
    nonempty = [frame for frame in frames if len(frame)]
    if not nonempty:
        return pd.DataFrame(columns=list(PER_RUN_COLUMNS))
    return pd.concat(nonempty, ignore_index=True).drop_duplicates(["run_id", "metric", "key"])


def measures(of: Results, cell: str) -> dict[tuple[str, str], pd.Series]:
    """Return the values to test: one per run for each (metric, key), in the unit of the report."""
    return {(metric, key): rows.values(of, cell, metric, key) for metric, key in rows.offered(of, cell, ())}
