# SPDX-License-Identifier: Apache-2.0
"""Both engines compute the same, the right one is chosen, and what the embedded one lacks is said by name.

This is also the conformance suite of the embedded engine: a new version of pysail must pass it (FUNCTIONS).
"""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from orchestrate_spark import engines, metrics, open_store, session
from orchestrate_spark import functions as F
from orchestrate_spark.engines import Sessions
from orchestrate_spark.errors import NoMaster, NoSpark, TablesFailed
from orchestrate_spark.jobs import computation
from orchestrate_spark.jobs.ingest import ingest
from orchestrate_spark.jobs.metrics import compute, engines_in
from orchestrate_spark.load import load, load_metrics
from orchestrate_spark.metrics import families, own
from orchestrate_spark.tables import COLUMNS
from synthetic import Chain, write_experiment

from tests import tier
from tests.features.air.network import LISTENING, Network, beacon, zigzag
from tests.waiting import HANG_S, wait_until

pytestmark = pytest.mark.spark


def computed_by(sessions: Sessions, tables: Path, folder: Path) -> dict[str, pa.Table]:
    """Return the metrics that an engine computes from these tables."""
    folder.mkdir(parents=True)
    shutil.copytree(tables / ".tables", folder / ".tables")
    (folder / "tables").symlink_to(Path(".tables") / (tables / "tables").resolve().name)
    compute(folder, spark=sessions)
    return load_metrics(folder, "arrow")


def test_every_value_is_the_same_on_both_engines(measured, apache, tmp_path):
    there = computed_by(apache, measured, tmp_path / "exp")
    here = load_metrics(measured, "arrow")
    made = set(here["per_run"]["metric"].to_pylist())
    of_logs = [family for family in families() if not family.of or set(family.of) & set(COLUMNS)]
    assert all(made & set(family.declared) for family in of_logs), "each family has rows in these runs"
    for name in ("per_run", "summary"):
        assert here[name].num_rows > 1000 and here[name].equals(there[name])
    assert [one["name"] for one in engines_in(measured).values()] == ["Sail"]
    assert engines_in(tmp_path / "exp") == {
        "part-0": {"name": "Apache Spark", "version": "4.2.0", "master": "local[2,4]"}
    }


def test_metrics_of_the_air_are_the_same_on_both_engines(spark, apache, tmp_path):
    folder = tmp_path / "one" / "exp"
    for seed, run in enumerate(write_experiment(folder, [Chain("A"), Chain("B")], [1, 2, 3])):
        network = Network(seed)
        for mote in range(1, 9):
            network.record.item(LISTENING, 0, zigzag(mote))
        network.record.frame(1, 0, beacon(10 + seed), {2: 0, 3: 6}, 1120)
        network.free_us = 5000
        (run / "air").write_bytes(network.run())
    ingest(folder, spark)
    compute(folder, spark=spark)
    there = computed_by(apache, folder, tmp_path / "two" / "exp")
    here = load_metrics(folder, "arrow")
    wanted = {
        "pdr",
        "latency_ms",
        "link_prr",
        "air_bytes",
        "mote_energy_mj",
        "tsch_cell_frames",
        "pdr_by_flow",
    }
    assert wanted <= set(here["summary"]["metric"].to_pylist())
    assert here["per_run"].equals(there["per_run"]) and here["summary"].equals(there["summary"])


@pytest.mark.full(instead="test_every_value_is_the_same_on_both_engines compares what few rows give")
def test_values_of_many_rows_are_written_by_executors(measured, apache, tmp_path, monkeypatch):
    """With the joins and partitions that Spark chooses for many rows, and in several files."""
    for module in (session, computation):
        monkeypatch.setattr(module, "BIG", 1)
    there = computed_by(apache, measured, tmp_path / "exp")
    here = load_metrics(measured, "arrow")
    assert here["per_run"].equals(there["per_run"]) and here["summary"].equals(there["summary"])
    assert not (tmp_path / "exp" / "metrics" / "per_run" / "part-0.parquet").exists()


RUNS = st.lists(
    st.builds(
        Chain,
        st.sampled_from(["A", "B"]),
        publishers=st.integers(1, 4),
        aggregate=st.booleans(),
        events=st.integers(1, 9),
        trace=st.booleans(),
    ),
    min_size=1,
    max_size=3,
    unique_by=lambda chain: chain.name,
)


@settings(max_examples=tier.examples(4), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(chains=RUNS, seeds=st.sets(st.integers(1, 99), min_size=1, max_size=4))
def test_every_value_of_drawn_runs_is_the_same_on_both_engines(
    apache, spark, tmp_path_factory, chains, seeds
):
    folder = tmp_path_factory.mktemp("drawn")
    write_experiment(folder / "one" / "exp", chains, sorted(seeds))
    ingest(folder / "one" / "exp", spark)
    compute(folder / "one" / "exp", spark=spark)
    there = computed_by(apache, folder / "one" / "exp", folder / "two" / "exp")
    here = load_metrics(folder / "one" / "exp", "arrow")
    assert here["per_run"].equals(there["per_run"]) and here["summary"].equals(there["summary"])


@pytest.mark.parametrize(
    "query",
    [
        "select cell, count(*) n, sum(value) s from counters group by cell order by cell",
        "select cell, metric, key, mean, ci_low from summary order by cell, metric, key",
        "select run_id, mote, max(time_us) over (partition by run_id) last from events "
        "order by run_id, mote, time_us",
        "select run_id, get_json_object(parameters, '$.application.name') name from runs order by run_id",
    ],
)
def test_a_query_gives_the_same_rows_on_both_engines(measured, spark, apache, query):
    here = open_store(measured.parent, spark=spark).arrow(query)
    there = open_store(measured.parent, spark=apache).arrow(query)
    assert here.num_rows and here.to_pylist() == there.to_pylist()


# --- functions that the built-in metrics use: what each of them gives, nulls included

ROWS = pa.table(
    {
        "id": [1, 2, 3, 4],
        "run": ["a", "a", "b", "b"],
        "x": [3, None, -7, 10],
        "y": [0.5, 2.25, None, 1e300],
        "text": ["3.17", "x/y", None, ""],
        "list": [[3, 1, 2], [], None, [5]],
    }
)
FUNCTIONS = {
    "aggregate": lambda: F.aggregate("list", F.lit(0).cast("bigint"), lambda a, b: a + b),
    "array": lambda: F.array("x", F.lit(1).cast("bigint")),
    "array_repeat": lambda: F.array_repeat("text", 2),
    "array_sort": lambda: F.array_sort("list"),
    "bin": lambda: F.bin("x"),
    "ceil": lambda: F.ceil("y"),
    "coalesce": lambda: F.coalesce("x", F.lit(0)),
    "concat": lambda: F.concat("text", F.lit("!")),
    "concat_ws": lambda: F.concat_ws("/", "run", "text", "x"),
    "exists": lambda: F.exists("list", lambda value: value > 2),
    "filter": lambda: F.filter("list", lambda value: value > 2),
    "floor": lambda: F.floor("y"),
    "format_string": lambda: F.format_string("%+.1f", F.coalesce("x", F.lit(0)) / 2),
    "get": lambda: F.get("list", F.lit(1)),
    "greatest": lambda: F.greatest("x", F.lit(0)),
    "isin": lambda: F.col("run").isin(["a", "c"]),
    "isin of nothing": lambda: F.col("run").isin([]),
    "least": lambda: F.least("x", F.lit(0)),
    "lag": lambda: F.lag("x").over(F.Window.partitionBy("run").orderBy("id")),
    "length": lambda: F.length("text"),
    "nullif": lambda: F.nullif("x", F.lit(3)),
    "pow": lambda: F.pow(F.lit(2), "x"),
    "replace": lambda: F.replace("text", F.lit("/"), F.lit("_")),
    "round": lambda: F.round("y"),
    "size": lambda: F.size("list"),
    "split": lambda: F.split("text", "/"),
    "sqrt": lambda: F.sqrt("y"),
    "try_divide": lambda: F.try_divide("x", F.col("x") - 3),
    "when": lambda: F.when(F.col("x") > 0, "some").otherwise(None),
    "regexp_replace": lambda: F.regexp_replace("text", "[0-9]+$", ""),
    "decimal to text": lambda: (F.col("x") / 4).cast("decimal(20,3)").cast("string"),
    "division": lambda: F.col("x") / 3,
    "get_json_object": lambda: F.get_json_object(F.lit('{"a": {"b": 5}}'), "$.a.b"),
    "explode": lambda: F.explode("list"),
    "inline": lambda: F.inline(F.array(F.struct(F.col("x").alias("value")))),
    "lead": lambda: F.lead("x").over(F.Window.partitionBy("run").orderBy("id")),
    "sum over": lambda: F.sum("x").over(F.Window.partitionBy("run").orderBy("id")),
}
GROUPED = {
    "avg": lambda: F.avg("x"),
    "collect_list": lambda: F.array_sort(F.collect_list("x")),
    "count": lambda: F.count("y"),
    "count_if": lambda: F.count_if(F.col("x") > 0),
    "map_from_entries": lambda: F.map_from_entries(F.collect_list(F.struct("id", "x"))),
    "max": lambda: F.max("x"),
    "min": lambda: F.min("text"),
    "sum": lambda: F.sum("x"),
}


def answers(session, grouped: bool) -> dict[str, list]:
    frame = session.createDataFrame(ROWS)
    if grouped:
        made = frame.groupBy("run").agg(*(of().alias(name) for name, of in GROUPED.items())).orderBy("run")
        return {"": made.toArrow().to_pylist()}
    return {
        name: frame.select("id", of().alias("value")).orderBy("id").toArrow().to_pylist()
        for name, of in FUNCTIONS.items()
    }


@pytest.mark.parametrize("grouped", [False, True])
def test_each_function_gives_the_same_on_both_engines(spark, apache, grouped):
    here = answers(spark(), grouped)
    there = answers(apache(), grouped)
    assert here == there


def test_each_function_of_the_built_in_metrics_is_among_these():
    folder = Path(metrics.__file__).parent
    used = {
        name for file in folder.glob("*.py") for name in re.findall(r"\bF\.([a-z]\w+)\(", file.read_text())
    }
    plain = {"broadcast", "col", "expr", "lit", "struct"}
    assert used - plain <= set(FUNCTIONS) | set(GROUPED)


# --- which engine


@pytest.fixture
def heard(monkeypatch) -> list[tuple]:
    """What is started, in place of the engines."""
    started: list[tuple] = []
    monkeypatch.delenv(engines.VARIABLE, raising=False)
    monkeypatch.setattr(engines.embedded, "session", lambda url="": started.append(("connect", url)))
    monkeypatch.setattr(engines.session, "session", lambda master: started.append(("apache", master)))
    monkeypatch.setattr(engines.session, "need", lambda: None)
    return started


@pytest.mark.parametrize(
    ("option", "variable", "file", "rows", "wanted"),
    [
        (None, None, None, 1000, ("connect", "")),
        (None, None, None, engines.MOST_ROWS + 1, ("apache", None)),
        (None, None, "local[3]", 5, ("apache", "local[3]")),
        (None, "spark://h:7077", "local[3]", 5, ("apache", "spark://h:7077")),
        ("embedded", "spark://h:7077", None, engines.MOST_ROWS, ("connect", "")),
        ("sc://h:1", None, None, 5, ("connect", "sc://h:1")),
        ("local[*]", None, None, 5, ("apache", None)),
    ],
)
def test_the_option_counts_before_the_variable_before_the_file_before_the_size(
    heard, monkeypatch, option, variable, file, rows, wanted
):
    if variable:
        monkeypatch.setenv(engines.VARIABLE, variable)
    Sessions(option, file=file)(rows)
    assert heard == [wanted]


def test_a_session_starts_once_and_only_if_there_is_something_to_compute(measured):
    def refused(*_):
        raise AssertionError("nothing was to be computed")

    sessions = Sessions(before=refused, ready=refused)
    assert ingest(measured, sessions).added == () and compute(measured, spark=sessions).runs == 45


@pytest.mark.parametrize("url", ["sc://127.0.0.1:9", "sc://", "sc://h:port"])
def test_a_server_that_is_not_there_is_named_at_once(url):
    with pytest.raises(NoMaster, match=f"no Spark session at {url}: .*\n    correct --master"):
        Sessions(url)()


# --- what the embedded engine lacks

GROUPING = """
from orchestrate_spark import functions as F
from orchestrate_spark.metrics.model import Family, unpivot

def rows(inputs):
    sets = inputs.motes.groupingSets([["run_id", "node"], ["run_id"]], "run_id", "node")
    counted = sets.agg(F.count("*").alias("n")).where("node is null")
    return unpivot(counted, ("motes_there", F.lit("total"), "n"))

FAMILY = Family("there", rows, {"motes_there": ("motes", "that printed something", "-")})
"""
CONTEXT = GROUPING.replace("    sets =", "    inputs.runs.sparkSession.sparkContext\n    sets =")
MISTAKE = GROUPING.replace("return unpivot(counted,", 'return unpivot(inputs.motes.where("no_such > 1"),')


@pytest.fixture
def few(tmp_path, spark) -> Path:
    write_experiment(tmp_path / "exp", [Chain("A", 2)], [1, 2])
    ingest(tmp_path / "exp", spark)
    compute(tmp_path / "exp", spark=spark)
    return tmp_path / "exp"


@pytest.mark.parametrize("text", [GROUPING, CONTEXT])
def test_what_the_embedded_engine_lacks_apache_spark_computes_and_says_so(
    few, tmp_path, apache, monkeypatch, text
):
    monkeypatch.delenv(engines.VARIABLE, raising=False)
    (tmp_path / "mine.py").write_text(text)
    said: list[str] = []
    done = compute(few, spark=Sessions(say=said.append), own=own.load([str(tmp_path / "mine.py")], tmp_path))
    assert done.own == ("there",) and done.failed == ()
    assert len(said) == 1 and said[0].startswith("metric there: the embedded engine can't compute it (")
    rows = load_metrics(few)["per_run"]
    assert rows[rows.metric == "motes_there"].value.tolist() == [3.0, 3.0]
    assert {stem: one["name"] for stem, one in engines_in(few).items()} == {
        "part-0": "Sail",
        "own-there": "Apache Spark",
    }


def test_without_apache_spark_what_it_lacks_is_named_with_the_remedy(few, tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(GROUPING)

    def missing():
        raise NoSpark("no Java")

    monkeypatch.delenv(engines.VARIABLE, raising=False)
    monkeypatch.setattr(engines.session, "need", missing)
    done = compute(few, spark=Sessions(), own=own.load([str(tmp_path / "mine.py")], tmp_path))
    (flaw,) = done.failed
    assert flaw.file.endswith("mine.py") and "grouping sets" in flaw.what
    assert "--master local[*]" in flaw.remedy


def test_a_mistake_of_the_user_s_own_starts_no_other_engine(few, tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(MISTAKE)
    monkeypatch.setattr(engines.session, "session", lambda **_: pytest.fail("another engine was started"))
    done = compute(few, spark=Sessions(), own=own.load([str(tmp_path / "mine.py")], tmp_path))
    assert "no_such" in done.failed[0].what


def test_a_damaged_file_is_named_as_tables_that_failed(few, spark):
    for file in (few / "tables" / "counters").glob("*.parquet"):
        file.resolve().write_bytes(b"PAR1 and nothing")
    shutil.rmtree(few / ".metrics")
    (few / "metrics").unlink()
    with pytest.raises(TablesFailed, match="could not compute the metrics"):
        compute(few, spark=spark)
    assert not (few / "metrics").exists()


# --- logs become tables


def test_worker_processes_and_this_one_write_the_same_bytes(tmp_path, monkeypatch):
    from orchestrate_spark import batches, workers

    chains = [Chain("A", 3, trace=True), Chain("B", 2)]
    for name, alone in (("here", 1 << 40), ("there", 0)):
        write_experiment(tmp_path / name / "exp", chains, range(1, 5))
        monkeypatch.setattr(workers, "ALONE", alone)
        monkeypatch.setattr(batches, "SMALL", 1)
        assert ingest(tmp_path / name / "exp", cores=2).files == 2
    index = json.loads((tmp_path / "here" / "exp" / "tables" / "index.json").read_text())
    other = json.loads((tmp_path / "there" / "exp" / "tables" / "index.json").read_text())
    assert index == other and len(index["sha256"]) == 2 * len(COLUMNS)


def test_a_worker_that_is_killed_leaves_the_tables_as_they_were(tmp_path, monkeypatch):
    from orchestrate_spark import batches, workers

    write_experiment(tmp_path / "exp", [Chain("A", 2)], [1, 2])
    ingest(tmp_path / "exp")
    before = load(tmp_path / "exp", "arrow")
    write_experiment(tmp_path / "exp", [Chain("B", 2)], range(1, 5))
    monkeypatch.setattr(workers, "ALONE", 0)
    monkeypatch.setattr(batches, "SMALL", 1)
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    with pytest.raises(TablesFailed, match="a process that parses logs has ended"):
        ingest(tmp_path / "exp", cores=2)
    assert load(tmp_path / "exp", "arrow") == before and not list(
        (tmp_path / "exp" / ".tables").glob("draft*")
    )


def test_the_record_of_tables_says_where_they_were_made(few):
    index = json.loads((few / "tables" / "index.json").read_text())
    assert {batch["engine"] for batch in index["batches"].values()} == {"this machine's processes"}


# --- an end at any moment

COMPUTE = """
import sys
from orchestrate_spark.engines import Sessions
from orchestrate_spark.jobs.metrics import compute
print(compute(sys.argv[1], spark=Sessions("embedded")).runs)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_computation_that_ends_early_leaves_nothing_half_done(measured, tmp_path, number):
    folder = tmp_path / "exp"
    folder.mkdir()
    shutil.copytree(measured / ".tables", folder / ".tables")
    (folder / "tables").symlink_to(Path(".tables") / (measured / "tables").resolve().name)
    computing = subprocess.Popen([sys.executable, "-c", COMPUTE, str(folder)], stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: list(folder.glob(".metrics/draft-*-scratch/*")) or computing.poll() is not None)
        computing.send_signal(number)
        assert computing.wait(HANG_S) != 0
    finally:
        computing.kill()
    assert not (folder / "metrics").exists()
    if number == signal.SIGINT:
        assert [path.name for path in (folder / ".metrics").iterdir()] == ["lock"]
    assert compute(folder, spark=Sessions("embedded")).runs == 45
    assert load_metrics(folder, "arrow")["per_run"].equals(load_metrics(measured, "arrow")["per_run"])
    assert len(list((folder / ".metrics").iterdir())) == 2  # the lock and this state


SERVER = """
import sys
from pysail.spark import SparkConnectServer
server = SparkConnectServer("127.0.0.1", 0)
server.start(background=True)
print(*server.listening_address, flush=True)
sys.stdin.read()
"""


def test_a_server_of_the_spark_connect_protocol_computes_the_same(measured, tmp_path):
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        host, port = server.stdout.readline().split()
        url = f"sc://{host}:{port}"
        there = computed_by(Sessions(url), measured, tmp_path / "exp")
    finally:
        server.stdin.close()
        server.wait(HANG_S)
    assert there["per_run"].equals(load_metrics(measured, "arrow")["per_run"])
    assert engines_in(tmp_path / "exp")["part-0"]["name"] == "Spark Connect"
