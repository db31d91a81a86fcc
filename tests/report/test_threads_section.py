# SPDX-License-Identifier: Apache-2.0
"""The report's section on threads and the blackboard: its numbers, its label, and that other experiments have
none.
"""

from __future__ import annotations

import hashlib
import json

import pandas as pd
import pyarrow as pa
import pytest
from metrics_store import store
from pyarrow import parquet

from orchestrator.features.blackboard.threads import section
from orchestrator.report import axes, page
from orchestrator.report.data import read
from orchestrator.report.model import Figure, Gallery, Table, Text
from tests import threaded_log


@pytest.fixture
def results(tmp_path):
    """Three seeds of two cells, one of them traced, with the metrics that Spark would give of these logs."""
    store(tmp_path, "threaded", cells=("H5", "L5"), seeds=range(1, 4))
    table = tmp_path / "threaded" / "metrics" / "per_run" / "part-0.parquet"
    frame = pd.read_parquet(table)
    more = []
    for run in frame[["experiment", "cell", "seed", "run_id"]].drop_duplicates().itertuples(index=False):
        mote = threaded_log.mote(20 + run.seed)
        path = tmp_path / "threaded" / "runs" / run.run_id / "manifest.json"
        log = threaded_log.log({1: mote})
        manifest = json.loads(path.read_text())
        manifest["parameters"]["trace"] = run.cell == "H5"
        manifest["log_sha256"] = hashlib.sha256(log).hexdigest()
        path.write_text(json.dumps(manifest))
        path.with_name("COOJA.testlog").write_bytes(log)
        of = [("cpu_share", f"S/{name}", us / sum(mote.cpu_us.values())) for name, us in mote.cpu_us.items()]
        of += [("context_switches", key, sum(mote.switches.values())) for key in ("S", "total")]
        of += [("blackboard_bytes_high_water", "S", 48), ("cpu_energy_mj", "S", 1.5)]
        for subscriber, deadline in enumerate(("10 ms", "none")):
            key, delays = (
                f"S/3/{subscriber} subscriber{subscriber + 1}/{deadline}",
                mote.delays_us[subscriber],
            )
            of += [
                ("notification_delay_ms", f"{key}/mean", sum(delays) / len(delays) / 1000),
                ("notification_delay_ms", f"{key}/max", max(delays) / 1000),
            ]
            of += (
                [("notification_delay_ms", f"{key}/{name}", max(delays) / 1000) for name in ("p05", "p95")]
                if run.cell == "H5"
                else []
            )
        of += [
            (metric, key, value)
            for metric, value in (("notification_misses", 8), ("notification_miss_rate", 0.4))
            for key in ("S/3/0 subscriber1/10 ms", "total")
        ]
        more += [(*run, *each) for each in of]
    whole = pd.concat([frame, pd.DataFrame(more, columns=frame.columns)])
    parquet.write_table(pa.Table.from_pandas(whole, preserve_index=False), table)
    return read(tmp_path, "threaded")


def figures(found) -> dict[str, Figure]:
    return {
        figure.name: figure
        for block in found.blocks
        if isinstance(block, Gallery)
        for figure in block.figures
    }


def test_what_the_section_holds(results):
    found = section.section(results)
    assert found.title == "Threads and the blackboard"
    assert isinstance(found.blocks[0], Text) and found.blocks[0].paragraphs[0].startswith("Modelled")
    pictures = figures(found)
    assert set(pictures) == {"threads-notification-1", "threads-cpu-1", "threads-run-h5"}
    assert all("Modelled" in figure.caption for figure in pictures.values())
    notifications, nodes = (block for block in found.blocks if isinstance(block, Table))
    assert [[entry.text for entry in row[:3]] for row in notifications.rows] == [
        [cell, thread, due]
        for cell in ("H5", "L5")
        for thread, due in (("subscriber1", "10 ms"), ("subscriber2", "none"))
    ]
    assert notifications.rows[0][-1].text == "40.0" and notifications.rows[1][-1].text == "–"
    assert [column for column in nodes.columns] == [
        "Cell",
        "Context switches, modelled",
        "Blackboard's array, bytes",
        "CPU energy, modelled, mJ",
    ]
    assert nodes.rows[0][2].text == "48"


def test_the_figures_numbers_are_the_metrics(results):
    pictures = figures(section.section(results))
    shares = [row for row in pictures["threads-cpu-1"].drawing.rows if row[0] == "L5"]
    assert sum(row[3] for row in shares) == pytest.approx(100) and {row[1] for row in shares} >= {
        "S/publisher",
        "S/idle",
    }
    delays = {(row[0], row[1]): row for row in pictures["threads-notification-1"].drawing.rows}
    assert (
        delays["H5", "H5 subscriber1/missed"][3] == pytest.approx(40)
        and ("L5", "L5 subscriber1/p95") not in delays
    )
    assert delays["H5", "H5 subscriber2/max"][3] == 22.5 - 1
    assert {row[1] for row in pictures["threads-run-h5"].drawing.rows} == {
        "run",
        "published",
        "written",
        "notified",
        "missed",
    }


def test_a_damaged_or_lost_log_has_no_diagram(results):
    logs = sorted(results.folder.glob("runs/*/COOJA.testlog"))
    for log in logs:
        log.unlink()
    assert "threads-run-h5" not in figures(section.section(results))


def test_the_page_has_it_once_and_the_general_sections_do_not(results, tmp_path):
    index = page.write(tmp_path, "threaded", formats=("svg", "csv", "pdf", "pgf"))
    text = index.read_text(encoding="utf-8")
    assert text.count("Run-time diagram: H5, seed 1") == 1 and '<section id="threads">' in text
    names = {path.name for path in (index.parent / "figures").iterdir()}
    assert {f"threads-run-h5.{form}" for form in ("svg", "csv", "pdf", "pgf")} <= names
    assert not [
        name
        for name in names
        if "context" in name or "samples" in name or "cpu-energy" in name or "high-water" in name
    ]


def test_experiments_without_threads_have_none(store):
    assert section.section(read(store, "aggregation-paper")) is None


def test_pairs_of_cells_are_compared_in_energy_switches_and_samples(tmp_path):
    store(tmp_path, "pair", cells=("H5", "H5A"), seeds=range(1, 4))
    table = tmp_path / "pair" / "metrics" / "per_run" / "part-0.parquet"
    frame = pd.read_parquet(table)
    runs = frame[["experiment", "cell", "seed", "run_id"]].drop_duplicates().itertuples(index=False)
    more = [
        (*run, metric, key, float(value * (1 if run.cell == "H5" else 0.25)))
        for run in runs
        for metric, key, value in (
            ("samples_taken", "total", 400),
            ("context_switches", "total", 800),
            ("cpu_energy_mj", "S", 6),
            ("cpu_energy_mj", "P1", 2),
        )
    ]
    parquet.write_table(
        pa.Table.from_pandas(
            pd.concat([frame, pd.DataFrame(more, columns=frame.columns)]), preserve_index=False
        ),
        table,
    )
    results = read(tmp_path, "pair")
    found = axes.section(axes.compared(results))
    rows = {row[0].text: [entry.text for entry in row[3:6]] for row in found.blocks[1].rows}
    assert rows["Samples taken"] == ["−75.0\u00a0%", "400", "100"] and rows["Context switches, modelled"] == [
        "−75.0\u00a0%",
        "800",
        "200",
    ]
    assert (
        rows["CPU energy, modelled, all nodes"] == ["−75.0\u00a0%", "8.00", "2.00"]
        and "Transceiver's energy, all nodes" in rows
    )
