# SPDX-License-Identifier: Apache-2.0
"""A store written from the contract in docs/architecture.md alone: what the report may rely on.

The numbers follow a chain that loses packets at random per hop; they are for testing the report, not results.
"""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from tests import manifests

CELLS = ("H5", "H5A", "H10", "H10A", "L5", "L5A", "L5D", "L5AD", "L10", "L10A", "L10D", "L10AD")


def store(
    folder: Path, experiment: str = "aggregation-paper", cells=CELLS, seeds=range(1, 6), rename=None
) -> Path:
    """Write STORE/EXPERIMENT; `rename` maps a cell's name to the one that is stored. Returns the store."""
    rows, root = [], folder / experiment
    for cell in cells:
        name = (rename or {}).get(cell, cell)
        for seed in seeds:
            run_id = hashlib.sha256(f"{name} {seed}".encode()).hexdigest()
            rows += [
                (experiment, name, seed, run_id, metric, key, float(value))
                for metric, key, value in run(cell, seed)
            ]
            manifest(root, experiment, cell, name, seed, run_id)
    per_run = pd.DataFrame(rows, columns=["experiment", "cell", "seed", "run_id", "metric", "key", "value"])
    target = root / "metrics" / "per_run"
    target.mkdir(parents=True)
    parquet.write_table(pa.Table.from_pandas(per_run, preserve_index=False), target / "part-0.parquet")
    (root / "scenario.yaml").write_text(f"experiment: {experiment}\nseeds: 1..5  # <b>&\n")
    return folder


def run(cell: str, seed: int) -> list[tuple[str, str, float]]:
    """(metric, key, value) of one run: hop by hop, without aggregation or with whole aggregates."""
    draw = random.Random(f"{cell} {seed}")
    high, n = cell[0] == "H", int(cell.rstrip("AD")[1:])
    aggregate, delay = "A" in cell, cell.endswith("D")
    turns = random.Random(seed).randint(2390, 2410) if high else 30
    hop = 1.0 if delay and not aggregate else 0.985 if aggregate else 0.9
    sent, got, delivered, sizes = [0] * (n + 1), [0] * (n + 1), 0, {}
    for _ in range(turns):
        if aggregate:
            holds = 0
            for place in range(n, 0, -1):
                holds += 1
                sent[place] += 1 + (delay and place % 3 == 0)
                if draw.random() < hop:
                    got[place - 1] += 1
                else:
                    holds = 0
            holds = min(holds, n - 2) if delay else holds
            if holds:
                delivered += holds
                sizes[holds] = sizes.get(holds, 0) + 1
        else:
            for source in range(1, n + 1):
                for place in range(source, 0, -1):
                    sent[place] += 1
                    if draw.random() >= hop:
                        break
                    got[place - 1] += 1
                else:
                    delivered += 1
                    sizes[1] = sizes.get(1, 0) + 1
    total, published = sum(sent), turns * n
    found = [
        ("events_published", "total", published),
        ("events_delivered", "total", delivered),
        ("events_lost", "total", published - delivered),
        ("events_duplicated", "total", 0),
        ("event_loss_rate", "total", 1 - delivered / published),
        ("packet_loss_rate", "total", 1 - sum(got) / total),
        ("events_transmitted", "total", total),
        ("aggregates", "total", sum(sizes.values())),
        ("full_aggregates", "total", sizes.get(n, 0)),
        ("malformed_lines", "total", 0),
        ("aggregated_share", "total", sum(k * v for k, v in sizes.items() if k > 1) / max(1, delivered)),
        ("packets_sent", "S", 20),
        ("forwarded", "timeout", 3),
        ("forwarded", "full", 40),
        ("packets_received", "S", got[0]),
    ]
    for place in range(1, n + 1):
        found += [
            ("packets_sent", f"P{place}", sent[place]),
            ("packets_received", f"P{place}", got[place]),
            ("events_transmitted", f"P{place}", sent[place]),
            ("events_published", f"P{place}", turns),
            ("energy_mj", f"P{place}", 1000 + sent[place] / 10),
        ]
    found += [("aggregate_size", str(size), count) for size, count in sizes.items()]
    found += [
        ("delay_ms", key, 20 * scale + seed)
        for key, scale in (("p05", 1), ("p50", 4), ("p95", 20), ("mean", 6))
    ]
    found += [("delay_histogram", str(upper), delivered / 5) for upper in (10, 20, 50, 200, 1000)]
    if aggregate:
        plain = dict(((m, k), v) for m, k, v in run(cell.replace("A", ""), seed))[
            ("events_transmitted", "total")
        ]
        found.append(("reduction", "total", 1 - total / plain))
    return found


def manifest(root: Path, experiment: str, cell: str, name: str, seed: int, run_id: str) -> None:
    n = int(cell.rstrip("AD")[1:])
    motes = [{"mote": 1, "name": "S", "role": "subscriber", "x": 0.0, "y": 0.0, "parent": 0}]
    motes += [
        {"mote": i + 1, "name": f"P{i}", "role": "publisher", "x": 5.0 * i, "y": 0.0, "parent": i}
        for i in range(1, n + 1)
    ]
    motes.append({"mote": n + 2, "name": "C", "role": "control", "x": 0.0, "y": 1.0, "parent": 0})
    content = manifests.content(
        run_id,
        experiment=experiment,
        cell=name,
        seed=seed,
        settings={
            "load": cell[0],
            "topology.publishers": n,
            "application.aggregate": "A" in cell,
            "application.delay": "1.25 s" if cell.endswith("D") else "0 s",
        },
        motes=motes,
        log_sha256=hashlib.sha256(run_id.encode()).hexdigest(),
    )
    folder = root / "runs" / run_id
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text(json.dumps(content))
