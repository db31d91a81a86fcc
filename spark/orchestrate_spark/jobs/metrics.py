# SPDX-License-Identifier: Apache-2.0
"""Computes metrics from tables: `python -m orchestrate_spark.jobs.metrics FOLDER...`, also by spark-submit.

It writes metrics/per_run (experiment, cell, seed, run_id, metric, key, value) and metrics/summary, with
sorted rows. If a cell and seed have several runs (of older firmware, say), the newest counts; runs that did
not end well don't count. The built-in metrics are computed of the runs that are new or have changed
(increment.py), a user's own ones of all runs, because their values may depend on any of them.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow import parquet

from orchestrate_spark import code, embedded, engines, schema_version, snapshot, sources
from orchestrate_spark.errors import Fault, FaultyCode, NoRuns, OrchestrateError, TablesFailed
from orchestrate_spark.experiment import UNKNOWN
from orchestrate_spark.jobs import increment
from orchestrate_spark.jobs.computation import PER_RUN, SUMMARY, TABLES, USUAL, Told, Work, write
from orchestrate_spark.jobs.usual import BASIS, CELLS, Usual, damage_of_tables
from orchestrate_spark.metrics import families, modules
from orchestrate_spark.metrics import own as own_metrics
from orchestrate_spark.metrics.model import Family, Metric
from orchestrate_spark.own_code import MEND, Own, line_in
from orchestrate_spark.tables import COLUMNS, every, schema

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAME = "metrics"
COUNTED = ("ok", UNKNOWN)  # outcomes of runs that count
EARLIER = " of earlier runs"  # in ENGINES, after the beginning of the files' names
OWN_MADE_OF = tuple(f"metrics.{name}" for name in ("model", "inputs", "owed", "summary", "own"))
SOURCE = "source"  # in the index, of a family that is not the user's own: the source that declares it
ENGINES = "engines"  # in the index: which engine computed the files that begin so (engines.describe)


def _untold(done: int, total: int, what: str) -> None:
    """Ignore progress, for callers that gave no Told."""


@dataclass(frozen=True)
class Computed:
    """The result of computing metrics.

    `runs`: number of runs that count; `own`: the user's own families that are in metrics/ now; `dropped`:
    those that were removed; `failed`: the faults of those that failed, each with its file and line.
    """

    runs: int
    own: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    failed: tuple[Fault, ...] = ()


def compute(
    experiment: str | Path,
    run_ids: Iterable[str] | None = None,
    spark: Callable | None = None,
    own: Sequence[Own] | None = None,
    told: Told | None = None,
) -> Computed:
    """Bring EXPERIMENT/metrics up to date with its tables.

    `run_ids`: count only these runs (a scenario's present ones). `spark`: makes the session, called only if
    there is something to compute (default: engines.Sessions). `own`: the user's own metrics (metrics/own.py),
    exactly these; None keeps those whose values still hold. If one fails, all others are computed. `told` is
    called with the progress. Raises NoRuns, NoSpark, TablesFailed.
    """
    folder = Path(experiment)
    held = snapshot.index(folder, "tables")
    tables = held.get("identity", "")
    asked = _digest(tables, None if run_ids is None else sorted(run_ids))
    index = snapshot.index(folder, NAME)
    same = bool(tables) and index.get("asked") == asked and isinstance(index.get("runs"), list)
    chosen = None if same else choose(folder, run_ids)
    ids = index["runs"] if chosen is None else sorted(chosen)
    made_of = (f"metrics.{name}" for name in modules() if name != "own")
    built_in = code.digest((*code.METRICS, *made_of))
    identity = _digest(tables, built_in, ids)
    own_base = _digest(tables, code.digest((*code.METRICS, *OWN_MADE_OF)), ids)
    declared = _declared(folder)
    with snapshot.writing(folder, NAME):

        def runs() -> dict[str, tuple[str, str]]:
            return choose(folder, run_ids) if chosen is None else chosen

        made_by = _digest(held.get("code"), built_in)
        return _update(
            folder, runs, ids, asked, identity, made_by, own_base, declared, own, spark, told or _untold
        )


def _declared(folder: Path) -> list[Own]:
    """Return the metrics that the settings of the experiment's sources declare."""
    found = []
    for name, settings in sources.in_effect(folder).items():
        source = sources.found()[name]
        if (family := source.family_of(settings)) is not None:
            found.append(Own(name, f"{folder}: {name}", _digest(source.version(settings)), family))
    return found


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:20]


def _update(
    folder: Path,
    chosen: Callable[[], dict[str, tuple[str, str]]],
    ids: Sequence[str],
    asked: str,
    identity: str,
    made_by: str,
    own_base: str,
    declared: Sequence[Own],
    own: Sequence[Own] | None,
    spark: Callable | None,
    told: Told,
) -> Computed:
    held = own_in(folder)
    of_sources = {one.value.name: one.given for one in declared}
    gone = {name for name, entry in held.items() if entry.get(SOURCE)} - set(of_sources)
    intact = snapshot.intact(folder, NAME)
    wanted = {one.value.name: _digest(own_base, one.digest) for one in (*declared, *(own or ()))}

    index = snapshot.index(folder, NAME)
    files = index.get(snapshot.DIGESTS, {})

    def files_of(stem: str) -> list[str]:
        """Return the files of the built-in metrics, which may be many, or the two of an own metric."""
        begins = tuple(f"{table}/{stem}{end}" for table in TABLES for end in (".parquet", "-"))
        return [file for file in files if file.startswith(begins)]

    def whole(stem: str) -> bool:
        named = files_of(stem)
        return intact.issuperset(named) and {Path(file).parent.name for file in named} == set(TABLES)

    kept = {
        name: entry
        for name, entry in held.items()
        if (
            entry.get("base") == own_base
            if own is None and name not in of_sources
            else entry.get("identity") == wanted.get(name)
        )
        and name not in gone
        and whole(f"own-{name}")
    }
    todo = [one for one in (*declared, *(own or ())) if one.value.name not in kept]
    usual = index.get("built_in") != identity or not whole(USUAL)
    flaws: list[Fault] = []
    if usual or todo or set(kept) != set(held):
        new = snapshot.draft(folder, NAME)
        stems = ([] if usual else [USUAL]) + [f"own-{name}" for name in kept]
        for file in (file for stem in stems for file in files_of(stem)):
            snapshot.keep(folder / NAME, new, file)
        before_engines = engines_in(folder)
        by = {of: engine for of, engine in before_engines.items() if of.partition(EARLIER)[0] in stems}
        state = {key: index[key] for key in (BASIS, CELLS) if key in index}
        todo_usual = None
        if usual:
            before = increment.Basis.of(index.get(BASIS)) if whole(USUAL) else None
            todo_usual = Usual.of(folder, chosen(), made_by, before, index.get(CELLS))
        made = False  # also of what is there already, if its file was damaged
        for family, engine in _compute(folder, new, chosen(), spark, todo_usual, todo, flaws, told):
            made = True
            by[_stem(family)] = engine
            if family is not None:
                name = family.value.name
                kept[name] = {"base": own_base, "identity": wanted[name], **_described(family)}
                if name in of_sources:
                    kept[name][SOURCE] = of_sources[name]
            elif todo_usual is not None:
                state = todo_usual.state(folder)
                if todo_usual.what.runs is not None:
                    by |= _earlier(before_engines, engine)
        if made or kept != held:
            identity_now = _digest(
                identity, sorted((name, entry["identity"]) for name, entry in kept.items())
            )
            content = {"built_in": identity, "own": kept, "runs": ids, "asked": asked, ENGINES: by}
            snapshot.publish(folder, NAME, new, identity_now, {**state, **content})
    ours = set(of_sources) | gone
    return Computed(
        len(ids),
        tuple(sorted(set(kept) - ours)),
        tuple(sorted(set(held) - set(kept) - ours)),
        tuple(flaws),
    )


def _earlier(before: dict[str, dict], engine: dict[str, str]) -> dict[str, dict]:
    """Return the records of the other engines that computed built-in metrics of earlier runs."""
    others = [of for stem, of in before.items() if stem.partition(EARLIER)[0] == USUAL and of != engine]
    return {f"{USUAL}{EARLIER} {number}": of for number, of in enumerate(others, 1)}


def _described(own: Own) -> dict:
    metrics = {name: asdict(metric) for name, metric in own.value.declared.items()}
    return {"given": own.given, "sha256": own.digest, "metrics": metrics}


def engines_in(experiment: Path) -> dict[str, dict[str, str]]:
    """Return which engine computed the metrics in EXPERIMENT/metrics, by the beginning of their files' names.

    It is described as engines.describe does. Stores of earlier versions don't say.
    """
    found = snapshot.index(experiment, NAME).get(ENGINES)
    return found if isinstance(found, dict) else {}


def computed_by(experiment: Path) -> str:
    """Return the engines that computed the metrics in EXPERIMENT/metrics; empty if they don't say."""
    return ", ".join(sorted({engines.in_words(one) for one in engines_in(experiment).values()} - {""}))


def own_in(experiment: Path) -> dict[str, dict]:
    """Return the user's own families in EXPERIMENT/metrics by name.

    Each has the path or entry point `given`, the `sha256` of the source, and its `metrics`.
    """
    own = snapshot.index(experiment, NAME).get("own")
    return own if isinstance(own, dict) else {}


def own_metrics_in(experiment: Path) -> dict[str, Metric]:
    """Return the declarations of the user's own metrics in EXPERIMENT/metrics, by name."""
    found = {}
    for family in own_in(experiment).values():
        of = Family(
            family.get("name", ""), None, family["metrics"], family.get("histograms", ())
        )  # stores of earlier versions have the short forms
        found |= of.declared
    return found


def choose(experiment: Path, run_ids: Iterable[str] | None = None) -> dict[str, tuple[str, str]]:
    """Return (experiment, cell) by run id for the runs that count. Raises NoRuns, TablesFailed."""
    import pyarrow.compute as pc

    schema_version.check(experiment)
    files = sorted((experiment / "tables" / "runs").glob("*.parquet"))
    if not files:
        raise NoRuns(f"{experiment}: no tables in it\n    ingest its runs first")
    columns = ["experiment", "cell", "seed", "run_id", "outcome", "finished"]
    wanted = pa.schema([field for field in schema("runs") if field.name in columns])
    with damage_of_tables(experiment):
        parts = [
            parquet.read_table(file, columns=columns, schema=wanted, page_checksum_verification=True)
            for file in files
        ]
    rows = pa.concat_tables(parts)
    rows = rows.filter(pc.is_in(rows["outcome"], pa.array(COUNTED, pa.string())))
    if run_ids is not None:
        rows = rows.filter(pc.is_in(rows["run_id"], pa.array(list(run_ids), pa.string())))
    rows = rows.set_column(
        rows.column_names.index("finished"),
        "finished",
        pc.fill_null(rows["finished"], pa.scalar("", pa.string())),
    ).sort_by([("finished", "ascending"), ("run_id", "ascending")])
    newest = rows.group_by(["experiment", "cell", "seed"], use_threads=False).aggregate([("run_id", "last")])
    cells = zip(newest["experiment"].to_pylist(), newest["cell"].to_pylist())
    return dict(zip(newest["run_id_last"].to_pylist(), cells))


def _compute(
    folder: Path,
    new: Path | None,
    chosen: dict[str, tuple[str, str]],
    spark: Callable | None,
    usual: Usual | None,
    own: Sequence[Own],
    flaws: list[Fault],
    told: Told,
) -> Iterator[tuple[Own | None, dict[str, str]]]:
    """Write the tables of the built-in metrics, as `usual` says, into the draft `new`, then own ones'.

    Yields None or the own metric, with the record of the engine, after each. An own metric that fails is left
    out, and its flaws are added to `flaws`.
    """
    if not chosen or not (usual or own):
        for one in ([None] if usual else []) + list(own):
            _written(new, _stem(one), PER_RUN.empty_table(), SUMMARY.empty_table())
            yield one, {}
        return
    from pyspark.errors import PySparkException

    sessions = spark if spark is not None else engines.Sessions()
    what = increment.Increment(None) if usual is None else usual.what

    def rows_of(batches: Iterable[str] | None) -> dict[str, int]:
        return {table: engines.rows_in(folder / "tables" / table, batches) for table in every()}

    there = rows_of(what.batches)
    asked = [one for one in families() if not one.of or any(there[of] for of in one.of)]
    # Tables of sources count only if something is computed from them: a frame has ten rows of receptions.
    taken = set(COLUMNS).union(*(one.of for one in asked), *(one.value.of for one in own))
    counted = rows_of(None) if own and what.batches is not None else there
    rows = sum(counted[table] for table in taken)
    if what.runs is not None:  # the summary is over the values of all runs
        rows = max(rows, engines.rows_in(folder / NAME / "per_run"))
    held = {
        name: batch["runs"] for name, batch in snapshot.index(folder, "tables").get("batches", {}).items()
    }
    with ExitStack() as afterwards:

        def begin(session: SparkSession) -> Work:
            return afterwards.enter_context(Work(session, folder, new, chosen, held, rows, told).ready())

        try:
            work = begin(sessions(rows) if isinstance(sessions, engines.Sessions) else sessions())
            if usual is not None:
                try:
                    work.built_in(asked, usual.what, usual.cells)
                except PySparkException as error:
                    if not embedded.is_embedded(work.session) or not engines.lacks(error):
                        raise
                    other = _instead(sessions, "the built-in metrics", error)
                    if other is None:
                        raise TablesFailed(engines.without("the built-in metrics", error)) from error
                    work = begin(other)
                    work.built_in(asked, usual.what, usual.cells)
                yield None, engines.describe(work.session)
            for one in own:
                try:
                    engine = own_metrics.computed(one, lambda one=one: _own(work, begin, sessions, one))
                except FaultyCode as faulty:
                    flaws += faulty.faults
                else:
                    yield one, engine
        except PySparkException as error:
            said = str(error).strip().splitlines()[:3]
            by = "The embedded engine" if embedded.is_embedded(work.session) else "Spark"
            raise TablesFailed(f"{by} could not compute the metrics:\n    " + "\n    ".join(said)) from error


def _instead(sessions: Callable, what: str, error: BaseException) -> SparkSession | None:
    """Return Apache Spark's session for what the embedded engine can't do, if it may do that."""
    return sessions.instead(what, error) if isinstance(sessions, engines.Sessions) else None


def _own(work: Work, begin: Callable, sessions: Callable, own: Own) -> dict[str, str]:
    """Compute a metric of the user's own; return the record of the engine that did."""
    from pyspark.errors import PySparkException

    try:
        work.own(own)
        return engines.describe(work.session)
    except (PySparkException, FaultyCode) as error:
        cause = error.__cause__ if isinstance(error, FaultyCode) else error
        what = f"metric {own.value.name}"
        line = line_in(cause or error, own.file) or own_metrics.line_of(own)
        if not embedded.is_embedded(work.session) or not engines.lacks(cause):
            if not isinstance(error, PySparkException) or not embedded.is_connect(work.session):
                raise
            # The protocol says what is wrong when the rows are asked for, and no more in which line.
            said = f"{what} raises {type(error).__name__}: {engines.reason(error)}"
            raise FaultyCode.of(own.file, line, said, MEND) from error
        other = _instead(sessions, what, cause)
        if other is None:
            said, remedy = engines.without(what, cause).split("\n    ", 1)
            raise FaultyCode.of(own.file, line, said, remedy) from cause
    work = begin(other)
    work.own(own)
    return engines.describe(work.session)


def _stem(own: Own | None) -> str:
    return USUAL if own is None else f"own-{own.value.name}"


def _written(new: Path, stem: str, per_run: pa.Table, summary: pa.Table) -> None:
    for table, rows in zip(TABLES, (per_run, summary)):
        write(rows, TABLES[table], new / table / f"{stem}.parquet")


def main(argv: list[str] | None = None) -> int:
    """Compute the metrics of the experiments that the command line names; return the exit code."""
    parser = argparse.ArgumentParser(prog="metrics", description=__doc__.splitlines()[0])
    parser.add_argument("experiment", nargs="+", help="experiment folder, which holds tables/")
    parser.add_argument("--master", help="Spark master's URL (default: this machine's cores)")
    parser.add_argument(
        "--metric",
        action="append",
        metavar="FILE.py|NAME",
        help="a metric of your own, by file or entry point; it is run (default: those that are there stay)",
    )
    args = parser.parse_args(argv)
    sessions = engines.Sessions(args.master)
    failed: list[Fault] = []
    try:
        own = None if args.metric is None else own_metrics.load(args.metric, Path())
        for folder in args.experiment:
            done = compute(folder, spark=sessions, own=own)
            print(
                f"{folder}: metrics of {done.runs} runs"
                + (f", own: {', '.join(done.own)}" if done.own else "")
            )
            failed += done.failed
    except OrchestrateError as error:
        print(f"metrics: {error}", file=sys.stderr)
        return 1
    for flaw in failed:
        print(f"metrics: {flaw}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
