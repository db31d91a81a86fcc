# SPDX-License-Identifier: Apache-2.0
"""Pages as they were when somebody last looked at them: each sentence, entry, caption and number."""

from __future__ import annotations

import json
from pathlib import Path

import metrics_store
import page_text
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from orchestrator.report import page
from orchestrator.report.data import Results, read
from tests import recorded

RECORDED = Path(__file__).with_name("recorded_pages")


def known(text: str, name: str) -> None:
    recorded.same(text, RECORDED / f"{name}.txt")


@pytest.fixture(scope="module")
def unfinished(tmp_path_factory) -> Results:
    """Four cells and three seeds; a run crashed, one has no metrics, two are not made yet."""
    folder = tmp_path_factory.mktemp("unfinished")
    store = metrics_store.store(folder, "mine", cells=("H5", "H5A", "L5", "L5A"), seeds=range(1, 4))
    root = folder / "mine"
    made = {path: json.loads(path.read_text()) for path in sorted(root.glob("runs/*/manifest.json"))}
    changes = {("H5", 2): {"outcome": "crash", "evidence": ["ID:2 died", "of 11", "in a", "fourth"]}}
    changes[("L5A", 3)] = {"outcome": "ok"}
    left_out = set()
    for path, manifest in made.items():
        if change := changes.get((manifest["cell"], manifest["seed"])):
            left_out.add(manifest["run_id"])
            path.write_text(json.dumps(manifest | change))
    plan = sorted(((one["cell"], one["seed"]), one["run_id"]) for one in made.values())
    ids = [run_id for _, run_id in plan] + ["0" * 64, "1" * 64]
    (root / "campaign.json").write_text(json.dumps({"format": 1, "experiment": "mine", "runs": ids}))
    (table,) = (root / "metrics" / "per_run").glob("*.parquet")
    frame = pd.read_parquet(table)
    frame = frame[~frame["run_id"].isin(left_out)]
    frame.loc[frame["metric"] == "malformed_lines", "value"] = 2.0
    parquet.write_table(pa.Table.from_pandas(frame, preserve_index=False), table)
    return read(store, "mine")


def test_the_page_of_an_unfinished_experiment(unfinished):
    known(page_text.of_page(page.build(unfinished)), "unfinished")
