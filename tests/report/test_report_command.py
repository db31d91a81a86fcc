# SPDX-License-Identifier: Apache-2.0
import json

from orchestrator.cli.app import main
from orchestrator.papers.aggregation import scenarios


def test_report_by_experiment_and_by_scenario_file(store, index, tmp_path, capsys):
    assert main(["report", "aggregation-paper", "--store", str(store)]) == 0
    assert capsys.readouterr().out.strip() == str(index)
    scenario = tmp_path / "paper.yaml"
    scenario.write_text(scenarios()[0][1])
    assert main(["report", str(scenario), "--store", str(store), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["report"] == str(index) and len(shown["figures"]) > 15


def test_what_is_not_there_is_said(store, capsys):
    assert main(["report", "nothing", "--store", str(store)]) == 9
    assert main(["report", "missing.yaml", "--store", str(store)]) == 9
    assert main(["report", "../../etc", "--store", str(store)]) == 2
    assert "Traceback" not in capsys.readouterr().err
