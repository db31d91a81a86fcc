# SPDX-License-Identifier: Apache-2.0
"""What the options of `run` mean to the pipeline, and what `run` says of its result."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from orchestrator.cli import run
from orchestrator.cli.app import main
from orchestrator.errors import Fault, WrongUsage
from orchestrator.execution import pipeline
from orchestrator.execution.execute import Failure, Summary
from orchestrator.runs.model import Outcome
from orchestrator.scenario.model import EngineOptions, FirmwareOptions

SCENARIO = """\
experiment: trial
topology: {shape: chain, publishers: 3}
application: {name: aggregation}
duration: 1 min
seeds: 1..3
"""


@pytest.fixture
def calls(monkeypatch, tmp_path):
    """What `run` asks the pipeline for: (scenario, store, effort, the rest); what it answers is set here."""
    monkeypatch.chdir(tmp_path)
    Path("trial.yaml").write_text(SCENARIO)
    made = SimpleNamespace(calls=[], result=None)

    def answer(scenario, store, effort, **rest):
        made.calls.append((scenario, store, effort, rest))
        rest["told"].stage("planning")
        rest["told"].say("a message")
        summary = Summary(["r" * 20], 1, [], 60_000_000, 2.0)
        return made.result or pipeline.Result("trial", Path("f"), summary, None, {"plan": 0.5})

    monkeypatch.setattr(pipeline, "run", answer)
    return made


def test_run_as_its_scenario_says(calls, capsys):
    assert main(["run", "trial"]) == 0
    ((scenario, store, effort, rest),) = calls.calls
    assert store == Path("orchestrate-store") and scenario.seeds == (1, 2, 3)
    assert (effort.workers, effort.wall_limit_s, effort.retries) == (None, 600.0, 2)
    assert scenario.engine == EngineOptions() and scenario.firmware == FirmwareOptions()
    del rest["told"]
    assert rest == {"report": True, "cflags": "", "master": None, "cluster": None}
    said = capsys.readouterr()
    assert said.err == "trial: planning\na message\n"
    assert said.out == "trial: 1 run, 1.0 simulated minutes in 2.0 s\n"


def test_run_with_every_option(calls):
    words = "--seeds 7,9..10 --workers 3 --wall-limit 5.5 --retries 0 --no-report --master spark://a:7077 "
    words += "--plain "
    words += (
        "--heap 4GB --cooja c --engine-image i --builder docker --image j --contiki-ng t --compile as-is "
    )
    words += "--rules 2026.07 --store s --sanitize undefined"
    assert main(["run", "trial.yaml", *words.split()]) == 0
    ((scenario, store, effort, rest),) = calls.calls
    assert store == Path("s") and scenario.seeds == (7, 9, 10)
    assert (effort.workers, effort.wall_limit_s, effort.retries) == (3, 5.5, 0)
    assert scenario.engine == EngineOptions("c", 4_000_000_000, "i", None, True)
    assert scenario.firmware == FirmwareOptions("contiki-ng", "docker", "j", "t", None, None, "as-is")
    assert {cell.ruleset for cell in scenario.cells} == {"2026.07"}
    assert (rest["report"], rest["master"]) == (False, "spark://a:7077") and "undefined" in rest["cflags"]


def test_run_on_a_testbed(calls, capsys):
    for words, said in (
        (["--engine", "testbed"], "the engine testbed needs a lab: --inventory LAB.yaml"),
        (
            ["--inventory", "lab.yaml"],
            "--inventory and --layout are of the engine testbed: add --engine testbed",
        ),
        (["--layout", "hall"], "--inventory and --layout are of the engine testbed: add --engine testbed"),
        (["--engine", "cooja", "--plain"], run.PLAIN_ONLY),
        (["--engine", "embeded"], "no engine named 'embeded'; did you mean embedded?"),
    ):
        assert main(["run", "trial", *words]) == 2
        assert f"orchestrate: {said}" in capsys.readouterr().err
    assert main(["run", "trial", "--engine", "testbed", "--inventory", "lab.yaml", "--layout", "hall"]) == 0
    ((scenario, *_),) = calls.calls
    assert (scenario.engine.inventory, scenario.engine.layout) == ("lab.yaml", "hall")
    assert {cell.engine for cell in scenario.cells} == {"testbed"}
    assert capsys.readouterr().out == "trial: 1 run, 1.0 minutes on motes in 2.0 s\n"
    assert main(["run", "trial", "--engine", "cooja", "--sanitize", "address"]) == 4
    assert "only the embedded engine has; leave out --engine and engine:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("failures", "damaged", "faults", "code"),
    [
        ([], (), (), 0),
        ([Outcome.FAILED], (), (), 1),
        ([Outcome.FAILED, Outcome.CRASH], ("d",), (), 7),
        ([], ("d",), (Fault("m.py", 3, "odd", "mend it"),), 8),
        ([], (), (Fault("m.py", 3, "odd", "mend it"),), 3),
        ([Outcome.FAILED], (), (Fault("m.py", 3, "odd", "mend it"),), 1),
    ],
)
def test_the_exit_code_of_run(failures, damaged, faults, code, calls, capsys):
    failed = [Failure("A", 1, "r" * 20, outcome, ("why",)) for outcome in failures]
    summary = Summary(["r" * 20] * 4, 3, failed, 120_000_000, 61.0)
    calls.result = pipeline.Result("trial", Path("f"), summary, Path("page"), {}, faults, damaged)
    assert main(["run", "trial"]) == code
    said = capsys.readouterr()
    lines = said.out.splitlines()
    assert lines[0] == "trial: 4 runs (1 already in the store), 2.0 simulated minutes in 1 min 1 s"
    assert lines[-1] == "report: page" and len(lines) == 2 + 2 * len(failed)
    told = "orchestrate: m.py:3: odd\n    mend it\n    the runs and all other metrics are kept\n"
    assert said.err.endswith(told) == bool(faults)
    assert main(["run", "trial", "--json"]) == code
    assert json.loads(capsys.readouterr().out)["damaged"] == list(damaged)


def test_seeds_of_an_option(calls):
    assert main(["run", "trial"]) == 0
    scenario = calls.calls[0][0]
    assert run.with_seeds(scenario, None) is scenario
    assert run.with_seeds(scenario, "1, 5..7").seeds == (1, 5, 6, 7)
    for wrong in ("", "1,x", "1,1"):
        with pytest.raises(WrongUsage):
            run.seeds_of(wrong)
