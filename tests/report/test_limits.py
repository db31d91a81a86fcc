# SPDX-License-Identifier: Apache-2.0
"""How much of an experiment a report shows, and that the limits are those that its pages tell."""

from __future__ import annotations

import hashlib
import json
from types import SimpleNamespace

import pytest
from metrics_store import manifest
from test_recorded_pages import results

from orchestrator.features.blackboard.threads import diagram, section
from orchestrator.report import budget, charts, folds, generic, layouts, style
from orchestrator.report.comparison import cells as compared_cells
from orchestrator.report.data import read
from orchestrator.report.model import Entry, Gallery, Listing, Section, Table
from orchestrator.report.replay import cells, columns
from orchestrator.statistics.estimates import estimate
from tests import manifests, threaded_log

LINE = [("delay_histogram", "10", 1.0), ("packets_sent", "P1", 1.0)]


def test_what_a_page_and_a_replay_may_take():
    """A page is mailed (5 MB), a replay numbers motes by 16 bits, and a log of 64 MB is read in seconds."""
    assert budget.MOST == 4_800_000 and columns.MOST_MOTES == 65_000
    assert cells.MOST_LOG == section.MOST_LOG == 64_000_000
    assert columns.AGES_US == 10_000_000 and compared_cells.LONGEST == 60


@pytest.mark.parametrize("more", [0, 1])
def test_a_topology_is_drawn_for_each_of_twelve_layouts(more):
    made = {
        f"c{place}": manifests.manifest(
            f"{place:020}",
            cell=f"c{place}",
            motes=[{"mote": 1, "name": "S", "role": "subscriber", "x": float(place), "y": 0.0, "parent": 0}],
        )
        for place in range(12 + more)
    }
    of = SimpleNamespace(cells=list(made), manifest=made.get)
    (gallery,) = layouts.section(of).blocks
    assert [figure.name for figure in gallery.figures] == [f"topology-c{place}" for place in range(12)]
    assert layouts.section(SimpleNamespace(cells=["a"], manifest=lambda cell: None)) is None


def test_cells_of_one_layout_share_a_drawing():
    motes = [{"mote": 1, "name": "S", "role": "subscriber", "x": 0.0, "y": 0.0, "parent": 0}]
    made = {name: manifests.manifest(cell=name, motes=motes) for name in ("a", "b")}
    made["far"] = manifests.manifest(
        motes=motes, parameters=manifests.parameters(radio=manifests.RADIO | {"range_m": 80.0})
    )
    (gallery,) = layouts.section(SimpleNamespace(cells=list(made), manifest=made.get)).blocks
    assert [figure.title for figure in gallery.figures] == ["chain of 1 motes: a, b", "chain of 1 motes: far"]


@pytest.mark.parametrize(("count", "parts"), [(6, [6]), (7, [6, 1]), (13, [6, 6, 1])])
def test_six_curves_are_in_a_figure(count, parts):
    found = generic.sections(results({f"c{place:02}": {1: LINE} for place in range(count)}))
    for title, number in (("Node by node", "of 2"), ("Delivery delay", "")):
        section_ = next(one for one in found if one.title == title)
        figures = section_.blocks[0].figures
        assert [len({row[0] for row in figure.drawing.rows}) for figure in figures] == parts
        assert any(number in figure.title for figure in figures) or len(parts) != 2


@pytest.mark.parametrize(("count", "width"), [(24, style.WIDTH), (25, style.WIDE)])
def test_a_chart_of_more_than_24_labels_is_wide(count, width):
    labels = [f"c{place}" for place in range(count)]
    values = [estimate([1.0, 2.0])] * count
    for kind in (charts.bars, charts.profile):
        assert kind(labels, [charts.Series("s", values)], "x").width == width


def test_what_is_folded_is_long_or_of_few_readers():
    def table(rows: int) -> Table:
        return Table("T", ("a",), ((Entry("x"),),) * rows)

    figure = SimpleNamespace(title="F")
    assert [folds.block(table(rows)) for rows in (24, 25)] == ["", "T: 25 rows"]
    assert [folds.block(Gallery((figure,) * count)) for count in (12, 13)] == ["", "13 figures"]
    assert folds.block(Listing("a", "b")) == ""
    for name in ("provenance", "scenario", "nodes", "topology-x", "sensitivity"):
        assert folds.section(Section(name, "S", ()))
    assert not folds.section(Section("results", "S", ()))
    assert folds.contents(Section("s", "Whole", ())) == "Whole"


def traced(folder, count: int):
    """An experiment with as many traced cells with threads."""
    log = threaded_log.log({1: threaded_log.mote(1)})
    lines = []
    for place in range(count):
        cell, run_id = f"H{place + 10}", hashlib.sha256(f"{place}".encode()).hexdigest()
        manifest(folder / "e", "e", "H5", cell, 1, run_id)
        path = folder / "e" / "runs" / run_id / "manifest.json"
        made = json.loads(path.read_text())
        made["parameters"]["trace"], made["log_sha256"] = True, hashlib.sha256(log).hexdigest()
        path.write_text(json.dumps(made))
        path.with_name("COOJA.testlog").write_bytes(log)
        lines.append(("e", cell, 1, run_id, "context_switches", "S", 1.0))
    per_run = folder / "e" / "metrics" / "per_run"
    per_run.mkdir(parents=True)
    import pandas as pd

    columns_ = ["experiment", "cell", "seed", "run_id", "metric", "key", "value"]
    pd.DataFrame(lines, columns=columns_).to_parquet(per_run / "part-0.parquet")
    return read(folder, "e")


def test_run_time_diagrams_are_drawn_of_twelve_cells(tmp_path, monkeypatch):
    found = traced(tmp_path, 13)
    drawn = section.section(found).blocks[-1].figures
    assert [figure.name for figure in drawn] == [f"threads-run-h{place + 10}" for place in range(12)]
    size = len(threaded_log.log({1: threaded_log.mote(1)}))
    monkeypatch.setattr(section, "MOST_LOG", size - 1)
    assert not any(isinstance(block, Gallery) for block in section.section(found).blocks)
    monkeypatch.setattr(section, "MOST_LOG", size)
    assert len(section.section(found).blocks[-1].figures) == 12
    assert (diagram.MOST_LANES, diagram._LONGEST, section.MOST_DIAGRAMS) == (24, 18, 12)
