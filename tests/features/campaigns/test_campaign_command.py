# SPDX-License-Identifier: Apache-2.0
"""orchestrate campaign: what its actions print, their exit codes, and Ctrl-C as a terminal sends it."""

import json
import os
import signal
import subprocess
import sys
import threading

import pytest

from orchestrator.cli import app
from orchestrator.cli.options import duration
from orchestrator.engines.embedded.engine import EmbeddedEngine
from orchestrator.features.campaigns import record
from orchestrator.features.campaigns.model import State
from orchestrator.features.campaigns.run import Drain
from orchestrator.runs.model import Outcome, RunResult
from orchestrator.runs.store import Store
from tests import needs
from tests.waiting import HANG_S, wait_until

needs.a_compiler()
SCENARIO = """\
experiment: trial
topology: {shape: chain, publishers: 2, spacing: 5 m}
application: {name: aggregation, rate: high}
duration: 20 s
drain: 1 s
seeds: 1..2
matrix:
  application.aggregate: [{label: plain, value: false}, {label: A, value: true}]
"""


@pytest.fixture
def outcomes(monkeypatch):
    """What the stand-in for the simulator gives, by seed; ok by default."""
    given = {}

    def run(_engine, job):
        job.log.write_text("x\n")
        return RunResult(given.get(job.seed, Outcome.OK), 1_000_000, 0.25, 1, 1, ("why",))

    monkeypatch.setattr(EmbeddedEngine, "_run", run)
    return given


@pytest.fixture
def call(tmp_path, capsys):
    """A function that calls an action on a campaign in a folder: its exit code and what it printed."""
    (tmp_path / "trial.yaml").write_text(SCENARIO)
    file = tmp_path / "nights.yaml"
    file.write_text("campaign: nights\nparts: [{scenario: trial.yaml, experiment: trial}]\n")

    def made(action, *options, text=None):
        if text is not None:
            file.write_text(text)
        code = app.main(["campaign", action, str(file), "--store", str(tmp_path / "store"), *options])
        said = capsys.readouterr()
        return code, said.out, said.err

    return made


RUN = ("run", "--no-metrics", "--workers", "1")


def test_from_the_plan_to_nothing_left_to_do(call, outcomes, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = call("plan")
    assert code == 0 and "nights: 4 runs a round" in out and "how long it takes is not known yet" in out
    code, out, err = call(*RUN)
    assert code == 0 and "complete; 4 runs made, 0 found in the store" in out and "begins round 1" in err
    code, out, err = call(*RUN)
    assert code == 0 and "0 runs made, 4 found" in out and "would give the same bytes" in err
    code, out, _ = call("plan", "--time-budget", "0.6 s", "--workers", "1")
    assert code == 0 and "1.0 s with 1 worker" in out and "within 0.6 s: 2 of 4 runs" in out
    code, out, _ = call("status")
    assert code == 0 and "nights: 1 round" in out and "complete" in out
    assert max(map(len, out.splitlines())) <= 80
    code, out, _ = call("watch")
    assert code == 0 and "complete; 4 of 4 runs done" in out
    code, out, _ = call("prune", "--rounds", "1", "--dry-run")
    assert code == 0 and "0 runs would be removed" in out


def test_as_json(call, outcomes):
    outcomes[2] = Outcome.FAILED
    made = json.loads(call("plan", "--json")[1])
    assert (made["runs"], made["rounds"], made["expected"]["wall_s"]) == (4, 0, None)
    assert [run["seed"] for run in made["order"]] == [1, 2, 1, 2]
    code, out, _ = call(*RUN, "--json")
    made = json.loads(out)
    assert code == 1 and (made["state"], made["made"], made["not_ok"]) == (
        "complete",
        4,
        {"failed verdict": 2},
    )
    (one,) = json.loads(call("status", "--json")[1])["rounds"]
    assert (one["planned"], one["done"], one["not_ok"]) == (4, 4, {"failed verdict": 2})
    assert json.loads(call("watch", "--json")[1])["state"] == "complete"
    assert json.loads(call("prune", "--quota", "1GB", "--json")[1])["removed"] == []


@pytest.mark.parametrize(
    ("outcome", "code", "words"),
    [
        (Outcome.FAILED, 1, "not ok: 2 failed verdict"),
        (Outcome.CRASH, 7, "not ok: 2 crash"),
        (Outcome.WALL_LIMIT, 7, "without a result: 2 failed by the machine or the simulator"),
    ],
)
def test_runs_that_do_not_end_well(call, outcomes, outcome, code, words):
    outcomes[1] = outcome
    found, out, _ = call(*RUN)
    assert found == code and words in out and "why" in out
    again, _, _ = call(*RUN)
    assert again == code, "a second call is no greener"


def test_a_red_campaign_is_not_green_because_nothing_is_left_to_do(call, outcomes):
    outcomes[1] = Outcome.CRASH
    assert call(*RUN)[0] == 7
    code, out, _ = call(*RUN)
    assert code == 7 and "not ok: 2 crash" in out


def test_quarantine_that_is_over_is_told(call, outcomes):
    text = (
        "campaign: nights\nparts: [{scenario: trial.yaml, experiment: trial}]\n"
        "quarantine: [{experiment: trial, cell: A, until: 2020-01-01, reason: x},\n"
        "  {experiment: trial, cell: plain, seed: 1, until: 2999-01-01, reason: x}]\n"
    )
    code, out, _ = call("plan", text=text)
    assert code == 0 and "in quarantine: 1 run" in out
    assert "nights.yaml:3: the quarantine of trial/A ended on 2020-01-01: it runs again" in out


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("run", "--shard", "x"), 2, "write the part and how many there are"),
        (("run", "--shard", "3/2"), 2, "shards are 1/2 to 2/2"),
        (("run", "--shard", "1"), 2, "say of how many"),
        (("run", "--time-budget", "6"), 2, "has no unit"),
        (("run", "--time-budget", "0 s"), 2, "greater than 0"),
        (("run", "--new", "--continue"), 2, "not allowed with"),
        (("run", "--continue"), 9, "no round of nights to go on with"),
        (("status",), 9, "no rounds of a campaign 'nights'"),
        (("watch",), 9, "no rounds of a campaign 'nights'"),
        (("prune",), 2, "no retention"),
        (("prune", "--rounds", "1"), 9, "no rounds of a campaign 'nights'"),
        (("verdit",), 2, "invalid choice"),
    ],
)
def test_wrong_usage(call, capsys, arguments, code, words):
    try:
        found, _, err = call(*arguments)
    except SystemExit as ended:  # argparse's
        found, err = ended.code, capsys.readouterr().err
    assert found == code and words in " ".join(err.split())


def test_a_faulty_file(call):
    code, _, err = call("plan", text="campaign: nights\nparts: [{scenario: none.yaml}]\nsed: 1\n")
    assert code == 3 and "nights.yaml:2: no scenario" in err and "nights.yaml:3: 'sed' is unknown" in err


def test_a_time_with_its_unit():
    assert duration("6h") == 21600.0 and duration("90 s") == 90.0


def test_the_first_ctrl_c_drains(tmp_path):
    """Real simulations, and a terminal's Ctrl-C, which reaches every process of the group."""
    (tmp_path / "trial.yaml").write_text(SCENARIO.replace("20 s", "3 h").replace("1..2", "1..500"))
    file, store = tmp_path / "nights.yaml", tmp_path / "store"
    file.write_text("campaign: nights\nparts: [{scenario: trial.yaml, experiment: trial}]\n")
    command = [sys.executable, "-m", "orchestrator.cli.app", "campaign", *RUN[:2], str(file)]
    process = subprocess.Popen(
        [*command, "--store", str(store), "--workers", "2"],
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    journal = store / "campaigns/nights/rounds/000001.1-of-1.jsonl"
    wait_until(lambda: (journal.exists() and journal.stat().st_size) or process.poll() is not None)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=HANG_S)
    assert process.returncode == 130, err
    assert "runs under way end, no other begins" in err and "interrupted; " in out
    one = record.latest(store, "nights")
    made = list(one.runs())
    assert one.state is State.INTERRUPTED and 0 < len(made) < 1000
    assert {run.outcome for run in made} == {Outcome.OK}, "the simulators did not hear it"
    assert Store(store).verify("trial") == [] and not list((store / "trial").glob(".tmp-*"))


def test_the_second_ctrl_c_ends_it(call, outcomes, monkeypatch):
    inside, asked, over = (threading.Event() for _ in range(3))

    def run(_engine, job):
        job.log.write_text("x\n")
        inside.set()
        over.wait(HANG_S)
        return RunResult(Outcome.LOST, 0, 0.0, 0, 0, ())

    def press():
        inside.wait(HANG_S)
        os.kill(os.getpid(), signal.SIGINT)
        asked.wait(HANG_S)
        os.kill(os.getpid(), signal.SIGINT)

    ask = Drain.ask
    monkeypatch.setattr(Drain, "ask", lambda self: (ask(self), asked.set()))
    monkeypatch.setattr(EmbeddedEngine, "_run", run)
    monkeypatch.setattr(EmbeddedEngine, "stop", lambda self: over.set())
    thread = threading.Thread(daemon=True, target=press)
    thread.start()
    code, _, err = call(*RUN)
    thread.join()
    assert code == 130 and "interrupted; finished runs are kept" in err
