# SPDX-License-Identifier: Apache-2.0
"""Takes a scenario to its report: plan, simulate, ingest, measure, report (`orchestrate run` and `paper`)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator import feature
from orchestrator.build import cache
from orchestrator.errors import Fault, MissingTool, NoSuchThing, RunFailed, Unsupported
from orchestrator.execution import plan
from orchestrator.execution.cluster import Cluster
from orchestrator.execution.execute import USUAL, Effort, Summary, execute
from orchestrator.execution.progress import NOBODY, Compiling, Listener, Progress
from orchestrator.runs import run_list as run_lists
from orchestrator.runs.manifest import AIR_FILE
from orchestrator.runs.run_list import RunList
from orchestrator.runs.store import Store
from orchestrator.scenario.model import Scenario
from orchestrator.words import counted

if TYPE_CHECKING:  # pyarrow takes long to load
    from orchestrate_spark.metrics.model import Metric
    from orchestrate_spark.metrics.own import Own


@dataclass(frozen=True)
class Result:
    """The result of `run`.

    `folder`: the experiment's, in the store. `report`: the page, None if none was made. `seconds`: wall time
    by step. `metric_faults`: why metrics of the user's own are missing from the report. `damaged`: ids of
    runs whose stored log is not the one that the run wrote; the report counts them and doesn't use them.
    `measured`: whether there are metrics.
    """

    experiment: str
    folder: Path
    summary: Summary
    report: Path | None
    seconds: dict[str, float]
    metric_faults: tuple[Fault, ...] = ()
    damaged: tuple[str, ...] = ()
    measured: bool = False


def run(
    scenario: Scenario,
    store: Path,
    effort: Effort = USUAL,
    *,
    report: bool = True,
    page: bool = True,
    cflags: str = "",
    master: str | None = None,
    cluster: Cluster | None = None,
    told: Listener = NOBODY,
) -> Result:
    """Make a scenario's runs, metrics and report; nothing that the store has is made again.

    `report`: compute metrics and write the page; without `page` compute the metrics only. `cflags`: further
    compiler flags for firmware; the runs then have other ids. `master`: what computes tables and metrics
    (orchestrate_spark.engines; None: what the scenario says, else the quickest here). `cluster`: the one that
    makes the runs as well. Finished runs are kept whatever happens. Raises every class of errors.py.
    """
    seconds: dict[str, float] = {}
    store = Path(store)
    folder = Store(store).experiment(scenario.experiment)
    own = own_metrics(scenario.metrics) if report else []  # before hours of simulation, not after them
    if cluster is not None:
        master = cluster.spark
    spark = _Spark(master, scenario.spark, told) if report else None
    with _timed(seconds, "plan"), cache.watched(Compiling(told.stage)):
        planned = plan.prepare(scenario, store, cflags=cflags, say=told.say, show=told.line)
    with Store(store).working(scenario.experiment, told.say):
        with _timed(seconds, "simulate"):
            summary = _simulate(planned, store, effort, cluster, spark, told)
        keep(planned, store, summary.run_ids)
        _keep_records(scenario, Store(store), summary, told)
        written, metric_faults, damaged = None, (), ()
        measured = spark is not None and summary.measured()
        if measured:
            written, metric_faults, damaged = _analyse(
                folder, summary.run_ids, own, spark, page, told, seconds
            )
    return Result(scenario.experiment, folder, summary, written, seconds, metric_faults, damaged, measured)


def _simulate(
    planned: plan.Plan,
    store: Path,
    effort: Effort,
    cluster: Cluster | None,
    spark: _Spark | None,
    told: Listener,
) -> Summary:
    """Make the runs; Apache Spark starts beside them if it is wanted, unless it makes them itself."""

    def shown(progress: Progress) -> None:
        if spark is not None and cluster is None and progress.done < progress.total:
            spark.start(told.say)
        told.runs(progress)

    summary = execute(
        planned.specs(),
        planned.total,
        planned.engines if cluster is None else cluster.engines(planned.engines, store),
        Store(store),
        planned.scenario.experiment,
        effort if cluster is None else replace(effort, workers=1),  # its tasks are the workers
        shown,
    )
    if cluster is not None and cluster.through is not None:
        cluster.close()  # its machines don't see the tables
    return summary


def _keep_records(scenario: Scenario, store: Store, summary: Summary, told: Listener) -> None:
    """Make again the runs whose record of the air is missing.

    It is missing of runs that were made before it was wanted, or by another engine than the embedded one.
    """
    from orchestrator.execution import again

    wanted = {cell.name for cell in scenario.cells if AIR_FILE in cell.record}
    if not wanted:
        return
    failed = {failure.run_id for failure in summary.failures}
    for run_id in summary.run_ids:
        run = store.folder(scenario.experiment, run_id)
        if run_id in failed or (run / AIR_FILE).is_file():
            continue
        manifest = store.manifest(scenario.experiment, run_id)
        if manifest.cell not in wanted:
            continue
        try:
            again.air(run, manifest, told.stage)
        except (Unsupported, RunFailed, NoSuchThing) as error:
            told.say(f"no record of the air of {manifest.cell} seed {manifest.seed}: {error}")


def results(
    experiment: str,
    metrics: Sequence[str],
    store: Path,
    run_ids: Sequence[str],
    *,
    page: bool = True,
    master: str | None = None,
    file: str | None = None,
    told: Listener = NOBODY,
) -> tuple[Path | None, tuple[Fault, ...], tuple[str, ...]]:
    """Make the tables, metrics and report of runs that are in the store, one of them at least ok.

    `metrics`: the user's own, as a scenario names them. `master`: as in `run`. `file`: what the campaign's or
    the scenario's file says of it. Returns the report, faults of the user's own metrics, and the runs whose
    logs are damaged. Raises what `run` raises.
    """
    own = own_metrics(metrics)
    folder = Store(store).experiment(experiment)
    with Store(store).working(experiment, told.say):
        return _analyse(folder, run_ids, own, _Spark(master, file, told), page, told, {})


def _analyse(
    folder: Path,
    run_ids: Sequence[str],
    own: list[Own],
    spark: _Spark,
    page: bool,
    told: Listener,
    seconds: dict[str, float],
) -> tuple[Path | None, tuple[Fault, ...], tuple[str, ...]]:
    from orchestrator.report import current

    digests = [f"{one.given} {one.digest}" for one in own]
    with _timed(seconds, "report"):
        found = current.find(folder, digests) if page else None
    if found is not None:
        for line in found.said:
            told.say(line)
        return found.page, (), found.damaged
    said: list[str] = []

    def say(line: str) -> None:
        said.append(line)
        told.say(line)

    written = None
    from orchestrate_spark.errors import NoSpark

    try:
        with _timed(seconds, "ingest"):
            damaged = _ingest(spark, folder, run_ids, replace(told, say=say))
        with _timed(seconds, "metrics"):
            told.stage("computing metrics")
            faults = spark.compute(folder, run_ids, own, lambda *far: told.stage("computing metrics", *far))
    except NoSpark as error:
        raise MissingTool(
            f"{error}\n    the runs are kept; the same command goes on from there, or use --no-report"
        ) from error
    if page:
        with _timed(seconds, "report"):
            told.stage("loading the report's libraries")
            from orchestrator.report import page as pages

            written = pages.write(folder.parent, folder.name, stage=told.stage)
            if not faults:  # which are said by each call
                current.keep(folder, said, damaged, digests)
    return written, faults, damaged


def keep(planned: plan.Plan, store: Path, run_ids: Sequence[str]) -> None:
    """Make these runs, in the plan's order, the present run list of their experiment."""
    scenario, tree = planned.scenario, planned.tree
    applications = (cell.application for cell in scenario.cells)
    own = {one.name: one.folder for one in applications if one.folder}
    where = None if tree is None else str(tree.folder)
    planned_runs = RunList(scenario.experiment, tuple(run_ids), own, where)
    folder = Store(store).experiment(scenario.experiment)
    run_lists.keep(folder, planned_runs, scenario.source)
    keep_extra(scenario, folder)


def keep_extra(scenario: Scenario, folder: Path) -> None:
    """Put what features read of a scenario into the experiment's folder, for its tables and metrics."""
    for each in feature.features():
        there = any((folder / name).exists() for name in each.experiment_files)
        for key, module in each.scenario_keys.items():
            if there or key in scenario.extra:  # otherwise a run need not import what reads the key
                feature.resolve(module).keep(scenario.extra.get(key), folder)


def declared_metrics(scenario: Scenario) -> dict[str, Metric]:
    """Return the declarations of the metrics that keys of a scenario bring."""
    found: dict[str, Metric] = {}
    for key, value in scenario.extra.items():
        found |= feature.resolve(feature.find("scenario_keys", key)).metrics(value)
    return found


def _ingest(spark: _Spark, folder: Path, run_ids: Sequence[str], told: Listener) -> tuple[str, ...]:
    """Write the tables of the logs; return the ids of these runs whose logs are damaged."""
    if spark.starting():
        told.stage("starting Apache Spark")
    spark.ready()
    told.stage("ingesting the logs")
    left_out = spark.ingest(
        folder, lambda done, total: told.stage("ingesting the logs", done, total, "batches")
    )
    ours = set(run_ids)
    damaged = tuple(run for run in left_out if run in ours)
    _say_left_out(folder, damaged, told.say)
    _say_damage(folder, run_ids, told.say)
    _say_undone(folder, run_ids, told.say)
    for said in feature.listed("after_tables"):
        for sentence in said(folder, run_ids):
            told.say(sentence)
    return damaged


def own_metrics(given: Sequence[str]) -> list[Own]:
    """Load the user's own metrics, which runs their code. Raises FaultyInput with all their faults."""
    if not given:
        return []
    from orchestrate_spark.metrics import own

    return own.load(given, Path())


def _say_damage(folder: Path, run_ids: list[str], say: Callable[[str], None]) -> None:
    """Say how many damaged lines the logs of these runs have, by reason."""
    from orchestrate_spark.load import load

    ours = set(run_ids)
    rows = [row for row in load(folder, "arrow", ["damage"])["damage"].to_pylist() if row["run_id"] in ours]
    counts: dict[str, int] = {}
    for row in rows:
        counts[row["reason"]] = counts.get(row["reason"], 0) + row["count"]
    if counts:
        listed = ", ".join(
            f"{count} {reason}" for reason, count in sorted(counts.items(), key=lambda item: -item[1])
        )
        say(
            f"damaged lines in the logs of {counted(len({row['run_id'] for row in rows}), 'run')}: {listed}; "
            f"`orchestrate ingest {folder.name}` shows them"
        )


def _say_undone(folder: Path, run_ids: list[str], say: Callable[[str], None]) -> None:
    """Say how many merges were undone because the merge function broke its contract."""
    import pyarrow.compute as pc
    from orchestrate_spark.load import load

    counters = load(folder, "arrow", ["counters"])["counters"]
    ours = set(run_ids)
    # Comparing with a text would have pyarrow ask pandas what it is, which takes half a second to load.
    named = counters.filter(pc.match_substring(counters["name"], pattern="merges_undone")).to_pylist()
    undone = [row for row in named if row["run_id"] in ours and (row["value"] or 0) > 0]
    undone.sort(key=lambda row: (row["run_id"], row["mote"]))
    if undone:
        first = undone[0]
        say(
            f"{counted(sum(row['value'] for row in undone), 'merge')} undone in "
            f"{counted(len({row['run_id'] for row in undone}), 'run')}: the merge function broke its "
            f"contract (it may change the stored event's data alone, to data of the same length)\n"
            f"    first at mote {first['mote']} of run {first['run_id'][:12]}; its log has a warning for each"
        )


def _say_left_out(folder: Path, run_ids: Iterable[str], say: Callable[[str], None]) -> None:
    from orchestrate_spark.jobs.ingest import REMEDY

    for run_id in run_ids:
        say(
            f"the log of run {run_id} is not what the run wrote (its SHA-256 is not that of the manifest): "
            "it is left out\n"
            f"    {REMEDY.format(experiment=folder.name, run=run_id)}"
        )


@contextmanager
def _timed(seconds: dict[str, float], step: str) -> Iterator[None]:
    started = time.monotonic()
    yield
    seconds[step] = round(time.monotonic() - started, 3)


class _Spark:
    """The engine that makes tables and metrics: its session starts when there is something to compute.

    Apache Spark, if somebody chose it, starts while simulations run, because its JVM takes seconds.
    """

    def __init__(self, master: str | None, file: str | None, told: Listener) -> None:
        from orchestrate_spark.engines import Sessions

        self._sessions = Sessions(master, lambda engine: told.stage(f"starting {engine}"), told.say, file)
        self._error: BaseException | None = None
        self._thread: threading.Thread | None = None
        self._checked = False

    def start(self, say: Callable[[str], None]) -> None:
        """Say once, and not after hours of simulation, if the engine can't run here; start Apache Spark."""
        if self._checked:
            return
        self._checked = True
        from orchestrate_spark.errors import NoSpark

        try:
            self._sessions.need()
        except NoSpark as error:
            self._error = error
            say(f"the runs are made and kept, but there will be no report: {error}")
            return
        if self._sessions.spreads:
            self._thread = threading.Thread(target=self._session, name="spark-session", daemon=True)
            self._thread.start()

    def _session(self) -> None:
        try:
            self._sessions()
        except BaseException as error:  # noqa: BLE001 - raised again in ready()
            self._error = error

    def starting(self) -> bool:
        """Say whether the session is still being started."""
        return self._thread is not None and self._thread.is_alive()

    def ready(self) -> None:
        """Wait for the session, if one was started. Raises MissingTool if the engine can't run here."""
        if self._thread is not None:
            self._thread.join()
        if self._error is not None:
            raise self._error

    def ingest(self, folder: Path, told: Callable[[int, int], None]) -> list[str]:
        """Write the tables; return the ids of runs left out because of their logs. `told` gets progress."""
        from orchestrate_spark.jobs.ingest import ingest

        return [Path(bad.folder).name for bad in ingest(folder, self._sessions, told=told).damaged]

    def compute(
        self, folder: Path, run_ids: list[str], own: Sequence, told: Callable[[int, int, str], None]
    ) -> tuple[Fault, ...]:
        """Compute the metrics of these runs; return the faults of the user's own metrics."""
        from orchestrate_spark.jobs.metrics import compute

        return compute(folder, run_ids=run_ids, spark=self._sessions, own=own, told=told).failed
