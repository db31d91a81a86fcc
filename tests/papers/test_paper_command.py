# SPDX-License-Identifier: Apache-2.0
import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from orchestrator.cli import paper
from orchestrator.cli.app import main
from orchestrator.features.aggregation.paper import scenarios

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "report"))
import metrics_store


def test_papers_are_listed(capsys):
    assert main(["paper"]) == 0
    said = capsys.readouterr().out
    assert main(["paper", "list"]) == 0 and capsys.readouterr().out == said
    assert main(["paper", "list", "--json"]) == 0
    written = capsys.readouterr().out
    told = json.loads(written)
    assert written == json.dumps(told, indent=2, ensure_ascii=False) + "\n"
    for name, paper_ in told.items():
        assert f"{name}  {paper_['paper']}\n" in said
        for result, summary in paper_["results"].items():
            assert f"  {result}: {summary}" in said
    assert sum(len(paper_["results"]) + 1 for paper_ in told.values()) == len(said.splitlines())


def test_an_unknown_paper_is_answered_with_the_names(capsys):
    assert main(["paper", "nonesuch"]) == 9
    assert "there are: aggregation, blackboard" in capsys.readouterr().err


@pytest.mark.parametrize(("given", "expected"), [("1..3", (1, 2, 3)), ("7", (7,)), ("1,5,9", (1, 5, 9))])
def test_other_seeds_are_in_the_stored_text_too(given, expected):
    scenario = paper.with_seeds(*scenarios()[0], given)
    assert scenario.seeds == expected and len(scenario.cells) == 12
    assert sum(line.startswith("seeds:") for line in scenario.source.splitlines()) == 1


def test_quick_takes_the_first_five_seeds_of_more(monkeypatch):
    def quick(name: str, text: str, seeds: str | None = None):
        scenario = paper.with_seeds(name, text, seeds, quick=True)
        return scenario.seeds, scenario.source

    name, text = scenarios()[0]
    assert paper.with_seeds(name, text, None).source == paper.loaded(name, text).source
    seeds, source = quick(name, text)
    assert seeds == (1, 2, 3, 4, 5) and "\nseeds: [1..5]\n" in source
    assert quick(name, text, "7,9") == ((7, 9), source.replace("[1..5]", "[7, 9]"))
    for few in ("seeds: 1..5", "seeds: [2, 4, 6]"):
        fewer = re.sub(r"(?m)^seeds:.*$", few, text, count=1)
        assert quick(name, fewer) == (paper.loaded(name, fewer).seeds, fewer)
    more = re.sub(r"(?m)^seeds:.*$", "seeds: [1, 3..7]", text, count=1)
    assert quick(name, more)[0] == (1, 3, 4, 5, 6) and "seeds: [1, 3..6]" in quick(name, more)[1]
    twice = quick(name, f"{text}\n# a comment\n")[1]
    assert twice.count("seeds:") == text.count("seeds:")


@pytest.mark.parametrize(("option", "asked"), [("--quick", [5]), ("--no-sensitivity", [30])])
def test_without_the_runs_that_vary_our_decisions(monkeypatch, tmp_path, option, asked):
    """--no-sensitivity leaves all seeds."""
    from orchestrator.execution import pipeline
    from orchestrator.execution.execute import Summary

    ran = []

    def run(scenario, store, effort, **_):
        ran.append((scenario.experiment, len(scenario.seeds), effort.workers))
        return SimpleNamespace(report=None, measured=False, summary=Summary(["a"]))

    monkeypatch.setattr(pipeline, "run", run)
    assert main(["paper", "aggregation", option, "--store", str(tmp_path)]) == 0
    assert ran == [("aggregation-paper", seeds, None) for seeds in asked]


@pytest.mark.parametrize("given", ["1..x", "3..1", "{a: 1}", "1..3\nengine: x"])
def test_faulty_seeds_are_a_message(capsys, given):
    assert main(["paper", "aggregation", f"--seeds={given}"]) == 2
    assert "seeds" in capsys.readouterr().err


@pytest.fixture
def campaigns(monkeypatch, tmp_path):
    """The pipeline's place taken by one that writes synthetic metrics; collects what it was asked for."""
    from orchestrator.execution import pipeline
    from orchestrator.execution.execute import Summary
    from orchestrator.report import page as pages
    from orchestrator.runs.model import Outcome

    asked = []

    def run(scenario, store, effort, *, page=True, **_):
        asked.append((scenario.experiment, len(scenario.seeds), effort.workers))
        assert page is (scenario.experiment == "aggregation-paper")  # the others are shown by its page
        if scenario.experiment == "aggregation-paper":
            metrics_store.store(store, seeds=scenario.seeds)
            return SimpleNamespace(
                report=pages.write(store, scenario.experiment), measured=True, summary=Summary(["a"] * 24)
            )
        crash = SimpleNamespace(cell="H10", seed=1, outcome=Outcome.CRASH)
        return SimpleNamespace(report=None, measured=False, summary=Summary(["a"] * 4, failures=[crash]))

    monkeypatch.setattr(pipeline, "run", run)
    return asked


def test_quick_runs_few_seeds_and_prints_the_comparison(campaigns, tmp_path, capsys):
    assert (
        main(
            ["paper", "aggregation", "--quick", "--seeds", "1..2", "--workers", "2", "--store", str(tmp_path)]
        )
        == 0
    )
    out = capsys.readouterr().out
    assert campaigns == [("aggregation-paper", 2, 2)]
    assert "50.4" in out and "Orders and shapes" in out and out.splitlines()[-1].endswith("report/index.html")


def test_a_failed_run_shows_in_the_exit_code(campaigns, tmp_path, capsys):
    assert main(["paper", "aggregation", "--seeds", "1..2", "--store", str(tmp_path), "--json"]) == 7
    found = capsys.readouterr()
    assert [name for name, _, _ in campaigns] == [
        "aggregation-paper-hypotheses",
        "aggregation-paper-sensitivity",
        "aggregation-paper",
    ]
    for name in ("hypotheses", "sensitivity"):
        assert (
            f"aggregation-paper-{name}: 1 of 4 runs did not end well, first H10 seed 1: crash; the report's "
            "provenance lists them" in " ".join(found.err.split())
        )
    assert found.err.count("did not end well") == 2
    shown = json.loads(found.out)
    report = str(tmp_path / "aggregation-paper" / "report" / "index.html")
    assert (shown["report"], shown["reports"]) == (report, [report])
    assert (shown["results"], shown["experiments"]) == (["numbers"], ["aggregation-paper"])
    assert {row["id"] for row in shown["numbers"]} >= {"reduction-H10", "full-L10AD"} and shown["checks"]


def test_a_result_that_a_paper_does_not_have_is_answered_with_those_it_has(capsys):
    assert main(["paper", "aggregation", "--only", "figure-7"]) == 9
    assert "there are: numbers, hypotheses, figures" in capsys.readouterr().err
    assert main(["paper", "blackboard", "--figures"]) == 9


def test_a_result_without_runs_has_a_page_of_its_own(monkeypatch, tmp_path, capsys):
    from orchestrator.features.blackboard.paper import storage

    monkeypatch.setattr(storage, "_available", lambda: ({}, ["no avr-gcc"]))
    command = ["paper", "blackboard", "--only", "figure-2", "--only", "storage", "--store", str(tmp_path)]
    assert main(command) == 0
    out, told = capsys.readouterr()
    assert "paper-blackboard: arranging the page\n" in told and "paper-blackboard: drawing figures\n" in told
    index = tmp_path / "paper-blackboard" / "storage+figure-2" / "index.html"
    assert out.splitlines()[-1] == f"report: {index}" and "Not measured: no avr-gcc" in " ".join(out.split())
    page = index.read_bytes()
    assert (
        b"Figure 2: events against subscribers" in page
        and (index.parent / "figures" / "figure-2.csv").is_file()
    )
    assert main([*command, "--json"]) == 0
    written = capsys.readouterr().out
    told = json.loads(written)
    assert written == json.dumps(told, indent=2, ensure_ascii=False) + "\n" and "\u2013" in written
    assert (
        told["results"] == ["storage", "figure-2"]
        and told["experiments"] == []
        and index.read_bytes() == page
    )
    assert {check["id"]: check["verdict"] for check in told["checks"]}["within"] == "not measured"


def test_the_report_is_opened_only_if_that_is_asked_for(monkeypatch, tmp_path, capsys):
    from orchestrator.features.blackboard.paper import storage

    opened = []
    monkeypatch.setattr(storage, "_available", lambda: ({}, []))
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    command = ["paper", "blackboard", "--only", "figure-2", "--store", str(tmp_path)]
    assert main(command) == 0 and opened == []
    assert main([*command, "--open"]) == 0
    report = Path(capsys.readouterr().out.splitlines()[-1].removeprefix("report: "))
    assert opened == [report.absolute().as_uri()]


def test_the_papers_own_page_comes_before_those_of_its_experiments(monkeypatch, tmp_path, capsys):
    """And it is what is opened; where there is no page nothing is."""
    from orchestrator.execution import pipeline
    from orchestrator.execution.execute import Summary
    from orchestrator.papers import page as own

    opened = []
    reports = {
        "blackboard-figure-7": tmp_path / "of-figure-7.html",
        "blackboard-costs": tmp_path / "of-costs.html",
    }

    def run(scenario, store, effort, *, page, **_):
        report = reports[scenario.experiment] if page else None
        return SimpleNamespace(report=report, measured=False, summary=Summary(["a"]))

    monkeypatch.setattr(pipeline, "run", run)
    monkeypatch.setattr(own, "write", lambda *_: tmp_path / "own.html")
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    command = ["paper", "blackboard", "--only", "figure-7", "--store", str(tmp_path), "--open"]
    assert main(command) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2:] == [f"report: {tmp_path / 'own.html'}", f"report: {tmp_path / 'of-figure-7.html'}"]
    assert opened == [(tmp_path / "own.html").as_uri()]
    monkeypatch.setattr(own, "write", lambda *_: None)
    reports["blackboard-figure-7"] = None
    assert main([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["report"], told["reports"], len(opened)) == (None, [], 1)


def test_a_store_that_cannot_be_written_is_said(monkeypatch, tmp_path, capsys):
    from orchestrator.features.blackboard.paper import storage

    monkeypatch.setattr(storage, "_available", lambda: ({}, []))
    (tmp_path / "paper-blackboard").write_text("in the way")
    assert main(["paper", "blackboard", "--only", "figure-2", "--store", str(tmp_path)]) != 0
    assert "can't be written" in capsys.readouterr().err
