# SPDX-License-Identifier: Apache-2.0
"""What the ingestion does with which run. The work is done in this process."""

from __future__ import annotations

import hashlib
import json
import shutil
import socket
from pathlib import Path

import pytest
from orchestrate_spark import batches, code, snapshot, workers
from orchestrate_spark.errors import SparkError, TablesFailed
from orchestrate_spark.experiment import Skipped
from orchestrate_spark.jobs import ingest as job
from orchestrate_spark.jobs import stream
from orchestrate_spark.jobs.ingest import Ingested, ingest
from orchestrate_spark.load import load
from synthetic import Chain, write_experiment

CHAIN = Chain("A", 1, events=3)


@pytest.fixture
def work(monkeypatch) -> list[list]:
    """The batches of each ingestion, which are written here."""
    done: list[list] = []

    def write_all(todo, folder, cores, told):
        done.append(list(todo))
        for one in todo:
            batches.write(one, folder)

    monkeypatch.setattr(workers, "write_all", write_all)
    return done


@pytest.fixture
def exp(tmp_path, work) -> Path:
    """An experiment of three runs in tables: a batch of its own for each."""
    for seed in (1, 2, 3):
        write_experiment(tmp_path / "exp", [CHAIN], [seed])
        ingest(tmp_path / "exp", cores=2)
    work.clear()
    return tmp_path / "exp"


def ids(exp: Path) -> list[str]:
    """The runs' ids by seed."""
    rows = load(exp, "arrow", ["runs"])["runs"].sort_by("seed").to_pylist()
    return [row["run_id"] for row in rows]


def summed(done: Ingested) -> tuple:
    return done.runs, len(done.added), len(done.dropped), done.files


def test_only_what_is_new_is_read(exp, work):
    (new,) = write_experiment(exp, [CHAIN], [4])
    done = ingest(exp, cores=2)
    assert summed(done) == (4, 1, 0, 4) and done.added == (new.name,)
    assert [[run.run_id for run in made.runs] for made in work[0]] == [[new.name]]
    assert summed(ingest(exp, cores=2)) == (4, 0, 0, 4) and len(work) == 1
    assert (done.skipped, done.damaged, done.torn, done.without_log) == ((), (), (), ())


def test_runs_are_spread_over_the_cores_that_the_process_may_use(tmp_path, work, monkeypatch):
    asked = []

    def split(runs, code, cores):
        asked.append(cores)
        return batches.split(runs, code, cores)

    monkeypatch.setattr(job, "split", split)
    monkeypatch.setattr(job.os, "sched_getaffinity", lambda process: {0: range(3)}[process])
    for seed, cores in ((1, None), (2, 5)):
        write_experiment(tmp_path / "exp", [CHAIN], [seed])
        ingest(tmp_path / "exp", cores=cores)
    assert asked == [3, 5]


def test_a_run_that_is_gone_leaves_and_one_that_has_changed_does_both(exp, work):
    first, second, third = ids(exp)
    shutil.rmtree(exp / "runs" / first)
    manifest = exp / "runs" / second / "manifest.json"
    manifest.write_text(manifest.read_text() + "\n")
    done = ingest(exp, cores=2)
    assert summed(done) == (2, 1, 2, 2)
    assert (done.added, done.dropped) == ((second,), tuple(sorted((first, second))))
    assert sorted(ids(exp)) == sorted((second, third)) and len(work) == 1


def test_a_run_whose_log_is_gone_keeps_its_rows(exp, work):
    first, *_ = ids(exp)
    before = load(exp, "arrow")
    (exp / "runs" / first / "COOJA.testlog").unlink()
    done = ingest(exp, cores=2)
    assert summed(done) == (3, 0, 0, 3) and done.without_log == (first,) and work == []
    assert load(exp, "arrow")["runs"] == before["runs"]
    (new,) = write_experiment(exp, [CHAIN], [4])
    done = ingest(exp, cores=2)
    assert done.added == (new.name,) and done.without_log == (first,) and len(ids(exp)) == 4


def test_another_parser_reads_all_logs_that_are_there_again(exp, work, monkeypatch):
    first, second, third = ids(exp)
    (exp / "runs" / first / "COOJA.testlog").unlink()
    monkeypatch.setattr(job.code, "digest", lambda modules: "another")
    done = ingest(exp, cores=2)
    assert summed(done) == (3, 3, 0, 2) and done.without_log == (first,)
    assert {run for made in work[0] for run in made.prints} == {first, second, third}
    assert len(ids(exp)) == 3 and snapshot.index(exp, "tables")["code"] == "another"


def test_a_file_that_was_cut_short_is_made_again(exp, work):
    first, *_ = ids(exp)
    held = snapshot.index(exp, "tables")["batches"]
    (name,) = (name for name, batch in held.items() if first in batch["runs"])
    (exp / "tables" / "counters" / f"{name}.parquet").write_bytes(b"PAR1")
    done = ingest(exp, cores=2)
    assert done.torn == (f"counters/{name}.parquet",) and summed(done) == (3, 0, 0, 3)
    assert [made.name for made in work[0]] == [name] and len(load(exp, "arrow")["counters"]) > 0


def damage(exp: Path, run_id: str) -> bytes:
    log = exp / "runs" / run_id / "COOJA.testlog"
    whole = log.read_bytes()
    log.write_bytes(whole.replace(b"ID:1", b"ID:3", 1))
    manifest = exp / "runs" / run_id / "manifest.json"
    manifest.write_text(manifest.read_text() + "\n")  # or it would be taken for the one that was read
    return whole


def test_a_log_that_is_not_its_run_s_is_left_out_until_it_is_mended(exp, work):
    first, second, third = ids(exp)
    whole = damage(exp, first)
    done = ingest(exp, cores=2)
    assert summed(done) == (2, 0, 1, 2) and [Path(one.folder).name for one in done.damaged] == [first]
    assert job.damaged_in(exp) == [first] and work == []
    again = ingest(exp, cores=2)
    assert summed(again) == (2, 0, 0, 2) and len(again.damaged) == 1
    (exp / "runs" / first / "COOJA.testlog").write_bytes(whole)
    assert ingest(exp, cores=2).added == (first,) and job.damaged_in(exp) == []
    for run_id in (first, second, third):
        damage(exp, run_id)
    with pytest.raises(TablesFailed) as raised:
        ingest(exp, cores=2)
    worst = sorted((first, second, third))[0]
    assert str(raised.value) == (
        f"{exp}: none of its 3 runs has the log that it wrote, first {worst}\n"
        "    remove it with `orchestrate runs remove exp RUN` and run the scenario again; "
        "`orchestrate runs verify` lists them"
    )


def test_what_is_no_list_in_an_index_is_no_damage(tmp_path, monkeypatch):
    monkeypatch.setattr(snapshot, "index", lambda *_: {"damaged": "all"})
    assert job.damaged_in(tmp_path) == []


# --- runs that are named as they come


def test_runs_that_have_arrived_are_added_and_the_others_are_not_looked_at(exp, work):
    one, other = write_experiment(exp, [CHAIN], [4, 5])
    shutil.rmtree(exp / "runs" / ids(exp)[0])
    done = ingest(exp, cores=2, arrived=[one.name, ids(exp)[1]])
    assert summed(done) == (4, 1, 0, 4) and done.added == (one.name,) and len(ids(exp)) == 4
    assert ingest(exp, cores=2, arrived=[one.name]) == Ingested(4, (), (), (), 4) and len(work) == 1
    assert ingest(exp, cores=2, arrived=[other.name]).added == (other.name,)


def test_what_has_arrived_damaged_is_told_and_left_out(exp, work):
    (new,) = write_experiment(exp, [CHAIN], [4])
    whole = damage(exp, new.name)
    done = ingest(exp, cores=2, arrived=[new.name])
    assert summed(done) == (3, 0, 0, 3) and [Path(one.folder).name for one in done.damaged] == [new.name]
    assert job.damaged_in(exp) == [new.name] and work == []
    (exp / "runs" / new.name / "COOJA.testlog").write_bytes(whole)
    done = ingest(exp, cores=2, arrived=[new.name])
    assert summed(done) == (4, 1, 0, 4) and job.damaged_in(exp) == []


@pytest.mark.parametrize("why", ["no tables", "another parser", "another run"])
def test_all_runs_are_looked_at_if_the_tables_can_t_be_added_to(exp, work, why, monkeypatch):
    first, *_ = ids(exp)
    if why == "no tables":
        shutil.rmtree(exp / ".tables")
        (exp / "tables").unlink()
    elif why == "another parser":
        monkeypatch.setattr(job.code, "digest", lambda modules: "another")
    else:
        manifest = exp / "runs" / first / "manifest.json"
        manifest.write_text(manifest.read_text() + "\n")
    done = ingest(exp, cores=2, arrived=[first])
    read = {run.run_id for made in work[0] for run in made.runs}
    assert read == ({first} if why == "another run" else set(ids(exp)))
    assert done.runs == 3 and first in done.added


# --- small batches


@pytest.mark.parametrize(
    ("sizes", "kept", "groups"),
    [
        ([1] * 16, 16, []),
        ([1] * 17, 0, [17]),
        ([33] + [1] * 17, 1, [17]),
        ([32] + [1] * 17, 1, [17]),
        ([31] + [1] * 16, 0, [17]),
        ([20] * 17, 0, [3, 3, 3, 3, 3, 2]),
        ([31, 31, 31] + [1] * 14, 0, [2, 15]),
    ],
)
def test_batches_that_are_less_than_half_full_are_put_together(sizes, kept, groups, tmp_path):
    """Sizes are in MB: a full batch has 64."""
    held = {f"b{n:02}": {"bytes": size << 20, "runs": {f"r{n:02}": f"p{n}"}} for n, size in enumerate(sizes)}
    whole, merges = job._compacted(tmp_path, held, "code")
    assert len(whole) == kept and [len(one.sources) for one in merges] == groups
    merged = [source for one in merges for source in one.sources]
    assert sorted([*whole, *merged]) == sorted(held)
    for one in merges:
        assert one.size == sum(held[name]["bytes"] for name in one.sources)
        assert one.prints == {run: at for name in one.sources for run, at in held[name]["runs"].items()}
        assert one.folder == str((tmp_path / "tables").resolve())


def test_an_executor_that_does_not_see_the_store_says_so(tmp_path):
    with pytest.raises(FileNotFoundError) as raised:
        job._task(b"", str(tmp_path / "none"))
    assert str(raised.value) == (
        f"the executor on {socket.gethostname()} does not see {tmp_path / 'none'}; the store must be on a "
        "file system that all of the cluster shares"
    )


# --- the jobs as programs


def test_the_ingesting_job_says_what_it_read_and_what_it_left_out(monkeypatch, capsys):
    asked = []

    def ingested(folder, spark):
        asked.append((folder, spark.named))
        odd = Skipped(f"{folder}/odd", "is odd")
        return Ingested(9, ("a", "b"), ("c",), (odd,), 3, (Skipped(f"{folder}/bad", "is bad"),))

    monkeypatch.setattr(job, "ingest", ingested)
    assert job.main(["one", "two", "--master", "spark://h"]) == 0
    assert asked == [("one", "spark://h"), ("two", "spark://h")]
    out, err = capsys.readouterr()
    assert out == "one: 9 runs, 2 read, 1 dropped\ntwo: 9 runs, 2 read, 1 dropped\n"
    assert err == "one/odd: is odd\none/bad: is bad\ntwo/odd: is odd\ntwo/bad: is bad\n"


@pytest.mark.parametrize(
    ("ends", "code", "said"),
    [(None, 0, ""), (KeyboardInterrupt(), 0, ""), (SparkError("lost"), 1, "stream: lost\n")],
)
def test_the_following_job_says_what_has_come(monkeypatch, capsys, in_one_file, ends, code, said):
    asked = []

    def follow(folder, session, told, *, once):
        asked.append((folder, session.named, once))
        told(Ingested(9, ("a", "b"), (), (), 3))
        if ends is not None:
            raise ends

    monkeypatch.setattr(stream, "follow", follow)
    assert stream.main(["exp", "--once", "--master", "spark://h"]) == code
    assert stream.main(["exp"]) == code
    assert asked == [("exp", "spark://h", True), ("exp", None, False)]
    assert capsys.readouterr() == ("exp: 9 runs, 2 read\n" * 2, said * 2)
    told = (code, f"exp: 9 runs, 2 read\n{said}")
    assert in_one_file(lambda: stream.main(["exp"])) == told, "at once, and not when it ends"


def test_a_stream_that_ended_says_what_to_do(tmp_path):
    error = stream._ended(tmp_path, ValueError("\n the checkpoint is torn \nat java"))
    assert str(error) == (
        f"{tmp_path}: the stream of its runs ended: the checkpoint is torn \n"
        f"    the tables are whole; remove {tmp_path / '.follow'} if it is damaged, then follow again"
    )


def test_a_state_says_what_it_holds(exp):
    index = json.loads((exp / "tables" / "index.json").read_text())
    assert index["damaged"] == [] and index["schema"] == 4
    identity = hashlib.sha256(" ".join(sorted(index["batches"])).encode()).hexdigest()[:20]
    assert index["identity"] == (exp / "tables").resolve().name == identity
    sources = (Path(code.__file__).with_name(f"{module}.py").read_bytes() for module in code.TABLES)
    assert index["code"] == hashlib.sha256(b"".join(sources)).hexdigest()[:16]
    assert sorted(run for batch in index["batches"].values() for run in batch["runs"]) == sorted(ids(exp))
    for name, batch in index["batches"].items():
        (run,) = batch["runs"]
        assert batch["bytes"] == (exp / "runs" / run / "COOJA.testlog").stat().st_size
        assert (exp / "tables" / "runs" / f"{name}.parquet").is_file()
