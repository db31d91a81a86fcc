# SPDX-License-Identifier: Apache-2.0
"""Text to typed, sorted Parquet: ingestion beside DuckDB on the same logs and cores; metrics of 10,000 runs.

Logs are those of real runs of an aggregation chain, copied and renumbered: 10 million records in few large
runs and in 10,000 small ones, and 10,000 runs without a trace for the metrics. DuckDB checks less: it does
not hash logs, and does not say which lines are damaged. Imports are left out; the start of the engine of
metrics is not.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from orchestrator.execution import pipeline
from orchestrator.scenario.load import loads
from tools.bench.row import Row, Skipped

CHAIN = """
experiment: NAME
topology: {shape: chain, publishers: 5, spacing: 5 m}
radio: {medium: udgm, range: 50 m, interference: 100 m, tx: 100 %, rx: 95 %}
application: {name: aggregation, rate: RATE, aggregate: true}
duration: DURATION
seeds: 1..4
trace: TRACE
"""
RECORDS, SMALL = 10_000_000, 1_000  # records together, and of a small run
RUNS = 10_000
# One process each, so that the cores are its own choice; it prints seconds.
JOB = """
import sys, time
from orchestrate_spark.jobs.ingest import ingest
from orchestrate_spark.jobs.metrics import compute
from orchestrate_spark.engines import Sessions
what, folder, cores, only = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:] or None
sessions = Sessions()
began = time.monotonic()
if what == "ingest":
    ingest(folder, sessions, cores=cores)
else:
    compute(folder, only, spark=sessions)
print(time.monotonic() - began)
"""
_EVENTS = (
    "list_transform(string_split(f[{0}], '+'), lambda e: {{"
    "'publisher': try_cast(split_part(e, '.', 1) as integer), "
    "'sequence': try_cast(split_part(e, '.', 2) as bigint)}})"
)
_INT = "try_cast(f[{}] as bigint) as {}"


def rows(folder: Path, seeds: str) -> Iterator[Row | Skipped]:
    logs = folder / "logs"
    traced = _runs(logs, "traced", "high", "15 min", "true")
    lines = sum(1 for _ in open(traced[0] / "COOJA.testlog", "rb"))
    few = _copied(traced, logs / "few", RECORDS // lines)
    many = _copied(traced, logs / "many", RECORDS // SMALL, SMALL)
    for what, store in (("few large runs", few), (f"{RECORDS // SMALL:,} small runs", many)):
        here = _job("ingest", store, 2)
        if find_spec("duckdb") is None:
            yield Skipped(
                f"10 million records, {what}: time over DuckDB's", "no duckdb: pip install -e '.[bench]'"
            )
        else:
            yield Row(
                f"10 million records, {what}: time over DuckDB's", here / _duckdb(store, 2), "times", 1.0
            )
        yield Row("  ingested in", here, "s")
        alone = _job("ingest", store, 1)
        yield Row("  two workers' speed over one's", alone / here, "times", 1.7, at_least=True)
        shutil.rmtree(store)
    plain = _runs(logs, "plain", "low", "30 min", "false")
    store = _copied(plain, logs / "measured", RUNS)
    _job("ingest", store, 2)
    yield Row(f"metrics of {RUNS:,} runs on two cores", _job("metrics", store, 2), "s", 20.0)
    every = sorted(os.listdir(store / "runs"))
    _job("metrics", store, 2, every[:-4])
    yield Row("  with four runs more", _job("metrics", store, 2, every, anew=False), "s", 5.0)
    shutil.rmtree(logs)


def _runs(store: Path, name: str, rate: str, duration: str, trace: str) -> list[Path]:
    """Folders of real runs."""
    text = CHAIN.replace("NAME", name).replace("RATE", rate).replace("DURATION", duration)
    pipeline.run(loads(text.replace("TRACE", trace), f"{name}.yaml"), store, report=False)
    return sorted((store / name / "runs").iterdir())


def _copied(runs: list[Path], experiment: Path, count: int, lines: int | None = None) -> Path:
    """An experiment of so many copies, each of `lines`: a run's beginning, and what its motes dumped."""
    logs = [_cut((run / "COOJA.testlog").read_bytes(), lines) for run in runs]
    manifests = [json.loads((run / "manifest.json").read_text()) for run in runs]
    for number in range(count):
        log, manifest = logs[number % len(logs)], manifests[number % len(logs)]
        run_id = hashlib.sha256(b"%d" % number).hexdigest()[:20]
        folder = experiment / "runs" / run_id
        folder.mkdir(parents=True)
        (folder / "COOJA.testlog").write_bytes(log)
        told = {"run_id": run_id, "seed": number + 1, "experiment": experiment.name}
        told |= {"cell": f"{manifest['cell']}{number % 10}", "log_sha256": hashlib.sha256(log).hexdigest()}
        (folder / "manifest.json").write_text(json.dumps(manifest | told))
    return experiment


def _cut(log: bytes, lines: int | None) -> bytes:
    if lines is None:
        return log
    every = log.split(b"\n")[:-1]
    dump = every[next(at for at, line in enumerate(every) if b"!run,stop" in line) :]
    return b"\n".join(every[: lines - len(dump)] + dump) + b"\n"


def _job(what: str, experiment: Path, cores: int, only: Sequence[str] = (), anew: bool = True) -> float:
    """Seconds of a job, of these runs only; `anew`: what it has made before is removed."""
    made = experiment / ("tables" if what == "ingest" else "metrics")
    if anew:
        made.unlink(missing_ok=True)
        shutil.rmtree(experiment / f".{made.name}", ignore_errors=True)
    command = [sys.executable, "-c", JOB, what, str(experiment), str(cores), *only]
    cpus = sorted(os.sched_getaffinity(0))[:cores]
    ran = subprocess.run(
        command,
        check=True,
        capture_output=True,
        text=True,
        preexec_fn=lambda: os.sched_setaffinity(0, cpus),
    )
    return float(ran.stdout.split()[-1])


def _duckdb(experiment: Path, cores: int) -> float:
    """Seconds that DuckDB takes for the same rows of the tables that these logs fill."""
    import duckdb

    out = experiment / "duckdb"
    out.mkdir()
    began = time.monotonic()
    database = duckdb.connect()
    database.execute(f"set threads={cores}")
    database.execute(
        "create table runs as select experiment, cell, seed, run_id from read_json("
        f"'{experiment}/runs/*/manifest.json', "
        "columns={experiment: 'varchar', cell: 'varchar', seed: 'bigint', run_id: 'varchar'})"
    )
    database.execute(
        "create table lines as select parse_path(filename)[-2] as run_id, row_number() over () as line, "
        "try_cast(t as bigint) as time_us, try_cast(substr(who, 4) as bigint) as mote, "
        "string_split(substr(text, 2), ',') as f "
        f"from read_csv('{experiment}/runs/*/COOJA.testlog', delim='\\t', header=false, quote='', escape='', "
        "columns={t: 'varchar', who: 'varchar', text: 'varchar'}, null_padding=true, filename=true, "
        "auto_detect=false) where text like '!%'"
    )
    for name, (kinds, columns) in _TABLES.items():
        listed = ", ".join(f"'{kind}'" for kind in kinds)
        database.execute(
            f"copy (select r.experiment, r.cell, r.seed, r.run_id, time_us, mote, {columns} "
            f"from lines l join runs r using (run_id) where f[1] in ({listed}) "
            f"order by r.cell, r.seed, r.run_id, line) to '{out}/{name}.parquet' "
            "(format parquet, compression zstd)"
        )
    database.close()
    seconds = time.monotonic() - began
    shutil.rmtree(out)
    return seconds


def _columns(*named: str) -> str:
    """`name` of the fields in turn; a name with `:` is a text."""
    return ", ".join(
        f"f[{place}] as {name[1:]}" if name.startswith(":") else _INT.format(place, name)
        for place, name in enumerate(named, 2)
    )


def _of(kinds: str, what: str) -> str:
    listed = ", ".join(f"'{kind}'" for kind in kinds.split())
    return f"case when f[1] in ({listed}) then {what} end"


_TABLES = {
    "nodes": (("node",), _columns(":role", "index", "parent", "publishers_through")),
    "phases": (("run",), _columns(":phase", "detail")),
    "counters": (("cnt",), _columns(":name", "value")),
    "deliveries": (("from",), _columns("publisher", "events", "duplicates")),
    "aggregates": (("agg",), _columns("contributors", "count")),
    "delays": (("dly",), _columns("upper_ms", "count")),
    "states": (("nrg",), _columns(":state", "state_us")),
    "events": (
        ("pub", "snd", "rcv", "drp", "mrg", "fwd", "dlv"),
        ", ".join(
            (
                "f[1] as kind",
                f"{_of('pub snd rcv mrg fwd dlv', 'f[2]')} as subject",
                *(
                    f"{_of('pub', f'try_cast(f[{place}] as bigint)')} as {name}"
                    for place, name in ((3, "publisher"), (4, "sequence"), (5, "value"))
                ),
                f"{_of('snd rcv drp dlv', 'try_cast(f[3] as bigint)')} as peer",
                f"{_of('snd rcv drp', 'try_cast(f[4] as bigint)')} as frame",
                "case when f[1] = 'fwd' then f[3] when f[1] = 'drp' then f[2] end as reason",
                f"case when f[1] in ('snd', 'rcv') then {_EVENTS.format(5)} "
                f"when f[1] in ('fwd', 'dlv', 'mrg') then {_EVENTS.format(4)} end as events",
                f"{_of('mrg', _EVENTS.format(3))} as stored",
            )
        ),
    ),
}
