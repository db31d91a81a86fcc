# SPDX-License-Identifier: Apache-2.0
"""Runs on executors give the same store as without a cluster, whatever is lost on the way. The executors are
stood in for by this process; tests/spark/test_cluster.py has real ones.
"""

from __future__ import annotations

import io
import os
import pickle
import subprocess
import sys
import threading
import zipfile
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from orchestrate_spark import begin, executors
from orchestrate_spark.errors import NoMaster, SparkEnded
from orchestrate_spark.executors import digest

import orchestrator
from orchestrator.errors import MissingTool, StorageFailed, Unsupported, WrongUsage
from orchestrator.execution import cluster, pipeline, remote
from orchestrator.execution.cluster import Cluster
from orchestrator.execution.execute import Effort
from orchestrator.execution.results import ObjectStore, SharedFolder
from orchestrator.runs.model import Outcome, RunResult
from orchestrator.runs.store import Store
from orchestrator.scenario.load import load
from tests import needs
from tests.waiting import wait_until

RESULT = RunResult(Outcome.FAILED, 5, 0.25, 7, 9, ("a line",))


class Shared:
    def __init__(self, value: bytes):
        self.value = value


class Executors:
    """Each group in this process, sent as it would be. `lose`: every task is done again, as if its executor
    had been lost after its runs, and its answers with it.
    """

    cores = 2

    def __init__(self, lose: bool = False):
        self.code, self.lose, self.groups, self.shared = digest(remote.contents()), lose, [], 0

    def share(self, content: bytes) -> Shared:
        self.shared += 1
        return Shared(content)

    def run(self, work, groups, shared):
        self.groups += groups
        groups = pickle.loads(pickle.dumps(groups))
        answers = []
        for group in groups:
            if self.lose:
                list(work(group, shared))
            answers += work(group, shared)
        return pickle.loads(pickle.dumps(answers))

    def stop(self):
        pass


@pytest.fixture
def on(monkeypatch):
    """A function that makes a cluster of these executors."""

    def made(executors: Executors, through: str | None = None) -> Cluster:
        found = Cluster("spark://nowhere:7077", through)
        monkeypatch.setattr(found, "executors", lambda: executors)
        return found

    return made


def logs(store: Path) -> dict[str, bytes]:
    return {path.parent.name: path.read_bytes() for path in sorted(store.glob("trial/runs/*/COOJA.testlog"))}


@pytest.fixture
def object_store(tmp_path, monkeypatch):
    """The URL of an object store without renames and links: fsspec's own in memory."""
    fsspec = pytest.importorskip("fsspec")
    files = fsspec.filesystem("memory")
    for name in ("mv", "move", "rename", "symlink", "link"):
        monkeypatch.setattr(files, name, None, raising=False)
    yield "memory://results"
    files.rm("/results", recursive=True) if files.exists("/results") else None


@pytest.mark.parametrize("lose", [False, True])
def test_the_same_store_as_without_a_cluster(scenario_file, tmp_path, on, lose):
    needs.a_compiler()
    scenario = load(scenario_file(3))
    pipeline.run(scenario, tmp_path / "here", Effort(2), report=False)
    executors = Executors(lose)
    done = pipeline.run(scenario, tmp_path / "there", cluster=on(executors), report=False)
    assert logs(tmp_path / "there") == logs(tmp_path / "here") and done.summary.made == 6
    assert done.summary.failures == [] and Store(tmp_path / "there").verify("trial") == []
    assert [len(group) for group in executors.groups] == [1] * 6  # their time was not known yet
    assert executors.shared == 2  # the engine, and the firmware that both cells have
    assert list((tmp_path / "there" / cluster.FOLDER).iterdir()) == []
    again = pipeline.run(scenario, tmp_path / "there", cluster=on(Executors()), report=False)
    assert again.summary.made == 0


def test_through_an_object_store(scenario_file, tmp_path, on, object_store):
    needs.a_compiler()
    scenario = load(scenario_file(2))
    pipeline.run(scenario, tmp_path / "here", Effort(2), report=False)
    through = on(Executors(lose=True), object_store)
    done = pipeline.run(scenario, tmp_path / "there", cluster=through, report=False)
    assert done.summary.made == 4 and logs(tmp_path / "there") == logs(tmp_path / "here")
    assert not (tmp_path / "there" / cluster.FOLDER).exists()
    assert ObjectStore(object_store)._files.find("/results") == []  # nothing is left there


def test_a_campaigns_round_is_made_there_as_well(scenario_file, tmp_path, on):
    from orchestrator.campaign import run as campaigns
    from orchestrator.campaign.load import load as load_campaign
    from orchestrator.campaign.model import State

    needs.a_compiler()
    scenario = scenario_file(2)
    file = tmp_path / "nights.yaml"
    file.write_text(
        f"campaign: nights\nseeds: 1..2\nparts: [{{scenario: {scenario.name}, experiment: trial}}]\n"
    )
    executors = Executors()
    options = campaigns.Options(metrics=False, cluster=on(executors))
    made = campaigns.run(load_campaign(file), tmp_path / "there", options)
    assert made.state is State.COMPLETE and made.summary.made == 4 and len(executors.groups) == 4
    pipeline.run(load(scenario), tmp_path / "here", Effort(2), report=False)
    assert logs(tmp_path / "there") == logs(tmp_path / "here")
    assert options.spark() == "spark://nowhere:7077"
    assert campaigns.Options(master="local[1]").spark() == "local[1]"
    assert campaigns.Options(cluster=Cluster("spark://nowhere:7077", "s3://b")).spark() is None


def test_runs_that_are_short_go_many_at_a_time(tmp_path, on, monkeypatch):
    class Engine:
        name, kernel, plain = "embedded", Path(__file__), False

        def prepare(self, say=None):
            pass

        def version(self):
            return "1"

    class Quick(Executors):
        def run(self, work, groups, shared):
            self.groups += groups
            return [remote.Answer(sent.key, 0.1, result=RESULT) for group in groups for sent in group]

    executors, done = Quick(), []
    engine = cluster.ClusterEngine(Engine(), lambda: executors, str(tmp_path))
    one = cluster.Job(None, 0, {}, tmp_path / "log")
    engine.run((replace(one, seed=seed) for seed in range(400)), lambda job, result: done.append(job.seed))
    assert sorted(done) == list(range(400))
    sizes = [len(group) for group in executors.groups]
    assert sizes[:12] == [1] * 12 and max(sizes) == 20 and sum(sizes) == 400  # 2 s of 0.1 s each


def test_an_engine_that_cannot_be_sent_is_refused(tmp_path):
    with pytest.raises(Unsupported, match="--engine embedded"):
        Cluster("spark://nowhere:7077").engines({"cooja": SimpleNamespace(name="cooja")}, tmp_path)


def test_a_worker_with_another_version_says_so():
    remote.same_code(Executors().code)
    with pytest.raises(MissingTool, match="another version of orchestrate.*\n.*no run was made"):
        remote.same_code("0" * 16)
    (answer,) = remote.worker("", False, "", "0" * 16)([remote.Sent("key", None)], {})
    assert isinstance(answer.error, MissingTool)


def test_the_code_that_was_sent_is_known_by_its_path(monkeypatch):
    monkeypatch.setattr(orchestrator, "__file__", f"/tmp/code-0/{'0' * 16}/orchestrator/__init__.py")
    remote.same_code("0" * 16)


@pytest.mark.parametrize("kind", ["folder", "objects"])
def test_a_result_is_there_once_and_as_a_whole(tmp_path, kind, object_store):
    (tmp_path / "shared").mkdir()
    door = SharedFolder(tmp_path / "shared") if kind == "folder" else ObjectStore(object_store)
    for number in (1, 2):
        (tmp_path / f"log{number}").write_bytes(b"%d" % number)
    assert door.found("k") is None and door.take("k", tmp_path / "taken") is None
    door.keep("k", tmp_path / "log1", RESULT)
    door.keep("k", tmp_path / "log2", replace(RESULT, outcome=Outcome.OK))  # a lost task's twin
    assert door.found("k") == RESULT
    assert door.take("k", tmp_path / "taken") == RESULT and (tmp_path / "taken").read_bytes() == b"1"
    assert door.found("k") is None
    if kind == "objects":
        assert door._files.find("/results") == []


@pytest.mark.parametrize("kind", ["folder", "objects"])
def test_a_log_that_is_not_what_was_written_is_no_result(tmp_path, kind, object_store):
    (tmp_path / "shared").mkdir()
    door = SharedFolder(tmp_path / "shared") if kind == "folder" else ObjectStore(object_store)
    (tmp_path / "log").write_bytes(b"whole")
    door.keep("k", tmp_path / "log", RESULT)
    if kind == "folder":
        (tmp_path / "shared" / "k" / "COOJA.testlog").write_bytes(b"who")
    else:
        (log,) = [name for name in door._files.find("/results") if name.endswith(".testlog")]
        door._files.pipe_file(log, b"who")
    assert door.take("k", tmp_path / "taken") is None
    assert door.found("k") is None  # so that it is made again


def test_a_worker_that_does_not_see_the_store_says_so(tmp_path):
    (tmp_path / "log").touch()
    with pytest.raises(StorageFailed, match="not seen here"):
        SharedFolder(tmp_path / "none").keep("k", tmp_path / "log", RESULT)


def broken(*_, **__):
    raise PermissionError(13, "Permission denied")


REMEDY = "\n    see that all machines of the cluster reach it, then run the same command again"


def test_an_object_store_that_can_t_be_reached(tmp_path, object_store, monkeypatch):
    """What it refuses is told with its place; what it has lost is no result."""
    (tmp_path / "log").write_bytes(b"lines")
    door = ObjectStore(f"{object_store}/")
    files, folder = door._files, "/results/k"
    door.keep("k", tmp_path / "log", RESULT)
    with monkeypatch.context() as patch:
        patch.setattr(files, "pipe_file", broken)
        with pytest.raises(StorageFailed, match=f"^/results: Permission denied{REMEDY}$"):
            door.keep("other", tmp_path / "log", RESULT)
    with monkeypatch.context() as patch:
        patch.setattr(files, "cat_file", broken)
        with pytest.raises(StorageFailed, match=f"^{folder}/result.json: Permission denied{REMEDY}$"):
            door.found("k")
    with monkeypatch.context() as patch:
        patch.setattr(files, "rm_file", broken)
        with pytest.raises(StorageFailed, match=f"^{folder}/result.json: Permission denied{REMEDY}$"):
            door.take("k", tmp_path / "taken")
    assert not (tmp_path / "taken").exists()
    (log,) = [name for name in files.find("/results") if name.endswith(".testlog")]
    files.rm_file(log)
    assert door.found("k") == RESULT and door.take("k", tmp_path / "taken") is None
    assert files.find("/results") == [] and not (tmp_path / "taken").exists()


def test_of_two_machines_that_keep_a_result_at_once_the_first_one_s_stays(tmp_path, monkeypatch):
    """The second finds no folder there and, when it puts its own in place, one that has come meanwhile."""
    (tmp_path / "log").write_bytes(b"lines")
    place = tmp_path / "shared"
    place.mkdir()
    door, rename = SharedFolder(place), os.rename

    def late(source, target):
        monkeypatch.setattr(os, "rename", rename)
        door.keep("k", tmp_path / "log", replace(RESULT, events=1))
        rename(source, target)

    monkeypatch.setattr(os, "rename", late)
    door.keep("k", tmp_path / "log", RESULT)
    assert door.found("k") == replace(RESULT, events=1)
    assert [one.name for one in place.iterdir()] == ["k"]
    monkeypatch.setattr(os, "rename", broken)
    with pytest.raises(StorageFailed, match=f"^{place}: Permission denied{REMEDY}$"):
        door.keep("other", tmp_path / "log", RESULT)
    assert [one.name for one in place.iterdir()] == ["k"]


def test_a_cluster_s_session_is_started_once_and_ended(tmp_path, monkeypatch):
    from orchestrate_spark import session

    heard = []

    class Started:
        def __init__(self, session, contents):
            assert contents == remote.contents()
            heard.append(session)

        def close(self):
            heard.append("closed")

    monkeypatch.setattr(executors, "Executors", Started)
    monkeypatch.setattr(session, "session", lambda master: f"session on {master}")
    one = Cluster("spark://h")
    one.close()
    assert heard == [], "there is no session to end"
    assert one.executors() is one.executors() and heard == ["session on spark://h"]
    one.close()
    one.close()
    assert heard[1:] == ["closed"] and one.executors() is not None and len(heard) == 3

    def none(master):
        raise NoMaster("no master")

    monkeypatch.setattr(session, "session", none)
    with pytest.raises(MissingTool, match="^no master\n"):
        Cluster("spark://h").executors()


class Stub:
    """An engine that makes nothing here and notes what it is asked."""

    name, kernel, plain = "embedded", Path(__file__), False

    def __init__(self):
        self.prepared = []

    def prepare(self, say=None):
        self.prepared.append(say)

    def rules(self, written):
        return f"rules {written}"

    def version(self):
        return "1"

    def described(self):
        return {"engine": "stub"}


JOB = cluster.Job(None, 0, {}, Path("log"))


def jobs(count: int):
    return (replace(JOB, seed=seed) for seed in range(count))


def test_what_a_cluster_s_engine_is_asked_is_answered_by_the_one_of_this_machine(tmp_path):
    own, heard = Stub(), []
    there = SimpleNamespace(stop=lambda: heard.append("stopped"))
    engine = cluster.ClusterEngine(own, lambda: there, str(tmp_path))
    assert (engine.rules("5.0"), engine.version(), engine.described()) == (
        "rules 5.0",
        "1",
        {"engine": "stub"},
    )
    engine.prepare(print)
    assert own.prepared == [print]
    engine.stop()
    assert heard == ["stopped"] and engine._stopped.is_set()


class Waiting(Executors):
    """Each list of tasks waits for the test's word, a result or an error; `lists`: those under way."""

    def __init__(self):
        super().__init__()
        self.lists, self.stops = [], 0

    def run(self, work, groups, shared):
        self.lists.append(answer := Future())
        seen = answer.result()
        if isinstance(seen, Exception):
            raise seen
        return [remote.Answer(sent.key, 0.0, result=RESULT) for group in groups for sent in group]

    def stop(self):
        self.stops += 1
        for one in self.lists:
            if not one.done():
                one.set_result(SparkEnded("tasks were stopped"))


@pytest.fixture
def waiting(tmp_path):
    """Twenty jobs on such executors: these, the engine, the seeds that are done, and a function that waits
    for the end and raises the error.
    """
    there, own, done, ended = Waiting(), Stub(), [], Future()
    engine = cluster.ClusterEngine(own, lambda: there, str(tmp_path))

    def run():
        try:
            engine.run(jobs(20), lambda job, _: done.append(job.seed))
            ended.set_result(None)
        except BaseException as error:  # noqa: BLE001 - the test's own thread raises it
            ended.set_exception(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    yield there, engine, done, ended.result
    there.stop()
    thread.join()


def test_two_lists_of_tasks_are_under_way_at_once(waiting):
    there, _, done, ended = waiting
    for answered in range(4):  # of six runs each, three a core, and the last of two
        wait_until(lambda many=6 * answered: len(done) == many)
        under_way = min(4, answered + 2)
        wait_until(lambda many=under_way: len(there.lists) == many)
        there.lists[answered].set_result(None)
    ended()
    assert done == list(range(20)) and there.stops == 0


def test_if_a_list_fails_the_other_is_ended_and_the_error_is_ours(waiting):
    there, _, done, ended = waiting
    wait_until(lambda: len(there.lists) == 2)
    there.lists[0].set_result(SparkEnded("the cluster is lost"))
    with pytest.raises(MissingTool, match="^the cluster is lost\n    the runs are kept"):
        ended()
    assert there.stops == 1 and done == []


def test_an_end_that_was_asked_for_is_no_error(waiting):
    there, engine, done, ended = waiting
    wait_until(lambda: len(there.lists) == 2)
    engine.stop()
    ended()
    assert there.stops == 1 and done == [] and len(there.lists) == 2


def test_a_run_after_an_end_begins_anew(tmp_path):
    class Quick(Executors):
        def run(self, work, groups, shared):
            return [remote.Answer(sent.key, 0.0, result=RESULT) for group in groups for sent in group]

    own, done = Stub(), []
    engine = cluster.ClusterEngine(own, Quick, str(tmp_path))
    engine.stop()
    engine.run(jobs(3), lambda job, result: done.append((job.seed, result)))
    assert done == [(seed, RESULT) for seed in range(3)] and len(own.prepared) == 1


def test_options_that_exclude_each_other():
    import argparse

    from orchestrator.cli.spark_options import cluster as chosen

    none = argparse.Namespace(master=None, on=None, through=None)
    assert chosen(none) is None
    for wrong in ({"through": "s3://b"}, {"on": "spark://a:1", "master": "spark://b:1"}):
        with pytest.raises(WrongUsage):
            chosen(argparse.Namespace(**{**vars(none), **wrong}))
    assert chosen(argparse.Namespace(master=None, on="spark://a:1", through="s3://b")).through == "s3://b"


def test_a_task_begins_with_the_code_that_was_sent(tmp_path):
    """In a process whose Python has another installation first; the worker says which code it runs."""
    cloudpickle = pytest.importorskip("pyspark.cloudpickle")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, file in executors._files(remote.contents()):
            archive.write(file, name)
    (tmp_path / "archive").write_bytes(packed.getvalue())
    (tmp_path / "alone.py").write_text(Path(begin.__file__).read_text())
    work = cloudpickle.dumps(remote.worker("", False, "", "0" * 16))
    (tmp_path / "call").write_bytes(pickle.dumps((work, [remote.Sent("key", None)])))
    script = (
        "import alone, pathlib, types\n"
        "archive = types.SimpleNamespace(value=pathlib.Path('archive').read_bytes())\n"
        "call = pathlib.Path('call').read_bytes()\n"
        "for _ in range(2):\n"
        "    print(*(one.error for one in alone.begin(archive, 'c0de', 'code', call, {})))\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=os.environ | {"TMPDIR": str(tmp_path)},
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    place = tmp_path / f"code-{os.getuid()}" / "c0de"
    assert told.count(f"in {place / 'orchestrator'}\n") == 2  # another digest than the driver's "0" * 16
    assert [one.name for one in place.parent.iterdir()] == ["c0de"]
    assert (place / "orchestrator" / "_data" / "csc-templates" / "scripts").is_dir()
