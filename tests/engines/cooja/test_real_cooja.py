# SPDX-License-Identifier: Apache-2.0
"""The engine `cooja` on a real Cooja ($COOJA): the same bytes as the embedded engine, a campaign, every
failure.
"""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from cooja_cases import CASES
from engine_firmware import simulation
from test_cooja_outcomes import ENDED

from orchestrator.csc.read import read
from orchestrator.engines.model import Job
from orchestrator.execution import pipeline, plan
from orchestrator.runs.model import Outcome
from orchestrator.runs.store import Store
from orchestrator.scenario import changed
from orchestrator.scenario.load import load, loads
from orchestrator.scenario.model import EngineOptions
from tests import needs
from tools.golden.record_failures import record as record_now

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "golden"))
from golden_cases import OPERATED, log_for
from golden_cases import simulation as golden
from probes import firmware

from orchestrator.engines.protocol import engine, run_one
from tests.waiting import HANG_S

pytestmark = pytest.mark.cooja

needs.a_compiler()

RACES = 3  # how often a run is tried that Cooja loses to itself, as it does on a busy machine
PAPER = (
    Path(__file__).resolve().parents[3]
    / "orchestrator"
    / "features"
    / "aggregation"
    / "paper"
    / "scenario.yaml"
)
TRIAL = """\
experiment: trial
topology: {shape: chain, publishers: 3, spacing: 5 m}
radio: {medium: udgm, range: 50 m, interference: 100 m, tx: 100 %, rx: 95 %}
application: {name: aggregation, rate: high}
duration: 20 s
seeds: 1..3
matrix:
  application.aggregate: [{label: plain, value: false}, {label: A, value: true}]
"""


def on_both(scenario, cooja, tmp_path) -> dict[tuple[str, int], tuple[bytes, bytes]]:
    """(cell, seed) -> the logs of the embedded engine and of Cooja, with the rule set of that Cooja."""
    rules = engine("cooja", EngineOptions(path=cooja)).rules(None)
    logs: dict[tuple[str, int], list[bytes]] = {}
    for name in ("embedded", "cooja"):
        given = changed.with_engine(scenario, name, cooja)
        given = changed.with_rules(given, rules) if name == "embedded" else given
        done = pipeline.run(given, tmp_path / name, report=False)
        assert done.summary.failures == []
        store = Store(tmp_path / name)
        for run in store.runs(scenario.experiment):
            assert run.engine.rules == rules
            logs.setdefault((run.cell, run.seed), []).append(
                (store.folder(scenario.experiment, run.run_id) / "COOJA.testlog").read_bytes()
            )
        assert store.verify(scenario.experiment) == []
    return {key: tuple(both) for key, both in logs.items()}


def test_the_paper_s_h10a_has_the_same_bytes_on_both_engines(cooja, tmp_path):
    scenario = load(PAPER)
    cell = next(cell for cell in scenario.cells if cell.name == "H10A")
    shortened = replace(scenario, cells=(replace(cell, duration_us=30_000_000),), seeds=(1, 2))
    logs = on_both(shortened, cooja, tmp_path)
    assert len(logs) == 2
    assert all(embedded == real and len(embedded) > 5000 for embedded, real in logs.values())


def test_scripts_and_moves_of_golden_cases_have_the_golden_bytes(cooja, tmp_path):
    """Staged anew: JavaScript of the file's own, and the Mobility plugin's file."""
    chosen = engine("cooja", EngineOptions(path=cooja))
    rules, jobs = chosen.rules(None), []
    for case in OPERATED:
        (tmp_path / case).mkdir()
        run = read(golden(case))
        jobs.append(
            Job(run, run.seed, firmware(run, tmp_path / "probes"), tmp_path / case / "COOJA.testlog", rules)
        )
    results = {}
    for _ in range(RACES):
        left = [job for job in jobs if job.log not in results or results[job.log].outcome is Outcome.LOST]
        chosen.run(left, lambda job, result: results.__setitem__(job.log, result))
    lost = [case for case, job in zip(OPERATED, jobs) if results[job.log].outcome is Outcome.LOST]
    for case, job in zip(OPERATED, jobs):
        if case not in lost:
            assert results[job.log].outcome is Outcome.OK, results[job.log]
            assert job.log.read_bytes() == log_for(case, rules).read_bytes(), case
    assert set(lost) <= {"graph-operated"}
    if lost:
        pytest.skip(f"{RACES} times Cooja looked for an edge's mote before it had added the mote")


def test_a_campaign_with_its_report(cooja, tmp_path):
    (tmp_path / "trial.yaml").write_text(TRIAL + f"engine: {{name: cooja, path: {cooja}, heap: 1 GB}}\n")
    command = [
        sys.executable,
        "-m",
        "orchestrator.cli.app",
        "run",
        str(tmp_path / "trial.yaml"),
        "--store",
        str(tmp_path / "store"),
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG_S, check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["runs"], result["made"], result["failures"]) == (6, 6, [])
    assert "simulating 6/6" in done.stderr
    assert Path(result["report"]).stat().st_size > 10_000
    runs = Store(tmp_path / "store").runs("trial")
    assert {run.engine.name for run in runs} == {"cooja"}
    for run in runs:
        assert sorted(
            path.name for path in Store(tmp_path / "store").folder("trial", run.run_id).iterdir()
        ) == ["COOJA.testlog", "manifest.json", "simulation.csc"]
    again = json.loads(
        subprocess.run(command, capture_output=True, text=True, timeout=HANG_S, check=True).stdout
    )
    assert again["made"] == 0


def test_several_runs_in_one_jvm_give_the_bytes_of_one_each(cooja, tmp_path):
    chosen = engine("cooja", EngineOptions(path=cooja))
    specs = list(
        plan.prepare(changed.with_engine(loads(TRIAL, "trial"), "cooja", cooja), tmp_path / "store").specs()
    )[::2]
    jobs, together = [], {}
    for number, spec in enumerate(specs):
        (tmp_path / str(number)).mkdir()
        jobs.append(Job(spec.deployment, spec.seed, spec.firmware, tmp_path / str(number) / "COOJA.testlog"))
    chosen.run(jobs, lambda job, result: together.setdefault(job.log, (result.outcome, job.log.read_bytes())))
    for job in jobs:
        result = run_one(chosen, job)
        assert together[job.log] == (result.outcome, job.log.read_bytes())
        assert result.peak_memory > 20_000_000


@pytest.mark.parametrize("name", CASES)
def test_each_failure_as_this_cooja_tells_it(name, cooja, fake, tmp_path):
    case = CASES[name]
    if case.old_java and "OLD_JAVA" not in os.environ:
        pytest.skip("set OLD_JAVA to a java that is too old for this Cooja")
    (tmp_path / "now").mkdir()
    fake.will(record_now(case, cooja, tmp_path / "now") | ({"then": ENDED[case.end]} if case.end else {}))
    (tmp_path / "run").mkdir()
    result = run_one(
        fake.engine,
        Job(
            simulation([(0, 0)], 3, **dict(case.options)),
            1,
            {"t": fake.library},
            tmp_path / "run" / "COOJA.testlog",
            wall_limit_s=0.3 if case.end == "limit" else 30,
        ),
    )
    assert result.outcome is case.outcome, result.evidence
    assert case.says in "\n".join(result.evidence)


def test_a_crash_and_a_hang_take_no_other_run_with_them(cooja, tmp_path):
    from cooja_cases import build

    chosen = engine("cooja", EngineOptions(path=cooja))
    jobs = []
    for number, does in enumerate(
        ("", "if(simCurrentTime > 1000) *(volatile int *)8 = 1;", "if(simCurrentTime > 1000) for(;;) { }", "")
    ):
        (tmp_path / str(number)).mkdir()
        library = build(tmp_path / str(number), does)
        jobs.append(
            Job(
                simulation([(0, 0)], 3),
                1,
                {"t": library},
                tmp_path / str(number) / "COOJA.testlog",
                wall_limit_s=20,
            )
        )
    results = []
    chosen.run(jobs, lambda _, result: results.append(result))
    assert [result.outcome for result in results] == [
        Outcome.OK,
        Outcome.CRASH,
        Outcome.WALL_LIMIT,
        Outcome.OK,
    ]
    assert jobs[0].log.read_bytes() == jobs[3].log.read_bytes()
    line = next(
        number
        for number, text in enumerate((tmp_path / "1" / "firmware.c").read_text().splitlines(), 1)
        if "*)8 = 1" in text
    )
    assert any(
        each.startswith("in cooja_tick (") and each.endswith(f"firmware.c:{line})")
        for each in results[1].evidence
    ), results[1].evidence
