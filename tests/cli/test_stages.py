# SPDX-License-Identifier: Apache-2.0
"""What a command shows of its stages: lines in a pipe, a bar in a terminal of 80 columns; and what is told of
compiling.
"""

from __future__ import annotations

from types import SimpleNamespace

from orchestrator import console
from orchestrator.build import cache
from orchestrator.execution.progress import Compiling, Progress

RUNS = Progress(total=360, found=0, made=40, failed=1, sim_us=6_000_000_000, elapsed_s=10.0)


def test_a_line_a_stage_in_a_pipe(capsys, monkeypatch):
    monkeypatch.setattr(console, "time", SimpleNamespace(monotonic=lambda: 0.0))  # long stages have more
    with console.stages("chain") as stage:
        stage("compiling", 0, 3)
        stage("compiling", 1, 3)
        stage.runs(RUNS)
        stage("starting Spark")
        stage("drawing figures", 7, 23)
    assert capsys.readouterr().err.splitlines() == [
        "chain: compiling",
        "chain: simulating 40/360, 1 not ok, 1 min 20 s left, 10.0 simulated min/s",
        "chain: starting Spark",
        "chain: drawing figures",
    ]


def test_runs_that_were_all_there_are_not_simulated(capsys):
    with console.stages("chain") as stage:
        stage.runs(Progress(total=12, found=12, made=0, failed=0, sim_us=0, elapsed_s=0.1))
    assert capsys.readouterr().err == "chain: runs 12/12, all already in the store\n"


def test_what_is_compiled_is_counted_and_what_the_cache_has_is_not(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    told = []

    def made(work):
        cache.tell("kernel", begun=2)
        cache.tell("kernel", ended=1)
        (work / "it").write_text("built")
        cache.tell("kernel", ended=1)
        return work / "it"

    with cache.watched(Compiling(lambda *said: told.append(said))):
        cache.get("kernel", "a" * 32, made)
        cache.get("kernel", "a" * 32, made)
    cache.get("kernel", "b" * 32, made)
    assert told == [
        ("compiling", 0, 1, "the engine"),
        ("compiling", 0, 3, "the engine"),
        ("compiling", 1, 3, "the engine"),
        ("compiling", 2, 3, "the engine"),
        ("compiling", 3, 3, ""),
    ]


def test_a_long_stage_in_a_pipe_says_after_what_time(capsys, monkeypatch):
    clock = SimpleNamespace(now=0.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(console, "time", clock)
    with console.stages("chain") as stage:
        stage("ingesting", 0, 9)
        clock.now = 30.0
        stage("ingesting", 4, 9)
        clock.now = 95.0
    begun, during, ended = capsys.readouterr().err.splitlines()
    assert "4/9" in during and "30.0 s" in during and "1 min 35 s" in ended
