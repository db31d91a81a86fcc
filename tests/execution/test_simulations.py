# SPDX-License-Identifier: Apache-2.0
"""Simulations side by side on engines of either kind: one run at a time, or several in one call."""

from __future__ import annotations

import secrets
import shutil
import threading
from itertools import islice
from pathlib import Path

import pytest

from orchestrator.build import calls
from orchestrator.build.cache import cache_folder
from orchestrator.csc.read import read
from orchestrator.errors import NoSuchThing, StorageFailed
from orchestrator.execution import again, simulations
from orchestrator.execution.library import BuildOptions
from orchestrator.execution.simulations import Simulations, Task, Way
from orchestrator.resources import contiki_apps
from orchestrator.runs.model import Outcome, RunResult
from tests import needs

CHAIN = Path(__file__).resolve().parent.parent / "golden" / "cooja" / "chain" / "simulation.csc"
OK = RunResult(Outcome.OK, 1, 0.1, 0, 0)

needs.a_compiler()


class Together:
    """An engine that takes up to four runs a call, as a JVM does, and says which came together."""

    name = "together"

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.fails_at = ""
        self.stopped = threading.Event()

    def read(self, file, contiki, cooja, seconds):
        return read(file, contiki, cooja)

    def run(self, jobs, done):
        while together := list(islice(jobs, 4)):
            self.calls.append([job.log.parent.name for job in together])
            for job in together:
                assert all(path.is_file() for path in job.firmware.values()), "kept until the run"
                if job.log.parent.name == self.fails_at:
                    raise StorageFailed("full")
                done(job, OK)

    def stop(self):
        self.stopped.set()


@pytest.fixture
def tasks(tmp_path) -> list[Task]:
    shutil.copytree(contiki_apps() / "probes", tmp_path / "probes", ignore=shutil.ignore_patterns("build"))
    file = tmp_path / "chain.csc"
    file.write_text(CHAIN.read_text().replace("[CONFIG_DIR]/../../../../contiki-apps/", "[CONFIG_DIR]/"))
    return [Task(file, number or None, tmp_path / f"log-{number}", str(number)) for number in range(6)]


def ended(tasks, engine, workers=1, way=None):
    simulations = Simulations(tasks, engine, way or Way("5.0"), lambda _: None)
    heard = []
    simulations.run(workers, heard.append, lambda: None)
    assert sorted(map(id, heard)) == sorted(map(id, simulations.ended.values()))
    return simulations.ended


def test_as_many_in_one_call_as_the_engine_takes(tasks):
    engine = Together()
    found = ended(tasks, engine)
    assert engine.calls == [["log-0", "log-1", "log-2", "log-3"], ["log-4", "log-5"]]
    assert [found[number].seed for number in range(6)] == [42, 1, 2, 3, 4, 5], (
        "the file's own where none is given"
    )
    assert all(one.result is OK and one.task is tasks[number] for number, one in found.items())


def test_but_no_more_than_leaves_every_worker_its_share(tasks):
    engine = Together()
    ended(tasks, engine, workers=3)
    assert sorted(sum(engine.calls, [])) == [f"log-{number}" for number in range(6)]
    assert max(map(len, engine.calls)) <= 2
    engine = Together()
    ended(tasks, engine, workers=9)
    assert sorted(engine.calls) == [[f"log-{number}"] for number in range(6)]


def test_a_file_that_can_t_run_is_left_out_of_its_call(tasks, tmp_path):
    tasks[1] = Task(tmp_path / "none.csc", None, tmp_path / "log-1", "none")
    engine = Together()
    found = ended(tasks, engine)
    assert engine.calls[0] == ["log-0", "log-2", "log-3", "log-4"]
    assert isinstance(found[1].error, NoSuchThing) and found[1].task is tasks[1]
    assert [found[number].result for number in (0, 2, 3)] == [OK] * 3


def test_an_error_of_a_call_is_that_of_the_runs_it_kept_from_ending(tasks):
    engine = Together()
    engine.fails_at = "log-2"
    found = ended(tasks, engine)
    assert [found[number].error is None for number in range(6)] == [True, True, False, False, True, True]
    assert isinstance(found[2].error, StorageFailed)


def test_a_record_of_radios_begins_without_an_earlier_one(tasks):
    engine = Together()
    asked = []
    engine.run = lambda jobs, done: [(asked.append(job.radio), done(job, OK)) for job in jobs]
    for _ in range(2):  # in a folder without one, then in one that holds all of it
        ended(tasks[:1], engine, way=Way("5.0", radio=True))
        assert asked.pop() == tasks[0].logdir / again.RADIO and not any(
            (tasks[0].logdir / again.RADIO).iterdir()
        )
        for name in (again.FRAMES, again.EVENTS, again.STATES, again.CUT_STATES):
            (tasks[0].logdir / again.RADIO / name).write_text("earlier")


def test_a_library_that_the_next_commands_may_remove_is_copied(tasks, tmp_path, monkeypatch):
    """One of the cache stays."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    engine, ran = Together(), []
    engine.run = lambda jobs, done: [
        (ran.extend((path, path.read_bytes()) for path in job.firmware.values()), done(job, OK))
        for job in jobs
    ]
    for built, copied in ((tmp_path / "m.cooja", True), (cache_folder() / "m.cooja", False)):
        built.parent.mkdir(parents=True, exist_ok=True)
        built.write_bytes(b"firmware")
        monkeypatch.setattr(simulations, "library", lambda *_, built=built: built)
        ended(tasks[:1], engine)
        assert ran and all((path != built, content) == (copied, b"firmware") for path, content in ran)
        ran.clear()


@pytest.mark.parametrize(("bits", "seed"), [(0, -(2**63)), (2**64 - 1, 2**63 - 1), (2**63, 0)])
def test_a_file_with_a_generated_seed_gets_any_of_java_s(tasks, tmp_path, monkeypatch, bits, seed):
    text = tasks[0].file.read_text()
    assert "<randomseed>42</randomseed>" in text
    tasks[0].file.write_text(
        text.replace("<randomseed>42</randomseed>", "<randomseed>generated</randomseed>")
    )
    asked = []
    monkeypatch.setattr(secrets, "randbits", lambda count: asked.append(count) or bits)
    monkeypatch.setattr(simulations, "library", lambda *_: cache_folder() / "m.cooja")
    engine = Together()
    engine.run = lambda jobs, done: [done(job, OK) for job in jobs]
    found = ended(tasks[:2], engine)
    assert [found[number].seed for number in (0, 1)] == [seed, 1] and asked == [64]


def test_a_job_has_what_the_user_chose(tasks, monkeypatch):
    heard = []
    monkeypatch.setattr(
        simulations, "library", lambda *given: heard.append(given) or cache_folder() / "m.cooja"
    )
    engine, asked = Together(), []
    engine.read = lambda file, contiki, cooja, seconds: asked.append((file, contiki, cooja)) or read(file)
    engine.run = lambda jobs, done: [(asked.append(job), done(job, OK)) for job in jobs]
    build = BuildOptions(contiki=Path("/ng"), cooja=Path("/cooja"))
    task = Task(tasks[0].file, 0, tasks[0].logdir / "deep", "seven")
    said = []
    simulated = simulations.simulate(task, engine, Way("4.9", build, 2.5), said.append)
    assert (simulated.task, simulated.seed, simulated.result, simulated.error) == (task, 0, OK, None)
    (file, contiki, cooja), job = asked
    assert (file, contiki, cooja) == (task.file, Path("/ng"), Path("/cooja"))
    assert (job.seed, job.log, job.ruleset) == (0, task.logdir / "COOJA.testlog", "4.9")
    assert (job.wall_limit_s, job.radio) == (2.5, None)
    assert {given[1:3] for given in heard} == {(task.file.resolve().parent, build)}
    heard[0][3]("building")
    assert said == ["building"]


def test_messages_of_several_files_begin_with_their_names(tasks, monkeypatch):
    def library(mote_type, folder, options, say):
        say("building")
        return cache_folder() / "m.cooja"

    monkeypatch.setattr(simulations, "library", library)
    engine, said = Together(), []
    engine.run = lambda jobs, done: [done(job, OK) for job in jobs]
    Simulations(tasks[:2], engine, Way("5.0"), said.append).run(1, lambda _: None, lambda: None)
    assert set(said) == {"0: building", "1: building"}


def test_two_calls_never_share_a_log_s_folder(tasks):
    from orchestrator.durable import alone

    tasks[5].logdir.mkdir()
    with alone(tasks[5].logdir):
        found = ended(tasks, Together())
    assert "another simulation is writing its COOJA.testlog" in str(found[5].error)


def test_an_interruption_ends_builds_and_engines_and_gives_no_results(tasks):
    reached, let_go = threading.Event(), threading.Event()

    class Waits(Together):
        def run(self, jobs, done):
            for job in jobs:
                reached.set()
                self.stopped.wait()
                done(job, RunResult(Outcome.LOST, 0, 0.0, 0, 0))

    engine = Waits()
    simulations = Simulations(tasks, engine, Way("5.0"), lambda _: None)

    def show():
        if reached.is_set():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulations.run(2, lambda _: let_go.set(), show)
    assert engine.stopped.is_set() and not simulations.ended and not let_go.is_set()


def test_every_call_of_a_compiler_can_be_ended_from_another_thread(tmp_path):
    codes = []

    def build():
        codes.append(
            calls.run(
                ["sh", "-c", f"echo >{tmp_path}/begun; sleep 1000"], tmp_path, {"PATH": "/usr/bin:/bin"}
            )[0]
        )

    thread = threading.Thread(daemon=True, target=build)
    thread.start()
    while not (tmp_path / "begun").exists():
        thread.join(0.01)
    calls.stop_all()
    thread.join()
    assert codes == [-9]
