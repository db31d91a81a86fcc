# SPDX-License-Identifier: Apache-2.0
"""What `report`, `replay` and the page of `compare` say, and where their pages are."""

import argparse
import json

import metrics_store
import pytest
import traced_run

from orchestrator.cli import report
from orchestrator.cli.app import main
from orchestrator.errors import NoSuchThing
from orchestrator.features.aggregation.paper import scenarios


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A store with an experiment of two cells and two seeds."""
    folder = tmp_path_factory.mktemp("small")
    return metrics_store.store(folder, "small", cells=("H5", "H5A"), seeds=(1, 2))


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


@pytest.fixture
def browser(monkeypatch):
    """The pages that were opened in a browser; it answers whether there is one."""
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or len(opened) < 2)
    return opened


def test_each_command_shows_its_page_only_if_asked(small, tmp_path, browser, capsys):
    traced, run = traced_run.store(tmp_path, side=2, rounds=1)
    report = ["report", "small", "--store", str(small)]
    replay = ["replay", f"traced/{run}", "--store", str(traced)]
    compare = ["compare", "small/H5", "small/H5A", "--store", str(small)]
    compare += ["--metrics", "events_delivered", "--report", str(tmp_path / "page")]
    for command in (report, replay, compare):
        assert main(command) == 0
    assert browser == []
    capsys.readouterr()
    pages = [
        small / "small" / "report" / "index.html",
        traced / "traced" / "report" / f"replay-{run}.html",
        tmp_path / "page" / "index.html",
    ]
    for place, command in enumerate((report, replay, compare)):
        assert main([*command, "--open"]) == 0
        said = capsys.readouterr().err.splitlines()
        none = "orchestrate: there is no web browser to open it"
        assert (none in said) == (place > 0)
    assert browser == [page.as_uri() for page in pages]


def test_the_figures_of_a_report_are_listed_by_name(small, capsys):
    folder = small / "small" / "report"
    assert main(["report", "small", "--store", str(small), "--json", "--figures", "csv"]) == 0
    shown = json.loads(capsys.readouterr().out)["figures"]
    assert shown == sorted(map(str, (folder / "figures").iterdir()))
    assert {figure.rpartition(".")[2] for figure in shown} == {"csv"}
    assert (folder / "figures").stat().st_mode & 0o777 == 0o755
    assert sorted(file.name for file in folder.iterdir()) == ["figures", "index.html"]


@pytest.mark.parametrize(
    ("given", "inches"),
    [("30mm", 0.03 / 0.0254), ("500 mm", 0.5 / 0.0254), ("0.0254 m", None), ("501mm", None)],
)
def test_the_width_of_figures(given, inches):
    if inches is None:
        with pytest.raises(argparse.ArgumentTypeError, match="^.* is not between 30mm and 500mm$"):
            report.inches(given)
    else:
        assert report.inches(given) == pytest.approx(inches)


def test_an_experiment_is_named_by_its_scenario_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = scenarios()[0][1]
    for name in ("a.yaml", "b.yml", "plain"):
        (tmp_path / name).write_text(text)
        assert report.experiment_name(name) == "aggregation-paper"
    assert report.experiment_name("none") == "none"
    with pytest.raises(NoSuchThing):
        report.experiment_name("none.yml")


def test_a_replay_by_scenario_file_and_what_belongs_to_no_store(tmp_path, capsys):
    traced, run = traced_run.store(tmp_path, side=2, rounds=1)
    (tmp_path / "grid.yaml").write_text(scenarios()[0][1].replace("aggregation-paper", "traced"))
    assert main(["replay", str(tmp_path / "grid.yaml"), run[:5], "--store", str(traced)]) == 0
    assert capsys.readouterr().out == f"{traced / 'traced' / 'report' / f'replay-{run}.html'}\n"
    log = tmp_path / "COOJA.testlog"
    log.write_bytes((traced / "traced" / "runs" / run / "COOJA.testlog").read_bytes())
    assert main(["replay", str(log), "--store", str(traced)]) == 9
    assert capsys.readouterr().err.splitlines()[:2] == [
        f"orchestrate: {tmp_path} is not a run of {traced}",
        "    the replay goes beside the report; name a run of the store, or its store with --store",
    ]
