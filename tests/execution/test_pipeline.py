# SPDX-License-Identifier: Apache-2.0
"""From a scenario file to a report, with Spark; and what is said when there is no JVM."""

import json
import pickle
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as parquet
import pytest

from orchestrator.errors import FaultyInput, MissingTool, NoSuchThing, StorageFailed
from orchestrator.scenario import changed
from tests.waiting import HANG_S

ORCHESTRATE = [sys.executable, "-m", "orchestrator.cli.app"]


@pytest.mark.spark
def test_from_scenario_to_report(scenario_file, tmp_path):
    command = [*ORCHESTRATE, "run", str(scenario_file(2)), "--store", str(tmp_path / "store"), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG_S, check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["runs"] == 4
    assert set(result["seconds"]) == {"plan", "simulate", "ingest", "metrics", "report"}
    page = Path(result["report"])
    assert page.name == "index.html"
    assert "trial" in page.read_text(encoding="utf-8")
    per_run = parquet.read_table(tmp_path / "store" / "trial" / "metrics" / "per_run").to_pandas()
    assert set(per_run["cell"]) == {"plain", "A"}
    published = per_run[(per_run["metric"] == "events_published") & (per_run["key"] == "total")]
    assert len(published) == 4
    assert (published["value"] > 0).all()


@pytest.mark.spark
def test_a_finished_experiment_is_recognised_without_reading_its_tables(scenario_file, tmp_path):
    store, scenario = tmp_path / "store", str(scenario_file(1))
    command = ["-m", "orchestrator.cli.app", "run", scenario, "--store", str(store)]
    first = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=True)
    assert "Sail" in first.stderr
    page = store / "trial" / "report" / "index.html"
    written = page.stat().st_mtime_ns
    timed = [sys.executable, "-X", "importtime", *command]
    again = subprocess.run(timed, capture_output=True, text=True, check=True)
    assert "orchestrator.execution.pipeline" in again.stderr
    assert not [name for name in ("pyarrow", "numpy", "pandas", "grpc") if f" {name}\n" in again.stderr]
    assert page.stat().st_mtime_ns == written
    damaged = next((store / "trial" / "tables" / "counters").glob("*.parquet"))
    damaged.write_bytes(b"torn")
    subprocess.run([sys.executable, *command], capture_output=True, check=True)
    assert parquet.read_table(store / "trial" / "tables" / "counters").num_rows > 0


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("NoJava", MissingTool),
        ("NoLoopback", MissingTool),
        ("NoMaster", MissingTool),
        ("NoRuns", NoSuchThing),
        ("TablesFailed", StorageFailed),
    ],
)
def test_errors_of_the_analysis_have_the_exit_codes_of_their_kind(theirs, ours):
    from orchestrate_spark import errors

    from orchestrator.cli.guard import told

    error = getattr(errors, theirs)("what it said")
    assert isinstance(error, ours) and told(error) == ("what it said", ours.exit_code)


def test_a_fault_of_a_user_s_own_code_keeps_its_line_on_its_way_from_an_executor():
    from orchestrate_spark.errors import FaultyCode

    error = FaultyCode.of("own.py", 3, "raises KeyError", "mend it")
    back = pickle.loads(pickle.dumps(error))
    assert isinstance(back, FaultyInput) and str(back) == str(error) and back.faults == error.faults
    assert str(back) == "own.py:3: raises KeyError\n    mend it"


def test_with_rules(scenario_file):
    from orchestrator.scenario.load import load

    scenario = load(scenario_file())
    assert changed.with_rules(scenario, None) is scenario
    assert {cell.ruleset for cell in changed.with_rules(scenario, "2026.07").cells} == {"2026.07"}
