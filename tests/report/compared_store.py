# SPDX-License-Identifier: Apache-2.0
"""Small stores for comparisons, written from the contract alone: cells with parameters, a few metrics a
seed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from tests import manifests


def cell(
    publishers: int = 5, application: str = "aggregation", rx: float = 1.0, shape: str = "chain", **parameters
) -> dict:
    """A cell's resolved parameters, as a manifest has them."""
    return manifests.parameters(
        topology={"shape": shape, "parameters": {"publishers": publishers}},
        radio=manifests.RADIO | {"rx_ratio": rx},
        application={"name": application, "parameters": parameters},
    )


def values(sent: float, lost: float, published: float = 100.0) -> list[tuple[str, str, float]]:
    return [
        ("events_published", "P1", published),
        ("events_published", "total", published),
        ("event_loss_rate", "total", lost),
        ("packets_sent", "P1", sent),
        ("packets_sent", "P2", 10.0),
    ]


def store(
    folder: Path,
    experiment: str,
    cells: dict[str, dict],
    metrics,
    seeds: Iterable[int] = range(1, 5),
    outcome=lambda name, seed: "ok",
    firmware: str = "f" * 64,
    planned: int = 0,
    settings: dict[str, dict] | None = None,
    scenario: str = "",
) -> Path:
    """`metrics(cell name, seed)` gives (metric, key, value) lines, None for a run that isn't ingested;
    `planned` more runs stand in campaign.json. `settings`: what the axes set in each cell, `scenario`: the
    file's text. Returns the store."""
    rows, ids, root = [], [], folder / experiment
    for name, parameters in cells.items():
        for seed in seeds:
            run_id = hashlib.sha256(f"{folder.name} {experiment} {name} {seed}".encode()).hexdigest()[:20]
            ids.append(run_id)
            rows += [(experiment, name, seed, run_id, *line) for line in metrics(name, seed) or ()]
            run = root / "runs" / run_id
            run.mkdir(parents=True)
            (run / "manifest.json").write_text(
                json.dumps(
                    manifests.content(
                        run_id,
                        experiment=experiment,
                        cell=name,
                        seed=seed,
                        parameters=parameters | {"name": name},
                        firmware={"mtype1": firmware},
                        engine={"name": "embedded", "version": "1", "rules": parameters["ruleset"]},
                        outcome=outcome(name, seed),
                        settings=(settings or {}).get(name, {}),
                    )
                )
            )
    target = root / "metrics" / "per_run"
    target.mkdir(parents=True)
    frame = pd.DataFrame(rows, columns=["experiment", "cell", "seed", "run_id", "metric", "key", "value"])
    parquet.write_table(pa.Table.from_pandas(frame, preserve_index=False), target / "part-0.parquet")
    (root / "campaign.json").write_text(
        json.dumps(
            {"format": 1, "experiment": experiment, "runs": ids + [f"{i:020x}" for i in range(planned)]}
        )
    )
    if scenario:
        (root / "scenario.yaml").write_text(scenario)
    return folder
