# SPDX-License-Identifier: Apache-2.0
"""`orchestrate new notebook`: its cells run as they are, and give the report's numbers."""

import json

import pytest

from orchestrator.cli.app import main
from orchestrator.report.data import read
from tests import needs
from tests.features.air import air_store
from tests.spark.synthetic import Chain, write_run

needs.a_compiler()


def run_cells(folder, name: str) -> dict:
    """Write the notebook on an experiment, run its code, and return its names."""
    assert main(["new", "notebook", name]) == 0
    notebook = json.loads((folder / f"{name}-notebook" / "results.ipynb").read_text())
    names: dict = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    return names


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ORCHESTRATE_STORE", str(tmp_path))
    monkeypatch.setenv("MPLBACKEND", "Agg")
    return tmp_path


def equal_to_the_report(names: dict, results) -> None:
    for cell in results.cells:
        for metric in results.metrics():
            if "total" in results.keys(metric, cell):
                row, value = names["totals"].loc[metric, cell], results.estimate(cell, metric)
                assert row["n"] == value.n and row["mean"] == pytest.approx(value.mean)
                assert [row["ci_low"], row["ci_high"]] == pytest.approx([value.low, value.high], nan_ok=True)


def test_its_numbers_are_the_report_s(here):
    air_store.store(here)
    assert main(["metrics", "net", "--store", str(here)]) == 0
    names, results = run_cells(here, "net"), read(here, "net")
    equal_to_the_report(names, results)
    for cell in results.cells:
        sent = names["unicast"][names["unicast"]["cell"] == cell]
        by_run = (sent["fate"] == "delivered").groupby(sent["run_id"]).mean()
        assert by_run.mean() == pytest.approx(results.estimate(cell, "pdr").mean)
        shown = names["air_time_ms"].loc["udp", cell]
        assert shown == pytest.approx(results.estimate(cell, "air_time_ms", "udp").mean)


def test_an_experiment_without_a_record_of_the_air_has_its_totals(here):
    for seed in (1, 2):
        write_run(here / "plain", Chain("A", publishers=2), seed)
    assert main(["metrics", "plain", "--store", str(here)]) == 0
    equal_to_the_report(run_cells(here, "plain"), read(here, "plain"))


def test_a_name_that_can_t_be_an_experiment_is_refused(here):
    assert main(["new", "notebook", "../x"]) == 2
    assert not list(here.iterdir())
