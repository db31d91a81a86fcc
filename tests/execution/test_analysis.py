# SPDX-License-Identifier: Apache-2.0
"""What a campaign does around its simulations: Spark's session, tables, metrics, report, and what is kept.
Stand-ins take the places of the simulations and of Spark's jobs; test_pipeline.py has the real ones.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import orchestrate_spark.jobs.ingest
import orchestrate_spark.jobs.metrics
import orchestrate_spark.load
import polars
import pyarrow
import pytest
from orchestrate_spark import embedded, errors, session
from orchestrate_spark.metrics import own

import orchestrator.report.page
from orchestrator.errors import Fault, FaultyInput, MissingTool, NoSuchThing, StorageFailed
from orchestrator.execution import fresh, pipeline
from orchestrator.execution.execute import Effort, Failure, Summary
from orchestrator.execution.progress import Listener, Progress
from orchestrator.report import current
from orchestrator.runs import campaign as campaigns
from orchestrator.runs.model import Outcome
from orchestrator.scenario.load import loads

SCENARIO = loads(
    "experiment: trial\ntopology: {shape: chain, publishers: 2}\napplication: {name: aggregation}\n"
    "duration: 10 s\nseeds: 1..2\n",
    "x.yaml",
)
RUNS = ["aa", "bb"]


@pytest.fixture
def heard() -> list:
    """What was told, and what the stand-ins were asked for, in order."""
    return []


@pytest.fixture
def told(heard) -> Listener:
    return Listener(
        stage=lambda *given: heard.append(("stage", *given)),
        runs=lambda progress: heard.append(("runs", progress.done)),
        say=lambda text: heard.append(("say", text.split(": ")[0])),
    )


# --- the session


@pytest.fixture
def spark(monkeypatch, heard, told):
    """A function that makes Spark's part of a campaign; its session comes when the gate is opened."""
    gate = threading.Event()

    def made(master=None):
        gate.wait()
        heard.append(("session", master))
        return "the session"

    monkeypatch.setattr(session, "need", lambda: heard.append("needed"))
    monkeypatch.setattr(session, "running", lambda: True)
    monkeypatch.setattr(session, "session", made)
    yield lambda master="local[2]": (pipeline._Spark(master, None, told), gate)
    gate.set()


def test_apache_spark_is_started_once_beside_the_simulations(spark, heard):
    one, gate = spark("spark://h")
    assert not one.starting()
    one.start(heard.append)
    one.start(heard.append)
    assert one.starting() and heard == ["needed"]
    assert one._thread.daemon, "an interrupted campaign doesn't wait for it"
    gate.set()
    one.ready()
    assert not one.starting() and heard == ["needed", ("session", "spark://h")]


def test_the_embedded_engine_is_not_started_before_there_is_something_to_compute(spark, heard):
    one, _ = spark("embedded")
    one.start(heard.append)
    assert not one.starting()
    one.ready()
    assert heard == []


def test_without_a_start_nothing_is_waited_for(spark, heard):
    one, _ = spark()
    one.ready()
    assert heard == [] and not one.starting()


def test_without_java_it_is_said_once_before_the_runs_and_refused_after_them(spark, heard, monkeypatch):
    def need():
        raise errors.NoJava("no Java\nget one")

    monkeypatch.setattr(session, "need", need)
    one, _ = spark()
    one.start(heard.append)
    one.start(heard.append)
    assert heard == ["the runs are made and kept, but there will be no report: no Java\nget one"]
    assert not one.starting()
    with pytest.raises(MissingTool, match="^no Java\nget one\n    the runs are kept; the same command"):
        one.ready()


def test_a_session_that_does_not_come_is_refused_after_the_runs(spark, monkeypatch, heard):
    def made(master):
        raise errors.NoMaster(f"no {master}")

    monkeypatch.setattr(session, "session", made)
    one, _ = spark("spark://h")
    one.start(heard.append)
    with pytest.raises(MissingTool, match="^no spark://h"):
        one.ready()


# --- tables and metrics

FLAW = errors.Flaw("own.py", 3, "raises KeyError", "mend it")


@pytest.fixture
def jobs(monkeypatch, heard, spark):
    """Stand-ins for Spark's jobs and the page; the log of the run `bb` and of an older run are damaged."""

    def ingest(folder, spark, *, told):
        heard.append(("ingest", folder.name, spark()))
        told(1, 4)
        return SimpleNamespace(damaged=[SimpleNamespace(folder=f"there/{run}") for run in ("old", "bb")])

    def compute(folder, *, run_ids, spark, own, told):
        heard.append(("compute", folder.name, list(run_ids), own))
        told(2, 3, "families")
        return SimpleNamespace(failed=(FLAW,))

    def write(store, experiment, *, stage):
        heard.append(("write", store.name, experiment))
        stage("writing the page")
        return store / experiment / "report" / "index.html"

    def load(folder, form, tables):
        rows = [
            {"run_id": run, "mote": 1, "reason": "cut", "count": 2, "name": "merges_undone", "value": 3}
            for run in ("aa", "old")
        ]
        table = pyarrow.Table.from_pylist(rows)
        return {tables[0]: polars.from_arrow(table) if form == "polars" else table}

    monkeypatch.setattr(orchestrate_spark.jobs.ingest, "ingest", ingest)
    monkeypatch.setattr(orchestrate_spark.jobs.metrics, "compute", compute)
    monkeypatch.setattr(orchestrator.report.page, "write", write)
    monkeypatch.setattr(orchestrate_spark.load, "load", load)
    monkeypatch.setattr(session, "session", lambda master: f"session on {master}")
    monkeypatch.setattr(embedded, "session", lambda: "the embedded session")
    monkeypatch.setattr(embedded, "running", lambda: True)
    monkeypatch.setattr(current, "keep", lambda folder: None)


TABLES = [
    ("stage", "ingesting the logs"),
    ("ingest", "trial", "session on spark://h"),
    ("stage", "ingesting the logs", 1, 4, "batches"),
    ("say", "the log of run bb is not what the run wrote (its SHA-256 is not that of the manifest)"),
    ("say", "damaged lines in the logs of 1 run"),
    ("say", "3 merges undone in 1 run"),
    ("stage", "computing metrics"),
    ("compute", "trial", RUNS, []),
    ("stage", "computing metrics", 2, 3, "families"),
]
PAGE = [
    ("stage", "loading the report's libraries"),
    ("write", "store", "trial"),
    ("stage", "writing the page"),
]


def planned(scenario=SCENARIO, tree=None) -> SimpleNamespace:
    return SimpleNamespace(
        scenario=scenario,
        tree=tree,
        specs=lambda: iter(("one", "two")),
        total=2,
        engines={"embedded": "here"},
    )


@pytest.mark.parametrize("page", [True, False])
def test_results_of_runs_that_are_in_the_store(tmp_path, jobs, told, heard, page):
    store = tmp_path / "store"
    found = pipeline.results(planned(), store, RUNS, page=page, master="spark://h", told=told)
    report = store / "trial" / "report" / "index.html"
    faults = (Fault("own.py", 3, "raises KeyError", "mend it"),)
    assert found == (report if page else None, faults, ("bb",))
    assert heard == TABLES + PAGE * page


def test_a_session_that_is_still_on_its_way_is_told_and_waited_for(tmp_path, jobs, told, heard):
    one = pipeline._Spark("local[2]", None, told)
    one._thread = SimpleNamespace(is_alive=lambda: True, join=lambda: heard.append("joined"))
    assert pipeline._ingest(one, tmp_path / "trial", RUNS, told) == ("bb",)
    assert heard[:3] == [("stage", "starting Apache Spark"), "joined", ("stage", "ingesting the logs")]


@pytest.mark.parametrize(
    ("job", "ours"),
    [
        ("ingest", lambda one: one.ingest(Path("e"), print)),
        ("compute", lambda one: one.compute(Path("e"), [], [], print)),
    ],
)
def test_errors_of_spark_s_jobs_become_ours(spark, monkeypatch, job, ours):
    def fails(*_, **__):
        raise errors.TablesFailed("no room")

    where = {"ingest": orchestrate_spark.jobs.ingest, "compute": orchestrate_spark.jobs.metrics}[job]
    monkeypatch.setattr(where, job, fails)
    with pytest.raises(StorageFailed, match="^no room$"):
        ours(spark()[0])


def test_a_user_s_own_metrics_are_loaded_from_where_the_command_was_called(monkeypatch):
    monkeypatch.setattr(own, "load", lambda given, folder: (given, folder))
    assert pipeline.own_metrics(()) == [] and pipeline.own_metrics(("a.py",)) == (("a.py",), Path())

    def load(*_):
        raise errors.FaultyCode([FLAW])

    monkeypatch.setattr(own, "load", load)
    with pytest.raises(FaultyInput, match=r"^own.py:3: raises KeyError"):
        pipeline.own_metrics(("own.py",))


# --- a whole campaign


@pytest.fixture
def campaign(monkeypatch, jobs, told, heard, tmp_path):
    """A function that runs a campaign of two runs, of which so many don't end ok."""

    def run(failed=0, scenario=SCENARIO, **options):
        failures = [Failure("base", seed, run, Outcome.CRASH, ()) for seed, run in enumerate(RUNS[:failed])]

        def prepare(scenario, store, *, cflags, say, show):
            heard.append(("plan", store.name, cflags))
            return planned(scenario, SimpleNamespace(folder=Path("/ng")))

        def execute(specs, total, engines, store, experiment, effort, show):
            heard.append(
                ("execute", list(specs), total, engines, store.path.name, experiment, effort.workers)
            )
            for made in (1, 2):
                show(Progress(2, 0, made, 0, 0, 1.0))
            return Summary(RUNS, 2, failures)

        monkeypatch.setattr(pipeline.plan, "prepare", prepare)
        monkeypatch.setattr(pipeline, "execute", execute)
        monkeypatch.setattr(
            pipeline._Spark, "start", lambda self, say: heard.append(("start", self._sessions.named))
        )
        return pipeline.run(scenario, tmp_path / "store", Effort(3), told=told, **options)

    return run


def made(engines, workers, *started) -> list:
    """What is heard of the plan and the runs; `started`: while there are runs to make."""
    return [
        ("plan", "store", "-Os"),
        ("execute", ["one", "two"], 2, engines, "store", "trial", workers),
        *started,
        ("runs", 1),
        ("runs", 2),
    ]


def test_a_campaign_from_its_plan_to_its_report(campaign, heard, tmp_path):
    done = campaign(failed=1, master="spark://h", cflags="-Os")
    assert heard == [*made({"embedded": "here"}, 3, ("start", "spark://h")), *TABLES, *PAGE]
    folder = tmp_path / "store" / "trial"
    assert (done.experiment, done.folder, done.report) == ("trial", folder, folder / "report" / "index.html")
    assert [fault.line for fault in done.metric_faults] == [3]
    assert (done.damaged, done.measured, done.summary.run_ids) == (("bb",), True, RUNS)
    assert list(done.seconds) == ["plan", "simulate", "ingest", "metrics", "report"]
    assert campaigns.read(folder) == campaigns.Campaign("trial", ("aa", "bb"), {}, "/ng")


def test_a_campaign_without_a_page_has_metrics(campaign, heard):
    done = campaign(master="spark://h", cflags="-Os", page=False)
    assert heard[5:] == TABLES and (done.report, done.measured) == (None, True)
    assert list(done.seconds) == ["plan", "simulate", "ingest", "metrics"]


@pytest.mark.parametrize("options", [{"report": False}, {"failed": 2}])
def test_without_a_run_that_ended_ok_or_a_report_nothing_is_measured(campaign, heard, options, tmp_path):
    done = campaign(cflags="-Os", **options)
    assert heard == made({"embedded": "here"}, 3, *[("start", None)] * ("failed" in options))
    assert (done.report, done.metric_faults, done.damaged, done.measured) == (None, (), (), False)
    assert list(done.seconds) == ["plan", "simulate"]
    assert campaigns.read(tmp_path / "store" / "trial").runs == ("aa", "bb"), "the runs are kept"


@pytest.mark.parametrize("through", [None, "s3://bucket"])
def test_a_cluster_that_makes_the_runs_does_spark_s_work_if_it_sees_the_tables(
    campaign, heard, through, monkeypatch
):
    """Its tasks are the workers, so that one thread here is enough; its session is there already."""
    cluster = SimpleNamespace(
        spark="spark://c" if through is None else None,
        through=through,
        engines=lambda engines, store: {
            name: f"{engine} on {store.name}" for name, engine in engines.items()
        },
        close=lambda: heard.append("closed"),
    )
    monkeypatch.setattr(
        session, "session", lambda master: "session on spark://h" if master == "spark://c" else master
    )
    campaign(cluster=cluster, cflags="-Os", master="spark://h")
    closed = [] if through is None else ["closed"]
    tables = [
        TABLES[0],
        ("ingest", "trial", "session on spark://h" if through is None else "the embedded session"),
        *TABLES[2:],
    ]
    assert heard == [*made({"embedded": "here on store"}, 1), *closed, *tables, *PAGE]


def test_faults_of_a_user_s_own_metrics_are_told_before_anything_is_made(campaign, heard, monkeypatch):
    def load(*_):
        raise errors.FaultyCode([FLAW])

    monkeypatch.setattr(own, "load", load)
    scenario = replace(SCENARIO, metrics=("own.py",))
    with pytest.raises(FaultyInput):
        campaign(scenario=scenario)
    assert heard == []
    campaign(scenario=scenario, report=False, cflags="-Os")
    assert heard == made({"embedded": "here"}, 3), "without a report they are not needed"


def test_where_a_campaign_s_own_applications_are_is_kept(tmp_path):
    (cell,) = SCENARIO.cells
    mine = replace(cell, application=replace(cell.application, name="mine", folder="/home/mine"))
    folder = tmp_path / "trial"
    folder.mkdir()
    pipeline.keep(planned(replace(SCENARIO, cells=(cell, mine))), tmp_path, ["bb", "aa"])
    assert campaigns.read(folder) == campaigns.Campaign("trial", ("bb", "aa"), {"mine": "/home/mine"}, None)
    assert (folder / "scenario.yaml").read_text() == SCENARIO.source


# --- metrics that are brought up to date


def test_metrics_are_renewed_of_the_present_campaign_s_runs(tmp_path, monkeypatch):
    """And what keeps them from being made is an error of ours."""
    log = tmp_path / "runs" / "aa" / "COOJA.testlog"
    log.parent.mkdir(parents=True)
    log.touch()
    asked = []
    monkeypatch.setattr(orchestrate_spark.jobs.ingest, "ingest", lambda *given: asked.append(given))
    monkeypatch.setattr(orchestrate_spark.jobs.metrics, "compute", lambda *given: asked.append(given) or 7)
    assert fresh.renew(tmp_path) == 7
    campaigns.keep(tmp_path, campaigns.Campaign("trial", ("aa",)), "")
    assert fresh.renew(tmp_path, print, ["own"], repr) == 7
    assert asked == [
        (tmp_path, None),
        (tmp_path, None, None, None, None),
        (tmp_path, print),
        (tmp_path, ("aa",), print, ["own"], repr),
    ]

    def none(*_):
        raise errors.NoRuns("gone")

    monkeypatch.setattr(orchestrate_spark.jobs.ingest, "ingest", none)
    with pytest.raises(NoSuchThing, match="^gone$"):
        fresh.renew(tmp_path)
