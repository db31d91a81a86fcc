# SPDX-License-Identifier: Apache-2.0
"""`orchestrate search` from its first run to its page; how it asks and judges: tests/features/search."""

from __future__ import annotations

import json

import pytest

from orchestrator.cli.app import main
from orchestrator.features.search.model import label
from orchestrator.scenario.load import load
from tests import needs

needs.a_compiler()
SCENARIO = """experiment: lossy
topology: {shape: chain, publishers: 2, spacing: 5 m}
application: {name: aggregation}
duration: 5 s
seeds: 1..2
"""


@pytest.mark.spark
def test_the_command_from_its_first_run_to_its_page(tmp_path, spark, few_metrics, capsys):
    (tmp_path / "s.yaml").write_text(SCENARIO)
    command = ["search", str(tmp_path / "s.yaml"), "--json", "--store", str(tmp_path / "store")]
    command += ["--minimise", "events_transmitted", "--over", "application.delay=0..2 s"]
    command += ["--trials", "2", "--confirm", "2", "--first", "2"]
    assert main(command) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["trials"]) == 2 and "is the best of 2 trials" in told["found"][0]
    measured = told["winners"][0]["measured"]["events_transmitted"]
    assert measured["n"] == 2 and measured["mean"] > 0
    home = tmp_path / "store" / "lossy-search"
    kept = load(home / "scenario.yaml")
    assert sorted(cell.name for cell in kept.cells) == sorted(
        label(one["settings"]) for one in told["trials"]
    )
    winner = load(home / "search" / f"{label(told['winners'][0]['settings'])}.yaml")
    assert len(winner.cells) == 1 and winner.seeds == (1, 2, 3, 4)
    assert told["found"][0] in (home / "search" / "index.html").read_text()
