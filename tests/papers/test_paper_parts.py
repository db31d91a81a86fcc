# SPDX-License-Identifier: Apache-2.0
"""What all papers share: their results by name, their scenarios, their own page, and tables of any result."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from orchestrator import __version__
from orchestrator.errors import NoSuchThing
from orchestrator.papers import page, scenarios, table
from orchestrator.papers.once import once
from orchestrator.papers.result import Result, without_runs
from orchestrator.report.data import PER_RUN_COLUMNS, Results
from orchestrator.report.model import Section, paragraph
from tests.manifests import manifest


def results_of(folder: Path, *runs: str) -> Results:
    nothing = pd.DataFrame(columns=PER_RUN_COLUMNS)
    return Results("x", folder, nothing, tuple(map(manifest, runs)), "", ())


# --- results
# ------------------------------------------------------------------------------------------------------------
def test_results_are_chosen_in_the_papers_order_and_by_default_without_those_to_be_asked_for():
    def names(paper: str, chosen: list[str] | None) -> list[str]:
        return [one.name for one in table.chosen(paper, chosen)]

    assert names("jitdd", None) == names("jitdd", []) == ["deadlines", "schedule", "figures", "run-time"]
    assert names("jitdd", ["real-time", "schedule"]) == ["schedule", "real-time"]
    assert names("aggregation", None) == ["numbers"] and names("aggregation", ["figures"]) == ["figures"]
    with pytest.raises(NoSuchThing) as told:
        table.chosen("jitdd", ["schedul", "figures", "nonesuch"])
    assert str(told.value).startswith(
        "the paper jitdd has no result 'schedul', 'nonesuch'; did you mean schedule? there are: deadlines, "
    )
    with pytest.raises(NoSuchThing, match="no paper named 'jitd'; did you mean jitdd"):
        table.results("jitd")


def test_every_paper_has_results_with_names_of_their_own():
    for paper in table.papers():
        names = [one.name for one in table.results(paper)]
        assert names and len(names) == len(set(names))
        assert all(one.summary and one.heading for one in table.results(paper))


def test_a_result_shows_what_it_was_given_and_else_nothing():
    nothing = Result("a", "b")
    assert (nothing.rows({}), nothing.tables({}), nothing.checks({}), nothing.sections) == ([], [], [], None)
    assert (nothing.scenarios, nothing.varied, nothing.heading, nothing.asked) == (
        (),
        (),
        "Orders and shapes",
        True,
    )
    module = SimpleNamespace(tables=lambda found: ["t"], sections=lambda found: ["s"])
    one = Result.of(module, "a", "b", (("f", "text"),), asked=False, checks=lambda found: ["c"])
    assert (one.tables({}), one.checks({}), one.sections({})) == (["t"], ["c"], ["s"])
    assert (one.scenarios, one.asked, one.name, one.summary) == ((("f", "text"),), False, "a", "b")
    other = Result.of(module, "a", "b", sections=None)
    assert other.sections is None and other.checks({}) == []


def test_a_result_without_runs_names_its_experiment():
    (section,) = without_runs("name", "Title", "an-experiment", "Short")
    assert (section.id, section.title, section.short) == ("name", "Title", "Short")
    assert section.blocks == (paragraph("There are no runs of an-experiment.", "warning"),)
    assert without_runs("name", "Title", "x")[0].short == ""


def test_runs_are_read_again_only_if_they_are_others(tmp_path):
    asked = []
    read = once(lambda results: asked.append(results) or len(asked))
    first = results_of(tmp_path, "a", "b")
    assert read(None) is None and asked == []
    assert read(first) == read(results_of(tmp_path, "a", "b")) == 1
    assert read(results_of(tmp_path, "a")) == 2 and read(replace(first, folder=tmp_path / "other")) == 3
    assert read(first) == 1 and len(asked) == 3


# --- scenarios
# ------------------------------------------------------------------------------------------------------------
def test_scenarios_are_known_by_their_experiments():
    folder = Path(scenarios.__file__).parents[1] / "features"
    for name, file in (
        ("aggregation-paper", "aggregation/paper/scenario.yaml"),
        ("blackboard-figure-7", "blackboard/paper/figure-7.yaml"),
        ("policies-case-study", "policies/paper/case-study.yaml"),
        ("jitdd-radio", "distribution/paper/radio.yaml"),
    ):
        assert scenarios.file(name) == folder / file
        assert scenarios.folder((folder / file).read_text()) == (folder / file).parent
    assert scenarios.folder("seeds: [1]\n") is None and scenarios.folder("experiment: nowhere\n") is None
    assert (
        scenarios.folder("x: 1\nexperiment:   jitdd-radio  # comment\n") == folder / "distribution" / "paper"
    )
    with pytest.raises(
        NoSuchThing, match="no paper has an experiment 'jitdd-radi'\n    did you mean jitdd-radio"
    ):
        scenarios.file("jitdd-radi")


def test_every_scenario_of_a_result_is_known():
    for paper in table.papers():
        for one in table.results(paper):
            for name, text in (*one.scenarios, *one.varied):
                assert (scenarios.folder(text) / name).read_text(encoding="utf-8") == text


# --- the page
# ------------------------------------------------------------------------------------------------------------
@pytest.fixture
def written(monkeypatch):
    """The pages that were written, with their folders."""
    made = []

    def write_page(folder, shown, stage):
        stage("here")
        made.append((folder, shown))
        return folder / "index.html"

    monkeypatch.setattr(page, "write_page", write_page)
    return made


def section(name: str) -> Section:
    return Section(name, name.title(), (paragraph(name),), name)


def test_a_papers_page_has_the_sections_of_its_results_and_where_they_come_from(tmp_path, written):
    wanted = [
        Result("one", "", sections=lambda found: [section("a"), section(str(len(found)))]),
        Result("none", ""),
        Result("other", "", sections=lambda found: [section("b")]),
    ]
    found = {name: results_of(tmp_path, name) for name in ("e1", "e2")}
    stages = []
    path = page.write(tmp_path, "paper", "The title", wanted, found, None, stages.append)
    assert path == tmp_path / "paper-paper" / "index.html" and stages == ["arranging the page", "here"]
    ((_, shown),) = written
    assert [(one.id, one.title) for one in shown.sections] == [
        ("a", "A"),
        ("2", "2"),
        ("b", "B"),
        ("provenance-e1", "Provenance of e1"),
        ("provenance-e2", "Provenance of e2"),
    ]
    assert all(one.blocks for one in shown.sections)
    assert (shown.title, shown.subtitle, shown.facts) == ("The title", "Results: one, none, other", ())
    assert shown.footer == f"orchestrate {__version__}"
    some = page.write(tmp_path, "paper", "T", wanted, {}, ["other", "one"])
    assert some == tmp_path / "paper-paper" / "one+none+other" / "index.html"


def test_results_without_sections_have_no_page_of_their_own(tmp_path, written):
    stages = []
    assert page.write(tmp_path, "p", "T", [Result("none", "")], {}, None, stages.append) is None
    assert written == [] and stages == ["arranging the page"]
