# SPDX-License-Identifier: Apache-2.0
import base64
import json
import re
import shutil
import xml.etree.ElementTree as etree
from pathlib import Path

import metrics_store
import pyarrow as pa
import pytest
from markup import Markup
from pyarrow import parquet

from orchestrator import durable
from orchestrator.errors import NoSuchThing, StorageFailed
from orchestrator.report import axes, page
from orchestrator.report.data import read
from orchestrator.report.theme import themed

HOSTILE = "<script>alert(1)</script>\"'&{{7*7}}$x^2$--"


@pytest.fixture(scope="module")
def markup(index):
    return Markup(index.read_text(encoding="utf-8"))


def test_tags_nest_ids_are_unique_and_links_lead_somewhere(markup):
    ids = [attributes["id"] for _, attributes in markup.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [attributes["href"] for attributes in markup.all("a")]
    inside = [link for link in links if not link.startswith("data:text/csv;base64,")]
    assert len(inside) > 8 and all(link.startswith("#") and link[1:] in ids for link in inside)
    assert len(links) - len(inside) == len(markup.all("img"))


def test_every_row_of_a_table_has_every_column(markup):
    assert len(markup.rows) >= 5
    for table in markup.rows:
        assert len(set(table)) == 1 and len(table) > 1


def test_the_page_asks_nothing_of_the_network(index, markup):
    text = index.read_text(encoding="utf-8")
    assert not markup.all("script") and not markup.all("link") and not markup.all("iframe")
    for image in markup.all("img"):
        assert image["src"].startswith("data:image/svg+xml;base64,") and image["alt"]
    assert "url(" not in text and "@import" not in text and "http:" not in text and "https:" not in text


def test_figures_are_in_the_page_and_beside_it_as_svg(index, markup):
    files = {file.stem: file.read_bytes() for file in (index.parent / "figures").glob("*.svg")}
    shown = {base64.b64decode(image["src"].split(",", 1)[1]) for image in markup.all("img")}
    assert {themed(file) for file in files.values()} == shown
    for name in (
        "figure-7a-h10",
        "figure-7b-h10a",
        "figure-7c-l10d",
        "figure-7c-l10ad",
        "figure-7d-l10ad",
        "figure-7e",
        "figure-7f",
        "figure-7g",
        "figure-7h",
        "headline-reduction",
        "topology-h10",
    ):
        assert name in files
    for name, content in files.items():
        root = etree.fromstring(content)
        assert root.tag.endswith("svg") and root.get("viewBox"), name
        outside = re.findall(rb'(?:href|src)="(?!#)[^"]*"', content)
        assert not outside, name


def test_the_same_metrics_give_the_same_bytes(store, index):
    def everything():
        return {file.name: file.read_bytes() for file in [index, *(index.parent / "figures").iterdir()]}

    before = everything()
    page.write(store, "aggregation-paper")
    assert everything() == before
    assert sorted(file.name for file in index.parent.iterdir()) == ["figures", "index.html"]


def test_numbers_of_the_table_are_those_of_the_metrics(store, markup):
    values = read(store, "aggregation-paper").values("H10", "events_transmitted")
    assert f"{round(values.mean()):,}".replace(",", "\u202f") in markup.text
    assert "50.4" in markup.text and "85.5" in markup.text and "2\u202f372" in markup.text


def test_hostile_names_stay_text(tmp_path):
    store = metrics_store.store(
        tmp_path, "hostile", cells=("H5", "H5A"), seeds=(1, 2), rename={"H5": HOSTILE}
    )
    for path in (tmp_path / "hostile" / "runs").glob("*/manifest.json"):
        manifest = json.loads(path.read_text())
        manifest["motes"][1]["name"] = HOSTILE
        manifest["evidence"], manifest["outcome"] = [HOSTILE], "crash"
        path.write_text(json.dumps(manifest))
    (tmp_path / "hostile" / "scenario.yaml").write_text("# </pre>" + HOSTILE)
    written = page.write(store, "hostile")
    found = Markup(written.read_text(encoding="utf-8"))
    assert not found.all("script") and HOSTILE in found.text and "</pre>" in found.text
    for file in (written.parent / "figures").iterdir():
        assert file.suffix == ".csv" or not [
            node for node in etree.fromstring(file.read_bytes()).iter() if node.tag.endswith("script")
        ]
        assert re.fullmatch(r"[a-z0-9-]+\.(svg|csv)", file.name)


def test_an_experiment_of_any_kind_has_a_report(tmp_path):
    store = metrics_store.store(tmp_path, "mine", cells=("H5", "H5A", "L5"), seeds=(4,))
    found = Markup(page.write(store, "mine").read_text(encoding="utf-8"))
    assert "one seed has no interval" in found.text and "one seed, nothing shown" in found.text
    assert "paper" not in found.text.lower()


def test_metrics_nobody_planned_still_appear(tmp_path):
    store = metrics_store.store(tmp_path, "mine", cells=("H5",), seeds=(1, 2))
    file = next((tmp_path / "mine" / "metrics" / "per_run").glob("*.parquet"))
    rows = parquet.read_table(file).to_pylist()
    rows += [
        {
            **rows[0],
            "seed": seed,
            "run_id": row["run_id"],
            "metric": "novelty",
            "key": "total",
            "value": float(seed),
        }
        for seed, row in ((1, rows[0]), (2, rows[-1]))
    ]
    parquet.write_table(pa.Table.from_pylist(rows), file)
    assert "novelty" in page.write(store, "mine").read_text(encoding="utf-8")


def test_pairs_differ_in_one_switch_only(store):
    found = axes.steps(read(store, "aggregation-paper"))
    switches = [(step.pair.a, step.pair.b) for step in found if step.axis == "application.aggregate"]
    assert ("L10D", "L10AD") in switches and len(switches) == 6
    assert ("H5", "H10") in [
        (step.pair.a, step.pair.b) for step in found if step.axis == "topology.publishers"
    ]
    assert all(
        step.pair.by_seed is (step.axis in ("application.aggregate", "application.delay")) for step in found
    )


def test_a_missing_size_counts_as_zero_in_every_seed(store):
    results = read(store, "aggregation-paper")
    counts = results.counts("L10AD", "aggregate_size", "10")
    assert list(counts.index) == [1, 2, 3] and counts.sum() == 0


def test_what_is_missing_or_broken_is_said(tmp_path, store):
    with pytest.raises(NoSuchThing, match="orchestrate metrics nothing"):
        page.write(tmp_path, "nothing")
    copy = tmp_path / "copy"
    shutil.copytree(store, copy)
    file = next((copy / "aggregation-paper" / "metrics" / "per_run").glob("*.parquet"))
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(StorageFailed, match="not readable as Parquet"):
        page.write(copy, "aggregation-paper")
    parquet.write_table(pa.table({"cell": ["x"]}), file)
    with pytest.raises(StorageFailed, match="columns missing: experiment, seed"):
        page.write(copy, "aggregation-paper")


def test_only_the_current_campaign_counts(tmp_path):
    store = metrics_store.store(tmp_path, "mine", cells=("H5",), seeds=(1, 2, 3))
    every = [manifest.run_id for manifest in read(store, "mine").manifests]
    listing = tmp_path / "mine" / "campaign.json"
    listing.write_text(json.dumps({"format": 1, "experiment": "mine", "runs": every[:2]}))
    results = read(store, "mine")
    assert len(results.manifests) == 2 and results.seeds("H5") == [1, 2]
    listing.write_text(json.dumps({"format": 1, "experiment": "mine", "runs": ["0" * 64]}))
    with pytest.raises(NoSuchThing, match="older runs"):
        read(store, "mine")
    listing.write_text("{")
    with pytest.raises(StorageFailed, match="campaign.json"):
        read(store, "mine")


def test_two_runs_of_one_seed_are_refused(tmp_path):
    store = metrics_store.store(tmp_path, "mine", cells=("H5",), seeds=(1,))
    file = next((tmp_path / "mine" / "metrics" / "per_run").glob("*.parquet"))
    rows = parquet.read_table(file).to_pylist()
    parquet.write_table(pa.Table.from_pylist(rows + [{**row, "run_id": "e" * 64} for row in rows]), file)
    with pytest.raises(StorageFailed, match="two runs of cell H5 with seed 1"):
        read(store, "mine")


def test_a_report_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    store = metrics_store.store(tmp_path, "mine", cells=("H5",), seeds=(1, 2))
    written: Path = page.write(store, "mine")
    before = written.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(durable.os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        page.write(store, "mine")
    assert written.read_bytes() == before and sorted(p.name for p in written.parent.iterdir()) == [
        "figures",
        "index.html",
    ]
