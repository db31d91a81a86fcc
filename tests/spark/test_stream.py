# SPDX-License-Identifier: Apache-2.0
"""A growing folder of runs, followed: each run is in the tables exactly once, also after kill -9."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest
from orchestrate_spark.jobs import ingest as job
from orchestrate_spark.jobs.stream import CHECKPOINT, follow
from orchestrate_spark.load import load
from orchestrate_spark.tables import COLUMNS
from synthetic import Chain, write_experiment

from tests.waiting import HANG_S, wait_until

# Kills itself when the second micro-batch's state stands and its checkpoint is not yet written.
KILLED = """
import os, signal, sys
from orchestrate_spark import snapshot
from orchestrate_spark.jobs import stream
publish = snapshot.publish
def killed(*state):
    publish(*state)
    if len(state[4]["batches"]) > 1:
        os.kill(os.getpid(), signal.SIGKILL)
snapshot.publish = killed
sys.argv[1:] = ["exp", "--master", "local[2]"]
stream.main()
"""


@pytest.mark.spark
def test_killed_between_a_batch_and_its_checkpoint_no_run_is_lost_or_twice(tmp_path, apache):
    folder, chain = tmp_path / "exp", Chain("A5A", 5, True)
    write_experiment(folder, [chain], range(1, 3))
    following = subprocess.Popen([sys.executable, "-c", KILLED], cwd=tmp_path, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: (folder / CHECKPOINT / "commits" / "0").exists() or following.poll() is not None)
        write_experiment(folder, [chain], range(3, 6))
        assert following.wait(HANG_S) == -signal.SIGKILL
    finally:
        following.kill()
    assert len(list((folder / CHECKPOINT / "offsets").glob("[0-9]*"))) == 2  # the second was begun
    assert len(list((folder / CHECKPOINT / "commits").glob("[0-9]*"))) == 1
    write_experiment(folder, [chain], range(6, 8))
    done = []
    follow(folder, apache, done.append, once=True)
    assert [len(one.added) for one in done] == [2]  # those of seeds 6 and 7; the others were there
    other = tmp_path / "other" / "exp"
    write_experiment(other, [chain], range(1, 8))
    job.ingest(other, apache)
    for name in COLUMNS:
        assert load(folder, "arrow", [name])[name].sort_by("run_id").num_rows == len(
            load(other, tables=[name])[name]
        )
    rows = [
        load(one, "polars", ["counters"])["counters"].sort("seed", "mote", "name") for one in (folder, other)
    ]
    assert rows[0].equals(rows[1])


@pytest.mark.spark
def test_it_follows_until_it_is_told_to_end(tmp_path, apache):
    import threading

    folder, over, done = tmp_path / "exp", threading.Event(), []

    def told(one):
        done.append(one)
        if one.runs == 1:
            write_experiment(folder, [Chain("A", 1)], range(2, 3))
        else:
            over.set()

    write_experiment(folder, [Chain("A", 1)], range(1, 2))
    follow(folder, apache, told, every_s=0.2, over=over)
    assert [one.runs for one in done] == [1, 2]


@pytest.mark.spark
def test_what_fails_in_a_batch_is_raised_as_it_is(tmp_path, apache, monkeypatch):
    from orchestrate_spark.errors import TablesFailed
    from orchestrate_spark.jobs import stream

    def full(*args, **options):
        if "arrived" in options:
            raise TablesFailed("no space left")

    write_experiment(tmp_path / "exp", [Chain("A", 1)], range(1, 2))
    monkeypatch.setattr(stream, "ingest", full)
    with pytest.raises(TablesFailed, match="^no space left$"):
        follow(tmp_path / "exp", apache, lambda done: None, once=True)
