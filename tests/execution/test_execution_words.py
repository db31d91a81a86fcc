# SPDX-License-Identifier: Apache-2.0
"""Numbers and words of campaigns under way, of results on their way, and of firmware that is built again."""

from __future__ import annotations

import sys
import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from orchestrate_spark import errors as theirs
from orchestrate_spark.errors import Flaw

from orchestrator.durable import settle
from orchestrator.engines.model import Job
from orchestrator.errors import (
    FaultyInput,
    MissingTool,
    NoSuchThing,
    RunFailed,
    StorageFailed,
    Unsupported,
)
from orchestrator.execution import again, cluster, fresh, origin, rebuild, results
from orchestrator.execution.cluster import Cluster, ClusterEngine
from orchestrator.execution.execute import Effort, Failure, Follower, Summary
from orchestrator.execution.once import Once
from orchestrator.execution.progress import NOBODY, Compiling, Listener, Progress, silent
from orchestrator.execution.remote import Answer
from orchestrator.execution.results import SharedFolder
from orchestrator.execution.spark_errors import spark_errors
from orchestrator.execution.workers import Workers
from orchestrator.runs import campaign as campaigns
from orchestrator.runs.model import Outcome, RunResult
from orchestrator.runs.spec import Built
from orchestrator.runs.store import Store
from orchestrator.scenario.model import FirmwareOptions
from tests.runs.conftest import make_result, make_spec, put


def test_what_a_campaign_may_use():
    assert Effort() == Effort(None, 600.0, 2, 0.0)
    effort = Effort(pause_s=1.5)
    assert [effort.pause(tries) for tries in range(1, 7)] == [1.5, 6.0, 24.0, 96.0, 300.0, 300.0]


OK, CRASH, VERDICT, LATE = (
    Failure("A", 1, "id", one, ()) for one in (Outcome.OK, Outcome.CRASH, Outcome.FAILED, Outcome.NO_VERDICT)
)


def test_the_worst_of_a_campaign():
    assert Summary() == Summary([], 0, [], 0, 0.0)
    assert Summary(["a"]).worst() is Outcome.OK and Summary(["a"]).measured() and not Summary().measured()
    assert Summary(["a", "b"], failures=[VERDICT]).worst() is Outcome.FAILED
    assert Summary(["a", "b"], failures=[VERDICT]).measured()
    assert not Summary(["a", "b"], failures=[VERDICT, CRASH]).measured()
    assert Summary(failures=[VERDICT, LATE, CRASH]).worst() is Outcome.CRASH
    assert Summary(failures=[LATE]).worst() is Outcome.FAILED
    error = Failure("A", 1, "id", Outcome.CRASH, ("one", "two")).error("what")
    assert (type(error), str(error)) == (RunFailed, "what: crash\n    one\n    two")


def test_who_follows_nobody_hears_nothing():
    follower = Follower()
    assert follower.show(None) is None and follower.noted(None, None) is None and follower.closed() is False
    assert silent("what", 1, 2, "rest") is None
    assert (NOBODY.stage, NOBODY.runs(None), NOBODY.line(""), NOBODY.say("")) == (silent, None, None, None)
    assert Listener().stage is silent


@pytest.mark.parametrize(
    ("progress", "done", "speed", "left_s"),
    [
        (Progress(10, 2, 3, 1, 600_000_000, 5.0), 5, 2.0, 5 * 5.0 / 3),
        (Progress(10, 2, 0, 1, 0, 5.0), 2, 0.0, None),
        (Progress(10, 7, 3, 0, 0, 5.0), 10, 0.0, 0.0),
        (Progress(10, 10, 0, 0, 60_000_000, 0.0), 10, 0.0, 0.0),
    ],
)
def test_how_far_a_campaign_is(progress, done, speed, left_s):
    assert (progress.done, progress.speed, progress.left_s) == (done, speed, left_s)
    assert (progress.logged_us, progress.to_log_us) == (0, 0)


def test_what_is_compiled_is_told_as_it_begins_and_ends():
    told = []
    compiling = Compiling(lambda *given: told.append(given))
    for kind, begun, ended in (("kernel", 3, 0), ("firmware", 1, 0), ("kernel", 0, 3), ("firmware", 0, 1)):
        compiling(kind, begun, ended)
    assert told == [
        ("compiling", 0, 3, "the engine"),
        ("compiling", 0, 4, "firmware, the engine"),
        ("compiling", 3, 4, "firmware"),
        ("compiling", 4, 4, ""),
    ]


def test_what_several_need_is_made_once():
    once, made = Once(), []
    assert [once(("a",), lambda: made.append(1) or 7) for _ in range(2)] == [7, 7] and made == [1]
    assert once(("b",), lambda: 8) == 8

    def fails():
        made.append(2)
        raise ValueError("no")

    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            once(("c",), fails)
    assert made == [1, 2]


def test_threads_are_counted_until_they_end(monkeypatch):
    monkeypatch.setattr(threading, "excepthook", lambda told: None)  # pytest's warns of one that fails
    workers, gate, stops = Workers(), threading.Event(), []
    assert workers.idle(0)
    workers.start(2, gate.wait)
    assert not workers.idle(0)

    def stop():
        stops.append(1)
        gate.set()

    workers.end(stop)
    assert workers.idle(0) and stops

    workers.start(1, sys.exit)
    workers.end(lambda: None)
    assert workers.idle(0)


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (
            theirs.NoSpark("no Java"),
            MissingTool,
            "no Java\n    the runs are kept; the same command goes on from there, or use --no-report",
        ),
        (theirs.NoRuns("none"), NoSuchThing, "none"),
        (theirs.TablesFailed("bad"), StorageFailed, "bad"),
        (theirs.FaultyCode([Flaw("a.py", 3, "what", "do")]), FaultyInput, "a.py:3: what\n    do"),
        (ValueError("own"), ValueError, "own"),
    ],
)
def test_errors_of_the_analysis(error, kind, said):
    with pytest.raises(kind) as raised, spark_errors():
        raise error
    assert (type(raised.value), str(raised.value)) == (kind, said)


def test_an_experiment_without_logs_has_nothing_to_renew(tmp_path):
    assert fresh.logs(tmp_path) is False and fresh.renew(tmp_path) is None
    for kind in ("runs", "logs"):
        folder = tmp_path / kind / kind / "a"
        folder.mkdir(parents=True)
        assert fresh.logs(tmp_path / kind) is False
        (folder / "COOJA.testlog").write_text("")
        assert fresh.logs(tmp_path / kind) is True
    assert fresh.logs(tmp_path) is False


# --- results on their way


RESULT = RunResult(Outcome.CRASH, 5, 1.5, 7, 8, ("a", "b"))


def test_a_result_comes_back_from_a_folder(tmp_path):
    log = tmp_path / "log"
    log.write_text("lines")
    place = tmp_path / "place"
    shared = results.results(str(place))
    assert isinstance(shared, SharedFolder)
    with pytest.raises(StorageFailed) as raised:
        shared.keep("k", log, RESULT)
    remedy = "see that all machines of the cluster reach it, then run the same command again"
    assert str(raised.value) == f"{place}: not seen here\n    {remedy}"
    place.mkdir()
    assert shared.found("k") is None and shared.take("k", tmp_path / "x") is None
    shared.keep("k", log, RESULT)
    shared.keep("k", log, replace(RESULT, events=9))
    assert shared.found("k") == RESULT and [one.name for one in place.iterdir()] == ["k"]
    assert shared.take("k", tmp_path / "there") == RESULT and (tmp_path / "there").read_text() == "lines"
    assert list(place.iterdir()) == []
    shared.keep("k", log, RESULT)
    (place / "k" / "COOJA.testlog").write_text("other")
    assert shared.take("k", tmp_path / "x") is None and not (place / "k").exists()
    with pytest.raises(StorageFailed, match=f"^{place}: No such file or directory\n    {remedy}$"):
        shared.keep("k", tmp_path / "none", RESULT)


def test_old_drafts_are_swept(tmp_path):
    import os

    for name, age in (("old", 25 * 3600), ("new", 0)):
        (tmp_path / f".tmp-{name}").mkdir()
        at = (tmp_path / f".tmp-{name}").stat().st_mtime - age
        os.utime(tmp_path / f".tmp-{name}", (at, at))
    SharedFolder(tmp_path).sweep()
    assert [one.name for one in tmp_path.iterdir()] == [".tmp-new"]


def test_an_object_store_without_its_package(monkeypatch):
    with pytest.raises(MissingTool) as raised:
        results.results("nothing://a/b")
    first, second = str(raised.value).split("\n")
    assert first.startswith("nothing://a/b: ") and second == (
        "    for S3, `python -m pip install 'cooja-orchestrate[object-store]'` on every machine of the "
        "cluster"
    )


# --- a cluster


class Engine:
    name, plain = "embedded", False

    def __init__(self, folder):
        self.kernel = folder / "kernel"
        self.kernel.write_bytes(b"k")

    def version(self):
        return "v"


class Executors:
    cores, code = 2, "c"

    def share(self, data):
        return ("shared", data)

    def stop(self):
        self.stopped = True


@pytest.fixture
def there(tmp_path):
    firmware = tmp_path / "a.cooja"
    firmware.write_bytes(b"f")
    (tmp_path / "place").mkdir()
    executors = Executors()
    engine = ClusterEngine(Engine(tmp_path), lambda: executors, str(tmp_path / "place"))

    def jobs(count):
        return iter(
            [Job("deployment", seed, {"a": firmware}, tmp_path / f"{seed}" / "log") for seed in range(count)]
        )

    return engine, jobs, firmware


@pytest.mark.parametrize(
    ("run_s", "count", "sizes"),
    [(2.0, 100, [1] * 6), (0.5, 100, [4] * 6), (0.5, 7, [4, 3]), (0.5, 3, [2, 1]), (9.0, 1, [1]), (0.001, 2000, [500] * 4), (0.5, 0, [])],  # noqa: E501
)  # fmt: skip
def test_groups_take_about_two_seconds_and_leave_no_core_alone(there, run_s, count, sizes):
    engine, jobs, _ = there
    engine._run_s = run_s
    groups, by_key = engine._next(jobs(count), 2)
    assert [len(group) for group in groups] == sizes and len(by_key) == sum(sizes)
    assert (cluster.TASK_S, cluster.MOST, cluster.TASKS_A_CORE, cluster.LISTS) == (2.0, 500, 3, 2)


def test_a_sent_run_names_its_firmware_by_digest_and_all_that_decides_its_log(there):
    engine, jobs, firmware = there
    ((sent,),), by_key = engine._next(jobs(1), 2)
    digest = "252f10c83610ebca1a059c0bae8255eba2f95be4d1d7bcfa89d7248a82d9f111"
    assert (sent.job.firmware, sent.job.log) == ({"a": Path(digest)}, Path("log"))
    assert engine._files == {digest: ("shared", b"f")} and by_key[sent.key].firmware == {"a": firmware}
    assert len(sent.key) == 32
    keys = {
        engine._key(replace(sent.job, **change))
        for change in ({}, {"seed": 9}, {"ruleset": "x"}, {"deployment": 1})
    }
    assert len(keys) == 4 and engine._key(replace(sent.job, log=Path("x"))) == sent.key


def test_answers_become_results_or_errors(there, tmp_path):
    engine, jobs, _ = there
    done = []
    job = next(jobs(1))
    log = tmp_path / "made"
    log.write_text("x")
    engine._results.keep("kept", log, RESULT)
    job.log.parent.mkdir()
    answers = [
        Answer("kept", 4.0, kept=True),
        Answer("gone", 0.0, kept=True),
        Answer("own", 2.0, result=make_result()),
    ]
    engine._answered(
        answers, dict.fromkeys(("kept", "gone", "own"), job), lambda _, result: done.append(result)
    )
    lost = RunResult(
        Outcome.LOST, 0, 0.0, 0, 0, ("its result is not in the cluster's storage any more, or not whole",)
    )
    assert done == [RESULT, lost, make_result()] and engine._run_s == 3.0
    with pytest.raises(StorageFailed, match="bad"):
        engine._answered([Answer("kept", error=StorageFailed("bad"))], {"kept": job}, lambda *_: None)
    assert engine._run_s == 3.0
    assert Answer("a") == Answer("a", 0.0, False, None, None)


def test_only_the_embedded_engine_goes_to_a_cluster(tmp_path):
    one = Cluster("spark://h")
    assert one.spark == "spark://h" and Cluster("m", "s3://b").spark is None
    with pytest.raises(Unsupported) as raised:
        one.engine(SimpleNamespace(name="cooja"), tmp_path)
    assert str(raised.value) == (
        "--on: runs of the engine cooja can't be made on a cluster, only those of the embedded one\n"
        "    leave out --on, or choose --engine embedded"
    )
    engine = Engine(tmp_path)
    made = one.engines({"embedded": engine}, tmp_path / "store")["embedded"]
    assert one.engine(engine, tmp_path / "other") is made and (tmp_path / "store" / ".cluster").is_dir()
    assert (made.name, made.version()) == ("embedded", "v")
    one.close()


# --- firmware that is built again


def manifest(**built):
    return SimpleNamespace(built=Built(**built), run_id="0123456789abcdef")


@pytest.mark.parametrize(
    ("built", "options"),
    [
        ({}, FirmwareOptions(builder="host")),
        (
            {"source": "embedded", "builder": "docker", "image": "i"},
            FirmwareOptions(builder="docker", image="i"),
        ),
        ({"source": "embedded", "builder": "host", "image": "i"}, FirmwareOptions()),
        (
            {
                "source": "contiki-ng",
                "tree": "of the image",
                "builder": "docker",
                "image": "i",
                "compile": "fast",
            },
            FirmwareOptions("contiki-ng", "docker", "i", "image", compile="fast"),
        ),
        (
            {"source": "contiki-ng", "tree": "of the image", "builder": "docker", "image": "i"},
            FirmwareOptions("contiki-ng", "docker", "i", "image", compile="as-is"),
        ),
    ],
)
def test_options_of_a_stored_run(tmp_path, built, options):
    assert rebuild.options(manifest(**built), tmp_path) == options


def test_a_tree_is_used_where_its_files_are_the_run_s(tmp_path, monkeypatch):
    trees = {"/a": "other", "/b": "same"}

    def tree(folder):
        if folder not in trees:
            raise NoSuchThing("none")
        return SimpleNamespace(folder=Path(folder), digest=trees[folder])

    monkeypatch.setattr(rebuild.contiki_ng, "tree", tree)
    run = manifest(source="contiki-ng", tree="same")
    monkeypatch.setenv("CONTIKI_NG", "/a")
    (tmp_path / "e").mkdir()
    campaigns.keep(tmp_path / "e", campaigns.Campaign("e", (), {}, "/b"), "")
    assert rebuild.options(run, tmp_path / "e") == FirmwareOptions(
        "contiki-ng", "host", None, "/b", compile="as-is"
    )
    campaigns.keep(tmp_path / "e", campaigns.Campaign("e", (), {}, "/c"), "")
    with pytest.raises(NoSuchThing) as raised:
        rebuild.options(run, tmp_path / "e")
    assert str(raised.value) == (
        "the firmware of run 0123456789ab was built on a Contiki-NG tree that is not here: same\n"
        "    /a ($CONTIKI_NG) has other files: other\n"
        "    /c (where it was) is not a Contiki-NG tree\n"
        "    set CONTIKI_NG to that tree, with the same files as then, or run the scenario again and look "
        "into that run"
    )


def test_where_an_application_was(tmp_path):
    assert again.application_folder(tmp_path, "aggregation", "do") == ""
    with pytest.raises(NoSuchThing) as raised:
        again.application_folder(tmp_path, "mine", "do")
    assert str(raised.value) == (
        f"the application 'mine' is none of ours, and where it was is not in {tmp_path}\n    do"
    )
    campaigns.keep(tmp_path, campaigns.Campaign("e", (), {"mine": str(tmp_path / "mine")}), "")
    with pytest.raises(NoSuchThing) as raised:
        again.application_folder(tmp_path, "mine", "do")
    assert str(raised.value) == (
        f"the application mine is no longer in {tmp_path / 'mine'}\n    put it back there, or do"
    )
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "application.yaml").write_text("")
    assert again.application_folder(tmp_path, "mine", "do") == str(tmp_path / "mine")


def test_folders_of_runs_and_their_twins():
    run = Path("/store/trial/runs/ab")
    assert again.experiment_of(run) == again.experiment_of(run / "trace" / "cd") == Path("/store/trial")
    assert again.from_traced("[CONFIG_DIR]/a/[CONFIG_DIR]/b") == "[CONFIG_DIR]/../../a/[CONFIG_DIR]/b"
    assert again.from_traced("/abs") == "/abs"


def test_a_record_that_is_there_is_not_made_again_and_one_that_can_t_be_is_refused(tmp_path):
    store = Store(tmp_path)
    kept = put(store, make_spec(), make_result(Outcome.WALL_LIMIT))
    folder = store.folder("trial", kept.run_id)
    with pytest.raises(RunFailed) as raised:
        again.record(folder, kept)
    assert str(raised.value) == (
        f"run {kept.run_id[:12]} ended with: wall-clock limit; what its radios did can't be told\n"
        "    run the scenario again"
    )
    (folder / "radio").mkdir()
    (folder / "radio" / "radio.pcap").write_text("")
    assert again.record(folder, kept) == folder / "radio"
    (folder / "simulation.csc").unlink()
    with pytest.raises(NoSuchThing) as raised:
        again.again(folder, kept)
    assert str(raised.value) == (
        f"no {folder / 'simulation.csc'}\n    a run is made again from its .csc; name a run of a store"
    )


def test_a_finished_folder_is_moved_unless_another_is_there(tmp_path):
    for name in ("made", "kept"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).write_text("")
    settle(tmp_path / "made", tmp_path / "kept")
    assert (tmp_path / "kept" / "kept").exists() and (tmp_path / "made").exists()
    settle(tmp_path / "made", tmp_path / "new")
    assert (tmp_path / "new" / "made").exists()
    with pytest.raises(FileNotFoundError):
        settle(tmp_path / "none", tmp_path / "x")


def test_files_in_which_sources_differ():
    one = origin.Sources(Path("/a"), {"a": "1", "b": "2", "c": "3"}, "x")
    other = origin.Sources(Path("/b"), {"b": "2", "c": "4", "d": "5"}, "y")
    assert origin.changed_files(one, other) == ("a", "c", "d") and origin.changed_files(one, one) == ()
