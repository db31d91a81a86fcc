# SPDX-License-Identifier: Apache-2.0
"""A traced experiment's report brings replays by itself: of each cell's first seed, as many as there is room
for.
"""

import json

import pandas as pd
import pytest
import traced_run
from markup import Markup

from orchestrator.cli.app import main
from orchestrator.report import page
from orchestrator.report.replay import cells


@pytest.fixture
def traced(tmp_path):
    """(store, run id of the traced cell); another cell of the experiment has no trace."""
    store, run = traced_run.store(tmp_path, side=2, rounds=1)
    _, silent = traced_run.store(tmp_path, side=3, rounds=1, trace=False)
    manifest = tmp_path / "traced" / "runs" / silent / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"cell": "grid"', '"cell": "silent"'))
    metrics = tmp_path / "traced" / "metrics" / "per_run"
    metrics.mkdir(parents=True)
    rows = [
        ("traced", cell, 1, one, "events_delivered", "total", 3.0)
        for cell, one in (("grid", run), ("silent", silent))
    ]
    pd.DataFrame(rows, columns=["experiment", "cell", "seed", "run_id", "metric", "key", "value"]).to_parquet(
        metrics / "part-0.parquet"
    )
    return store, run


def links(index) -> list[str]:
    return [
        link["href"]
        for link in Markup(index.read_text(encoding="utf-8")).all("a")
        if link["href"].startswith("replay-")
    ]


def test_a_traced_cell_has_its_replay_beside_the_report(traced):
    store, run = traced
    index = page.write(store, "traced")
    assert links(index) == [f"replay-{run}.html"]
    made = index.parent / f"replay-{run}.html"
    before = made.read_bytes()
    assert b'id="data"' in before and "when asked for" not in index.read_text(encoding="utf-8")
    made.unlink()
    page.write(store, "traced")
    assert made.read_bytes() == before


@pytest.mark.spark
def test_no_replays_if_none_are_wanted(traced, few_metrics):
    store, _ = traced
    assert main(["report", "traced", "--store", str(store), "--no-replays"]) == 0
    folder = store / "traced" / "report"
    assert not list(folder.glob("replay-*")) and links(folder / "index.html") == []


@pytest.mark.parametrize(("limit", "value"), [("MOST_CELLS", 0), ("MOST", 5_000), ("MOST_LOG", 100)])
def test_cells_without_room_are_named_with_the_command(traced, monkeypatch, limit, value):
    store, run = traced
    monkeypatch.setattr(cells, limit, value)
    index = page.write(store, "traced")
    assert links(index) == [] and not list(index.parent.glob("replay-*"))
    assert f"grid (<code>orchestrate replay traced {run[:12]}</code>)." in index.read_text(encoding="utf-8")


def test_a_replay_of_an_earlier_campaign_is_not_linked(traced):
    store, run = traced
    folder = page.write(store, "traced").parent
    (folder / "replay-0123.html").write_text("<title>of older firmware</title>")
    (store / "traced" / "campaign.json").write_text(json.dumps({"runs": [run]}))
    assert links(page.write(store, "traced")) == [f"replay-{run}.html"]
