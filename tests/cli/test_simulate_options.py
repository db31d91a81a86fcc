# SPDX-License-Identifier: Apache-2.0
"""What the options of `simulate` mean to engine and build, and how its simulations end."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from orchestrator.cli import run
from orchestrator.cli.app import main
from orchestrator.errors import BuildFailed
from orchestrator.execution.simulations import Ended
from orchestrator.runs.model import Outcome, RunResult
from orchestrator.scenario.model import EngineOptions


@pytest.fixture
def simulated(monkeypatch, tmp_path):
    """Calls of `simulate`: (task, engine, way); the results are set by file name."""
    monkeypatch.chdir(tmp_path)
    for name in ("a.csc", "b.csc"):
        Path(name).write_text("")
    made = SimpleNamespace(calls=[], outcomes={}, engine=None)

    def engine(name, options=None):
        made.engine = (name, options)
        return SimpleNamespace(prepare=lambda say: None, rules=lambda written: written or "as it has them")

    def ended(task, chosen, way, say):
        made.calls.append((task, way))
        outcome = made.outcomes.get(task.file.name, Outcome.OK)
        if isinstance(outcome, BaseException):
            raise outcome
        return Ended(task, 5, RunResult(outcome, 2_000_000, 0.5, 10, 1 << 20, ("first", "second")))

    monkeypatch.setattr("orchestrator.engines.protocol.engine", engine)
    monkeypatch.setattr("orchestrator.execution.simulations.simulate", ended)
    return made


def test_a_simulation_with_every_option(simulated, tmp_path):
    (tmp_path / "ng").mkdir()
    words = "--seed 3 --logdir out --contiki ng --cooja ng --rules 5.0 --wall-limit 9 --no-commands --cc gcc "
    words += "--compile fast --radio --no-gui --autostart"
    assert main(["simulate", "a.csc", *words.split()]) == 0
    ((task, way),) = simulated.calls
    assert (task.file, task.seed, task.logdir, task.name) == (Path("a.csc"), 3, Path("out"), "a")
    assert (way.rules, way.wall_limit_s, way.radio) == ("5.0", 9.0, True)
    build = way.build
    assert (build.contiki, build.cooja, build.cc, build.fast, build.run_commands) == (
        Path("ng"),
        Path("ng"),
        "gcc",
        True,
        False,
    )
    assert build.cflags == "" and simulated.engine == ("embedded", None)


def test_a_simulation_without_options(simulated, capsys):
    assert main(["simulate", "a.csc"]) == 0
    ((task, way),) = simulated.calls
    assert (task.seed, task.logdir) == (None, Path())
    assert (way.rules, way.wall_limit_s, way.radio) == ("as it has them", None, False)
    build = way.build
    assert (build.contiki, build.cooja, build.cc, build.fast, build.run_commands) == (
        None,
        None,
        None,
        False,
        True,
    )
    assert capsys.readouterr().err == (
        "a.csc: ok, 2 s simulated in 0.500 s, 10 events, 1 MiB, COOJA.testlog\n    first\n    second\n"
    )


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ([], None),
        (["--cooja", "d"], None),
        (["--plain"], EngineOptions(plain=True)),
        (["--plain", "--cooja", "d", "--contiki", "d"], EngineOptions("d", contiki="d", plain=True)),
        (["--engine", "embedded", "--contiki", "d"], None),
        (["--engine", "cooja"], None),
        (["--engine", "cooja", "--cooja", "d"], EngineOptions("d")),
        (["--engine", "cooja", "--contiki", "d"], EngineOptions(contiki="d")),
        (["--engine", "cooja", "--heap", "1GB"], EngineOptions(heap=1_000_000_000)),
        (["--engine", "cooja", "--engine-image", "i"], EngineOptions(image="i")),
    ],
)
def test_the_engine_s_options(words, options, simulated, tmp_path):
    (tmp_path / "d").mkdir()
    assert main(["simulate", "a.csc", *words]) == 0
    assert simulated.engine == ("cooja" if "cooja" in words else "embedded", options)


def test_what_is_wrong_with_a_call_of_simulate(simulated, capsys, tmp_path):
    (tmp_path / "jar").write_text("")
    for words, code, said in (
        (["a.csc", "--engine", "cooja", "--plain"], 2, run.PLAIN_ONLY),
        (["a.csc", "--contiki", "none"], 9, "--contiki none: no such folder"),
        (["a.csc", "--contiki", "jar"], 9, "--contiki jar: no such folder"),
        (["a.csc", "--cooja", "none"], 9, "--cooja none: no such folder"),
        (["a.csc", "none.csc"], 9, "none.csc: no such file"),
        (["a.csc", "--junit", "none/r.xml"], 9, "there is no folder none; make it, or choose another"),
        (["a.csc,random-seed=x"], 2, "a.csc,random-seed=x: random-seed=x is not a whole number of 64 bits"),
    ):
        assert main(["simulate", *words]) == code
        assert capsys.readouterr().err.startswith(f"orchestrate: {said}")
    assert main(["simulate", "a.csc", "--cooja", "jar", "--junit", "r.xml"]) == 0 and Path("r.xml").is_file()
    assert len(simulated.calls) == 1


@pytest.mark.parametrize(
    ("outcome", "code", "evidence"),
    [
        (Outcome.OK, 0, True),
        (Outcome.FAILED, 1, False),
        (Outcome.NO_VERDICT, 1, False),
        (Outcome.CRASH, 7, True),
    ],
)
def test_the_end_of_one_simulation(outcome, code, evidence, simulated, capsys):
    simulated.outcomes["a.csc"] = outcome
    assert main(["simulate", "a.csc", "--json", "--junit", "r.xml"]) == code
    said = capsys.readouterr()
    assert ("    first\n    second\n" in said.err) == evidence and said.err.startswith(
        f"a.csc: {outcome.value}, "
    )
    (told,) = json.loads(said.out)
    assert (told["outcome"], told["seed"]) == (outcome.value, 5)
    assert re.search(r'tests="1"', Path("r.xml").read_text()) and 'time="0.500"' in Path("r.xml").read_text()


def test_one_simulation_that_can_not_run(simulated, capsys):
    simulated.outcomes["a.csc"] = BuildFailed("make: failed")
    assert main(["simulate", "a.csc", "--junit", "r.xml"]) == 6
    assert capsys.readouterr().err == "orchestrate: make: failed\n"
    assert 'errors="1"' in Path("r.xml").read_text()
    simulated.outcomes["a.csc"] = KeyboardInterrupt()
    assert main(["simulate", "a.csc"]) == 130
    assert capsys.readouterr().err == (
        "orchestrate: interrupted; a.csc has not ended, and the same command begins it anew\n"
    )


@pytest.mark.parametrize("interrupted", [False, True])
def test_the_end_of_several(interrupted, simulated, capsys, monkeypatch):
    jobs = []

    class Simulations:
        def __init__(self, wanted, chosen, way, say):
            self.wanted = wanted

        def run(self, count, done, progress):
            jobs.append(count)
            for task, outcome in zip(self.wanted, (Outcome.FAILED, Outcome.OK), strict=True):
                done(Ended(task, 5, RunResult(outcome, 2_000_000, 0.5, 10, 1 << 20, ())))
                progress()
                if interrupted:
                    raise KeyboardInterrupt

    monkeypatch.setattr("orchestrator.execution.simulations.Simulations", Simulations)
    code = 130 if interrupted else 1
    assert main(["simulate", "a.csc", "b.csc", "--jobs", "3", "--junit", "r.xml"]) == code
    said = capsys.readouterr()
    assert said.err.startswith(
        "a: failed verdict, 2 s simulated in 0.500 s, 10 events, 1 MiB, a/COOJA.testlog\n"
    )
    ended = "orchestrate: interrupted; 1 of 2 simulations have ended, their logs are kept\n"
    assert said.err.endswith(ended) == interrupted
    assert ("not run" in said.out) == interrupted and "2 simulations: " in said.out
    assert f'skipped="{int(interrupted)}"' in Path("r.xml").read_text()
    assert main(["simulate", "a.csc", "b.csc", "--json"]) == code
    told = json.loads(capsys.readouterr().out)
    assert [one["outcome"] for one in told] == ["failed verdict", "not run" if interrupted else "ok"]
    assert jobs[0] == 3 and jobs[1] == simulate_cores()


def simulate_cores() -> int:
    from orchestrator.execution.execute import cores

    return cores()
