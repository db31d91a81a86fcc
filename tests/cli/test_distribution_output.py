# SPDX-License-Identifier: Apache-2.0
"""All that `orchestrate distribution` prints, of the paper's scenarios and of small systems (recorded.py)."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from types import SimpleNamespace

import pytest
from orchestrate_testbed.gateway.distribution.table import NodeTable, NodeTask

from orchestrator.cli.app import main
from orchestrator.features.distribution import subjects
from orchestrator.features.distribution.commands import distribution_run, distribution_subject
from orchestrator.features.distribution.real_time import RealTime
from tests import recorded

PAPER = Path(__file__).resolve().parents[2] / "orchestrator" / "features" / "distribution" / "paper"
RECORDED = Path(__file__).with_name("recorded_distribution")
SMALL = """distribution: small
nodes: [a]
objects: {o: {validity: 150 ms}}
sources: {S: {object: o, node: a, period: 70 ms, release: 10 ms, deadline: 7 ms, execution: 3 ms}}
targets:
  T: {object: o, node: a, period: 120 ms, deadline: 12 ms, execution: 3 ms}
  U: {object: o, node: a, period: 50 ms, release: 20 ms, deadline: 5 ms, execution: 1 ms}
distributions: {D: {object: o}}
loads: {L: {node: a, period: 20 ms, deadline: 20 ms, execution: 4 ms}}
"""
NEW = "--distribution D --node a --period '100 ms' --deadline '20 ms'"
CALLS = {
    "check": "check scenario-1.yaml",
    "deadlines": "deadlines scenario-1.yaml --targets",
    "deadlines-4": "deadlines scenario-4.yaml --release period-start --bound period",
    "deadlines-none": "deadlines scenario-4.yaml --release earliest-stamp --targets",
    "schedule": "schedule scenario-4.yaml --periods 2",
    "schedule-small": "schedule small.yaml --periods 3 --sensitivity",
    "schedule-late": "schedule late.yaml --periods 2 --sensitivity",
    "admit": f"admit small.yaml --target New {NEW} --target-release '75 ms' --execution '1 ms'",
    "admit-overloaded": f"admit small.yaml --target New {NEW} --deadline '90 ms' --execution '85 ms'",
    "admit-late": f"admit late.yaml --target New {NEW} --execution '1 ms'",
    "change": "change small.yaml small.yaml",
    "change-pause": "change small.yaml other.yaml",
    "change-late": "change small.yaml late.yaml",
    "change-never": "change late.yaml other.yaml",
}


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("name", CALLS)
def test_what_each_action_prints(name, form, tmp_path, monkeypatch, capsys):
    for file in ("scenario-1.yaml", "scenario-4.yaml", *(one.name for one in PAPER.glob("*.txt"))):
        (tmp_path / file).symlink_to(PAPER / file)
    load = "deadline: 20 ms, execution: 4 ms"
    other = SMALL.replace(load, "deadline: 20 ms, execution: 12 ms").replace("L:", "M:")
    late = SMALL.replace(load, "deadline: 11 ms, execution: 11 ms")
    for file, text in (("small", SMALL), ("other", other), ("late", late)):
        (tmp_path / f"{file}.yaml").write_text(text.replace("distribution: small", f"distribution: {file}"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    code = main(["distribution", *shlex.split(CALLS[name]), *(["--json"] if form == "json" else [])])
    said = capsys.readouterr()
    assert form == "text" or json.loads(said.out)
    recorded.same(f"exit code {code}\n{said.out}{said.err}", RECORDED / f"{name}.{form}")


SUBJECT = """experiment: e
topology: {shape: chain, publishers: 3, spacing: 30 m}
duration: 10 s
seeds: 1
application: {name: aggregation}
matrix: {application.validity: [3 s, 60 s]}
"""


def test_what_is_said_of_the_events_of_a_scenario(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "100")
    (tmp_path / "s.yaml").write_text(SUBJECT)
    code = main(["distribution", "subject", str(tmp_path / "s.yaml")])
    recorded.same(f"exit code {code}\n{capsys.readouterr().out}", RECORDED / "subject.text")


@pytest.mark.parametrize(
    ("verdict", "style"),
    [(subjects.HELD, ""), (subjects.IF_FREE, "yellow"), (subjects.NOT_HELD, "red")],
)
def test_a_verdict_on_events_has_its_colour(verdict, style, monkeypatch):
    shown = []
    monkeypatch.setattr("orchestrator.console.show", shown.append)
    due = subjects.Due(3_000_000, subjects.Subject(1_000_000, 2), 2_000_000, 5, None, (0, 0), verdict)
    distribution_subject._show({"A": due})
    (line,) = (line for line in shown[0].lines(None) if verdict in line.plain)
    styles = {str(span.style) for span in line.spans if line.plain[span.start : span.end].strip() == verdict}
    assert styles - {""} == ({style} if style else set())


TABLE = NodeTable("a", (NodeTask("T", "target", 1, 1, 10, 0, 100, 2, 0, 50),), ())


def said(*records: dict, malformed: int, steps: int) -> list[dict]:
    end = {"steps": steps, "error": 3 * steps, "exchanges": 1, "malformed": malformed}
    return [*records, end]


def ran(
    refused: str = "", shared: bool = False, drift: int = 0, malformed: int = 0, steps: int = 0
) -> RealTime:
    """Two nodes: jobs in time and late, in the first second and later, of all causes; values old and new."""
    jobs = [
        ("T", "target", 0, 0, 5, 100, ""),
        ("T", "target", 1, 999_999, 105, 100, "host"),
        ("T", "target", 2, 1_000_000, 101, 100, "network"),
        ("U", "last", 1, 2_000_000, 1_234, 1_000, "code"),
        ("U", "last", 2, 3_000_000, 1_000, 1_000, ""),
    ]
    logged = [{"at": one[3], "job": list(one[:6]), "cause": one[6]} for one in jobs]
    ages = [{"at": 6 + age, "age": ["T", number, age, 1, 50]} for number, age in enumerate((50, 51, 7))]
    second = said({"at": 9, "none": "U"}, {"at": 8, "none": "U"}, malformed=malformed, steps=0)
    return RealTime(
        [TABLE, TABLE], refused, shared, [said(*logged, *ages, malformed=0, steps=steps), second], drift
    )


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("run", ran()),
        ("run-shared", ran("no right to", True, 20, malformed=2, steps=1)),
        ("run-steps", ran("", False, 0, malformed=1, steps=2)),
    ],
)
def test_what_a_run_in_real_time_prints(name, found, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "100")
    judged = SimpleNamespace(system=SimpleNamespace(name="small"))
    distribution_run._show(judged, found)
    text = capsys.readouterr().out
    told = json.dumps(distribution_run.described(judged, found), indent=1)
    recorded.same(f"{text}\n{told}\n\n{found.log()}", RECORDED / f"{name}.text")
