# SPDX-License-Identifier: Apache-2.0
"""The embedded engine without what makes it fast: the bytes that Cooja writes, too."""

import subprocess

import pytest
from golden_cases import OPERATED, RULES, log_for, simulation
from probes import firmware as probe

from orchestrator.cli.app import main
from orchestrator.csc.read import read
from orchestrator.engines.embedded import engine as embedded
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from orchestrator.scenario.load import loads
from orchestrator.scenario.model import EngineOptions
from tests import needs

needs.a_compiler()


@pytest.fixture
def commands(monkeypatch) -> list[list[str]]:
    """Those of the kernel."""
    given = []

    class Noting(subprocess.Popen):
        def __init__(self, command, *rest, **options):
            if "--log" in command:
                given.append(command)
            super().__init__(command, *rest, **options)

    monkeypatch.setattr(embedded.subprocess, "Popen", Noting)
    return given


def is_plain(command: list[str]) -> bool:
    return {"--every-tick", "--code-per-mote", "--guards"} <= set(
        command
    ) and "--script-aside 1" not in " ".join(command)


@pytest.mark.parametrize("case", ["chain", "lossy-grid", OPERATED[0]])
def test_it_writes_what_cooja_wrote(case, commands, tmp_path):
    run = read(simulation(case))
    result = run_one(
        engine("embedded", EngineOptions(plain=True)),
        Job(run, run.seed, probe(run, tmp_path), tmp_path / "log", RULES[0]),
    )
    assert (tmp_path / "log").read_bytes() == log_for(case, RULES[0]).read_bytes(), result
    assert [is_plain(command) for command in commands] == [True]


def test_others_are_not(commands, tmp_path):
    run = read(simulation("chain"))
    run_one(engine("embedded"), Job(run, run.seed, probe(run, tmp_path), tmp_path / "log", RULES[0]))
    assert [is_plain(command) for command in commands] == [False]


SCENARIO = """
experiment: plain
topology: {shape: chain, publishers: 1}
application: {name: hello-nullnet}
duration: 2 s
drain: 0 s
seeds: 1
"""


def test_simulate_run_and_scenario_can_ask_for_it(commands, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.yaml").write_text(SCENARIO)
    (tmp_path / "two.yaml").write_text(
        SCENARIO.replace("plain", "other") + "engine: {name: embedded, plain: true}\n"
    )
    assert loads(SCENARIO, "x").engine == EngineOptions()
    assert main(["run", "one.yaml", "--no-report", "--plain"]) == 0
    assert main(["run", "two.yaml", "--no-report"]) == 0
    csc = next((tmp_path / "orchestrate-store").glob("plain/runs/*/simulation.csc"))
    assert main(["simulate", str(csc), "--plain"]) == 0
    assert [is_plain(command) for command in commands] == [True] * 3
    assert (tmp_path / "COOJA.testlog").read_bytes() == csc.with_name("COOJA.testlog").read_bytes()


@pytest.mark.parametrize(
    "words",
    [
        ["simulate", "a.csc", "--engine", "cooja", "--plain"],
        ["run", "one.yaml", "--engine", "cooja", "--plain"],
    ],
)
def test_a_real_cooja_has_nothing_to_leave_out(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.yaml").write_text(SCENARIO)
    (tmp_path / "a.csc").write_bytes(simulation("chain").read_bytes())
    assert main(words) == 2
    assert "embedded engine only" in capsys.readouterr().err
