# SPDX-License-Identifier: Apache-2.0
"""The figure of delivery around a mote's death: there for experiments that have it, for no others."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest
from metrics_store import store
from pyarrow import parquet

from orchestrator.report import recovery
from orchestrator.report.data import read


def test_one_figure_a_cell_with_a_line_a_subscriber(tmp_path):
    store(tmp_path, "killed", cells=("H5",), seeds=range(1, 4))
    table = tmp_path / "killed" / "metrics" / "per_run" / "part-0.parquet"
    frame = pd.read_parquet(table)
    runs = frame[["experiment", "cell", "seed", "run_id"]].drop_duplicates()
    more = [
        (*run, "delivery_ratio", f"{name}/{window:+.1f}", 0.25 if window == 0 else 0.75)
        for run in runs.itertuples(index=False)
        for name in ("S", "S2", "total")
        for window in (-10.0, -0.5, 0.0, 2.5)
    ]
    # S2 is back in two of three seeds.
    more += [(*run, "recovery_renewals", "S", 0.5) for run in runs.itertuples(index=False)]
    more += [(*run, "recovery_renewals", "S2", 1.5) for run in list(runs.itertuples(index=False))[:2]]
    whole = pd.concat([frame, pd.DataFrame(more, columns=frame.columns)])
    parquet.write_table(pa.Table.from_pandas(whole, preserve_index=False), table)
    (figure,) = recovery.figures(read(tmp_path, "killed"))
    assert "3 seeds" in figure.caption
    assert (
        "Delivery returned to 90 % of its earlier value within 1.5 renewals, over all subscribers and seeds; "
        "in 1 of 6 cases it never did." in figure.caption
    )
    text = str([*figure.drawing.rows])
    assert text.index("-10.0") < text.index("-0.5") < text.index("+0.0") < text.index("+2.5")
    assert "S2" in text and "total" not in text and "75.0" in text and "25.0" in text


@pytest.mark.parametrize(
    ("renewals", "sentence"),
    [
        (
            {"S": 0.0, "S2": 0.0},
            "In the first window after the death, delivery was at least 90 % of its earlier value for every "
            "subscriber in every seed.",
        ),
        ({"S": 0.0}, "within 0 renewals, over all subscribers and seeds; in 2 of 4 cases it never did."),
        ({}, "In no seed did any subscriber's delivery return to 90 % of its earlier value."),
    ],
)
def test_how_soon_delivery_was_back(tmp_path, renewals, sentence):
    store(tmp_path, "killed", cells=("H5",), seeds=range(1, 3))
    table = tmp_path / "killed" / "metrics" / "per_run" / "part-0.parquet"
    frame = pd.read_parquet(table)
    more = [
        (*run, *row)
        for run in frame[["experiment", "cell", "seed", "run_id"]].drop_duplicates().itertuples(index=False)
        for row in [("delivery_ratio", f"{name}/+0.0", 1.0) for name in ("S", "S2")]
        + [("recovery_renewals", name, value) for name, value in renewals.items()]
    ]
    parquet.write_table(
        pa.Table.from_pandas(
            pd.concat([frame, pd.DataFrame(more, columns=frame.columns)]), preserve_index=False
        ),
        table,
    )
    (figure,) = recovery.figures(read(tmp_path, "killed"))
    assert sentence in figure.caption


def test_others_have_none(tmp_path):
    store(tmp_path, "plain", cells=("H5",), seeds=range(1, 3))
    assert recovery.figures(read(tmp_path, "plain")) == []
