# SPDX-License-Identifier: Apache-2.0
"""Ingestion: both doors give the same rows, and the tables are exact whatever happens to a writer."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pyarrow as pa
import pytest
from orchestrate_spark import batches, snapshot, workers
from orchestrate_spark.errors import NoRuns, SparkEnded, TablesFailed
from orchestrate_spark.experiment import add_logs, find_runs
from orchestrate_spark.jobs import ingest as job
from orchestrate_spark.jobs.ingest import ingest
from orchestrate_spark.load import load
from orchestrate_spark.tables import COLUMNS
from synthetic import Chain, write_experiment, write_run

from tests import tier
from tests.waiting import wait_until

pytestmark = pytest.mark.spark
CHAINS = [Chain("A5", 5, False), Chain("A5A", 5, True), Chain("T", 3, True, 20, trace=True)]


def no_spark():
    raise AssertionError("nothing was to be read, so no session is needed")


def rows(table: pa.Table) -> list[dict]:
    return sorted(table.to_pylist(), key=lambda row: json.dumps(row, sort_keys=True))


def assert_exact(experiment: Path) -> None:
    """The tables hold what the run folders say, no more and no less."""
    stored = load(experiment, "arrow")
    runs, _ = find_runs(experiment)
    parsed = [load(Path(run.log).parent, "arrow") for run in runs]
    for name in COLUMNS:
        expected = pa.concat_tables([tables[name] for tables in parsed])
        assert rows(stored[name]) == rows(expected), name


def test_both_doors_give_the_same_rows(tmp_path, spark):
    experiment = tmp_path / "exp"
    folders = write_experiment(experiment, CHAINS, range(1, 4))
    broken = (folders[0] / "COOJA.testlog").read_bytes()[:-5] + b"\x00\xff" * 40 + b"\n!half a li"
    assert write_run(experiment, CHAINS[0], 1, log=broken) == folders[0]
    done = ingest(experiment, spark, cores=2)
    assert done.runs == 9 and len(done.added) == 9 and not done.skipped
    assert_exact(experiment)
    order = load(experiment, "arrow", ["runs"])["runs"].select(["cell", "seed"]).to_pylist()
    assert order == sorted(order, key=lambda row: (row["cell"], row["seed"]))


def test_only_what_is_new_is_read_and_what_is_gone_leaves(tmp_path, spark):
    experiment = tmp_path / "exp"
    folders = write_experiment(experiment, CHAINS[:2], range(1, 3))
    ingest(experiment, spark, cores=2)
    first = os.readlink(experiment / "tables")
    again = ingest(experiment, no_spark, cores=2)
    assert not again.added and not again.dropped and os.readlink(experiment / "tables") == first
    new = write_run(experiment, CHAINS[0], 9)
    assert ingest(experiment, spark, cores=2).added == (new.name,)
    assert_exact(experiment)
    shutil.rmtree(folders[0])
    done = ingest(experiment, spark, cores=2)
    assert done.dropped == (folders[0].name,) and not done.added
    assert_exact(experiment)
    write_run(experiment, CHAINS[0], 2, log=b"1\tID:1\tanother log\n")
    done = ingest(experiment, spark, cores=2)
    assert done.added == done.dropped == (folders[1].name,)
    assert_exact(experiment)


def test_the_same_runs_give_the_same_bytes(tmp_path, spark):
    def files(parent: Path) -> dict[str, bytes]:
        write_experiment(parent / "exp", CHAINS, range(1, 3))
        ingest(parent / "exp", spark, cores=2)
        return {
            str(path.relative_to(parent / "exp" / "tables")): path.read_bytes()
            for path in (parent / "exp" / "tables").glob("*/*.parquet")
        }

    assert files(tmp_path / "1") == files(tmp_path / "2")


def test_the_rows_are_the_same_from_one_task_or_four(tmp_path, spark, monkeypatch):
    monkeypatch.setattr(batches, "SMALL", 1)  # or none of these would be worth a second task
    for cores, files in ((1, 1), (4, 4)):
        experiment = tmp_path / str(cores) / "exp"
        write_experiment(experiment, [CHAINS[0]], range(1, 9))
        assert ingest(experiment, spark, cores=cores).files == files
    one, four = (load(tmp_path / cores / "exp", "arrow") for cores in "14")
    order = [(name, "ascending") for name in ("cell", "seed")]
    for name, rows in one.items():
        if rows.num_rows:  # a batch's rows are in order; batches stand in that of their names
            place = pa.array(range(rows.num_rows))
            in_order = four[name].append_column("place", place).sort_by([*order, ("place", "ascending")])
            assert in_order.drop_columns(["place"]) == rows, name


def test_small_batches_become_few_files(tmp_path, spark, monkeypatch):
    monkeypatch.setattr(job, "MANY", 3)
    experiment = tmp_path / "exp"
    for seed in range(1, 6):
        write_run(experiment, CHAINS[0], seed)
        done = ingest(experiment, spark, cores=2)
    assert done.files <= 2
    assert len(list((experiment / "tables" / "counters").glob("*.parquet"))) == done.files
    assert_exact(experiment)


def test_runs_are_spread_evenly_in_files_of_a_size(tmp_path):
    runs, _ = find_runs(Path(write_experiment(tmp_path / "e", CHAINS[:1], range(1, 41))[0]).parent.parent)
    assert len(batches.split(runs, "x", 2)) == 1  # not worth a second task
    from dataclasses import replace

    big = [replace(run, size=10 << 20) for run in runs]
    made = batches.split(big, "x", 2)
    assert [len(batch.runs) for batch in made] == [5] * 8 and [
        run for batch in made for run in batch.runs
    ] == big
    assert max(batch.size for batch in made) <= batches.TARGET


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("{", "Expecting"),
        ("[]", "not an object"),
        ('{"format": 2}', "format 2"),
        ('{"format": 1}', "no run_id"),
        (
            '{"format": 1, "run_id": "x", "experiment": "e", "cell": "c", "seed": 1, "outcome": "ok"}',
            "renamed or copied",
        ),
        ("[" * 100_000, "recursion"),
    ],
)
def test_a_bad_manifest_is_told_and_the_others_are_read(tmp_path, spark, content, why):
    experiment = tmp_path / "exp"
    good, bad = write_experiment(experiment, CHAINS[:1], range(1, 3))
    (bad / "manifest.json").write_text(content)
    (experiment / "runs" / "unfinished").mkdir()
    runs, skipped = find_runs(experiment)
    assert [run.run_id for run in runs] == [good.name]
    assert [Path(one.folder) for one in skipped] == [bad] and why in skipped[0].why


def test_nothing_to_read_is_told(tmp_path):
    with pytest.raises(NoRuns, match="no such experiment"):
        ingest(tmp_path / "none", no_spark)
    (tmp_path / "runs").mkdir()
    with pytest.raises(NoRuns, match="no finished runs"):
        ingest(tmp_path, no_spark)


def test_a_log_of_a_stock_cooja_needs_no_manifest(tmp_path, spark):
    log = tmp_path / "COOJA.testlog"
    log.write_bytes(b"Random seed: 5\n1\tID:3\tHello, world\n2\tID:4\tHello\nTEST TIMEOUT\n")
    (folder,) = add_logs(tmp_path / "exp", [log], "stock")
    assert add_logs(tmp_path / "exp", [log], "stock") == [folder]
    ingest(tmp_path / "exp", spark, cores=2)
    assert_exact(tmp_path / "exp")
    tables = load(tmp_path / "exp", "arrow")
    run = tables["runs"].to_pylist()[0]
    assert (run["cell"], run["seed"], run["outcome"]) == ("stock", 5, "script timeout")
    assert tables["motes"]["name"].to_pylist() == ["mote 3", "mote 4"]


def full(*_args, **_options):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_leaves_the_tables_as_they_were(tmp_path, spark, monkeypatch):
    experiment = tmp_path / "exp"
    write_experiment(experiment, CHAINS[:1], range(1, 3))
    ingest(experiment, spark, cores=2)
    before = os.readlink(experiment / "tables")
    write_run(experiment, CHAINS[0], 3)

    with monkeypatch.context() as patch, pytest.raises(TablesFailed, match="No space left on device"):
        patch.setattr(batches.parquet, "ParquetWriter", full)
        ingest(experiment, spark, cores=2)
    assert os.readlink(experiment / "tables") == before
    ingest(experiment, spark, cores=2)
    assert_exact(experiment)
    assert not list((experiment / ".tables").glob("draft-*"))


def test_tables_of_a_copied_store_and_damaged_ones_are_made_again(tmp_path, spark):
    experiment = tmp_path / "exp"
    write_experiment(experiment, CHAINS[:1], range(1, 3))
    ingest(experiment, spark, cores=2)
    copy = tmp_path / "copy"
    shutil.copytree(experiment, copy)  # follows links
    assert not (copy / "tables").is_symlink()
    write_run(copy, CHAINS[0], 3)
    ingest(copy, spark, cores=2)
    assert (copy / "tables").is_symlink()
    next((experiment / "tables" / "counters").iterdir()).unlink()
    ingest(experiment, spark, cores=2)
    assert_exact(experiment)


KILLED = """
import sys
from pathlib import Path
from orchestrate_spark import batches, snapshot, workers
from orchestrate_spark.jobs import ingest as job

def slowly(todo, folder, cores, told):   # the tasks' work without Spark: the kill must find it at any point
    for batch in todo:
        batches.write(batch, folder)

workers.write_all = slowly
print("go", flush=True)
job.ingest(sys.argv[1], cores=4)
print("done", flush=True)
"""


def test_killed_at_any_time_the_tables_are_exact(tmp_path, monkeypatch):
    """kill -9 at some points of an ingestion; after each a plain glob sees the old state or the new one."""
    monkeypatch.setattr(
        workers, "write_all", lambda todo, folder, *_: [batches.write(batch, folder) for batch in todo]
    )
    experiment = tmp_path / "exp"
    write_experiment(experiment, CHAINS, range(1, 3))
    ingest(experiment, no_spark, cores=4)
    known = {run["run_id"] for run in load(experiment, "arrow", ["runs"])["runs"].to_pylist()}
    kills = 10 if tier.ALL else 4
    for attempt in range(kills):
        added = write_run(experiment, CHAINS[2], 10 + attempt).name
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(experiment)], stdout=subprocess.PIPE, text=True
        )
        process.stdout.readline()
        time.sleep(0.02 + 0.6 * attempt / kills)
        process.send_signal(signal.SIGKILL)
        process.wait()
        tables = load(experiment, "arrow")
        held = {run["run_id"] for run in tables["runs"].to_pylist()}
        assert held in (known, known | {added})
        for name in ("motes", "counters", "events"):
            assert {row["run_id"] for row in tables[name].select(["run_id"]).to_pylist()} <= held
        ingest(experiment, no_spark, cores=4)
        known.add(added)
        assert_exact(experiment)
    assert len(list((experiment / ".tables").iterdir())) <= 3  # the lock, this state and the one before


def test_what_killed_writers_left_is_swept(tmp_path, monkeypatch):
    """A link not renamed, a state not linked and one that was the second before: the next ingestion removes
    them, also if it has nothing to read."""
    monkeypatch.setattr(
        workers, "write_all", lambda todo, folder, *_: [batches.write(batch, folder) for batch in todo]
    )
    experiment = tmp_path / "exp"
    for seeds in (1, 2):
        write_run(experiment, CHAINS[0], seeds)
        ingest(experiment, no_spark, cores=4)
    states = experiment / ".tables"
    wanted = {path.name for path in states.iterdir()}
    assert len(wanted) == 3  # the lock, this state and the one before
    (states / "link-99999").symlink_to(".tables/gone")
    (states / "0123456789abcdef0123").mkdir()
    (states / "draft-99999").mkdir()
    ingest(experiment, no_spark, cores=4)
    assert {path.name for path in states.iterdir()} == wanted


def test_a_jvm_that_was_ended_is_not_a_full_disk(tmp_path, monkeypatch):
    def ended(todo, folder, cores, told):
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(workers, "write_all", ended)
    write_run(tmp_path / "exp", CHAINS[0], 1)
    with pytest.raises(
        SparkEnded, match="Spark's process has ended: Connection refused; the tables are as before"
    ):
        ingest(tmp_path / "exp", no_spark, cores=4)


def test_one_writer_at_a_time(tmp_path, monkeypatch):
    (tmp_path / "exp").mkdir()
    code = (
        "import sys; from pathlib import Path; from orchestrate_spark import snapshot\n"
        "with snapshot.writing(Path(sys.argv[1]), 'tables'): print('in', flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "exp")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    other.stdout.readline()
    order, flock = [], snapshot.fcntl.flock

    def asked(lock, how):
        order.append("asked")
        flock(lock, how)

    def write():
        with snapshot.writing(tmp_path / "exp", "tables"):
            order.append("in")

    monkeypatch.setattr(snapshot.fcntl, "flock", asked)
    waiting = threading.Thread(daemon=True, target=write)
    waiting.start()
    wait_until(lambda: order)
    order.append("over")
    other.stdin.close()
    waiting.join()
    assert order == ["asked", "over", "in"] and other.wait() == 0
