# SPDX-License-Identifier: Apache-2.0
"""A standalone cluster of this machine: one master, two workers with a core each, executors of their own.

Only with ORCHESTRATE_CLUSTER=1: its Java processes take half a minute of CPU and more on a busy machine, and
what it tests changes with Spark, session.py and executors.py, not from day to day. All tests share one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from orchestrate_spark.jobs.ingest import ingest
from orchestrate_spark.jobs.metrics import compute
from orchestrate_spark.load import load
from orchestrate_spark.tables import COLUMNS
from pyarrow import parquet
from standalone import Standalone, s3_server
from synthetic import Chain, write_experiment

from orchestrator.cli import submitted
from orchestrator.errors import StorageFailed
from orchestrator.execution import pipeline
from orchestrator.execution.execute import Effort
from orchestrator.execution.results import ObjectStore
from orchestrator.runs.model import Outcome, RunResult
from orchestrator.runs.store import Store
from orchestrator.scenario.load import load as load_scenario
from tests import needs
from tests.features.campaigns.nights_store import Nights
from tests.waiting import HANG_S, wait_until

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(
        not os.environ.get("ORCHESTRATE_CLUSTER"),
        reason="starts a Spark cluster, takes minutes: set ORCHESTRATE_CLUSTER=1",
    ),
]
ORCHESTRATE = [sys.executable, "-m", "orchestrator.cli.app"]
JOBS = """
import sys
from orchestrate_spark.errors import TablesFailed
from orchestrate_spark.jobs import ingest as job
from orchestrate_spark.jobs.metrics import compute
from orchestrate_spark.engines import Sessions
from orchestrate_spark.session import session

sessions, made = Sessions(sys.argv[1]), session(master=sys.argv[1], memory="512m")
print(made.sparkContext.master, len(job.ingest("exp", sessions).added), compute("exp", spark=sessions).runs)
task = job._task
job._task = lambda call, folder: task(call, "/no/such/store")  # as on a machine that does not mount the store
try:
    job.ingest("../other", sessions)
except TablesFailed as error:
    print(error)
"""  # noqa: E501
SCENARIO = """
experiment: trial
topology: {shape: chain, publishers: 3, spacing: 5 m}
radio: {medium: udgm, range: 50 m, interference: 100 m, tx: 100 %, rx: 95 %}
application: {name: aggregation, rate: high, aggregate: true}
duration: DURATION
drain: 10 s
start-delay: 1 s
seeds: 1..SEEDS
"""


@pytest.fixture(scope="module")
def variables(tmp_path_factory):
    """What a client of a server that speaks S3 has in its environment; nothing where none is installed."""
    if find_spec("moto") is None or find_spec("s3fs") is None:
        yield {}
        return
    with s3_server(tmp_path_factory.mktemp("s3")) as told:
        yield told


@pytest.fixture(scope="module")
def cluster(tmp_path_factory, variables):
    """A Standalone with two workers."""
    with Standalone(tmp_path_factory.mktemp("cluster"), 2, variables) as made:
        yield made


def command(*words: object, cluster: Standalone) -> subprocess.Popen:
    return subprocess.Popen(
        [*ORCHESTRATE, *map(str, words)],
        env=cluster.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen) -> str:
    out, err = process.communicate(timeout=HANG_S)
    assert process.returncode == 0, out + err
    return out


def logs(store: Path) -> dict[str, bytes]:
    return {path.parent.name: path.read_bytes() for path in sorted(store.glob("trial/runs/*/COOJA.testlog"))}


def scenario(folder: Path, seeds: int, duration: str) -> tuple[Path, dict[str, bytes]]:
    """A scenario's file, and the logs of its runs as this machine makes them."""
    needs.a_compiler()
    path = folder / "trial.yaml"
    path.write_text(SCENARIO.replace("SEEDS", str(seeds)).replace("DURATION", duration))
    pipeline.run(load_scenario(path), folder / "here", Effort(2), report=False)
    return path, logs(folder / "here")


def test_runs_on_executors_with_one_killed_in_the_middle(cluster, tmp_path):
    path, here = scenario(tmp_path, 60, "2 h")
    there = tmp_path / "there"
    running = command("run", path, "--store", there, "--on", cluster.url, "--no-report", cluster=cluster)
    wait_until(lambda: len(logs(there)) >= 2 or running.poll() is not None)
    assert running.poll() is None, "it ended before anything could be killed"
    cluster.kill_worker()
    told = ended(running)
    assert "60 runs" in told and logs(there) == here and Store(there).verify("trial") == []
    assert not list((there / ".cluster").iterdir()) and not list(there.glob("trial/.tmp-*"))
    cluster.start_worker()  # for the tests after this one


def test_runs_to_a_report_through_an_object_store(cluster, tmp_path, variables):
    if not variables:
        pytest.skip("no server that speaks S3: pip install -e '.[object-store-test]'")
    path, here = scenario(tmp_path, 4, "1 min")
    through = ("--on", cluster.url, "--through", "s3://results/trial")
    told = ended(command("run", path, "--store", tmp_path / "there", *through, cluster=cluster))
    assert "report:" in told and logs(tmp_path / "there") == here


def test_the_first_result_in_s3_stays(tmp_path, variables, monkeypatch):
    if not variables:
        pytest.skip("no server that speaks S3: pip install -e '.[object-store-test]'")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    door = ObjectStore("s3://results/one")
    result = RunResult(Outcome.OK, 5, 0.25, 7, 9)
    for number in (1, 2):
        (tmp_path / "log").write_bytes(b"%d" % number)
        door.keep("k", tmp_path / "log", replace(result, sim_us=number))
    assert door.found("k").sim_us == 1
    assert door.take("k", tmp_path / "taken").sim_us == 1 and (tmp_path / "taken").read_bytes() == b"1"
    assert door.found("k") is None and door.take("k", tmp_path / "taken") is None
    with pytest.raises(StorageFailed):
        ObjectStore("s3://no-such-bucket/one").keep("k", tmp_path / "log", result)


def test_a_cluster_that_goes_away_ends_the_command(tmp_path, variables):
    """Its own cluster: nothing is left of it."""
    path, _ = scenario(tmp_path, 2, "1 min")
    with Standalone(tmp_path, 1) as made:
        url, environment = made.url, made.environment
    ran = subprocess.run(
        [*ORCHESTRATE, "run", path, "--store", tmp_path / "there", "--on", url, "--no-report"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    assert ran.returncode == 5 and "see that the master is up" in ran.stderr and not logs(tmp_path / "there")


def test_a_verdict_by_spark_submit_on_the_cluster_is_the_one_made_here(cluster, tmp_path):
    for place in ("here", "there"):
        nights = Nights(tmp_path / place)
        nights.night()
        nights.verdict()
        nights.promote()
        nights.night(code="b", loss=0.25)
    (tmp_path / "nights.yaml").write_text("campaign: nights\nparts: [{paper: aggregation-paper}]\n")
    named = ["campaign", "verdict", str(tmp_path / "nights.yaml"), "--store"]
    submit = Path(find_spec("pyspark").origin).parent / "bin" / "spark-submit"
    commands = (
        [*ORCHESTRATE, *named, tmp_path / "here"],
        [submit, "--master", cluster.url, Path(submitted.__file__), *named, tmp_path / "there"],
    )
    environment = cluster.environment | {"PYSPARK_PYTHON": sys.executable}
    for words in commands:
        ran = subprocess.run(
            list(map(str, words)),
            env=environment,
            capture_output=True,
            text=True,
            timeout=HANG_S,
            check=False,
        )
        assert ran.returncode == 1, ran.stderr
        assert "nights, round 2: red" in ran.stdout
    here, there = ((tmp_path / place / "campaigns/nights/verdicts/000002") for place in ("here", "there"))
    assert (here / "verdict.json").read_bytes() == (there / "verdict.json").read_bytes()


def test_a_standalone_cluster_gives_the_same_tables_and_metrics(cluster, tmp_path, spark):
    for name in ("there/exp", "here/exp", "other"):
        write_experiment(tmp_path / name, [Chain("A5A", 5, True)], range(1, 4))
    ran = subprocess.run(
        [sys.executable, "-c", JOBS, cluster.url],
        cwd=tmp_path / "there",
        env=cluster.environment,
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith(f"{cluster.url} 3 3\n")
    assert "does not see /no/such/store" in ran.stdout and not (tmp_path / "other" / "tables").exists()
    there, here = tmp_path / "there" / "exp", tmp_path / "here" / "exp"
    ingest(here, spark)
    compute(here, spark=spark)
    tables = [load(experiment, "arrow") for experiment in (there, here)]
    assert [name for name in COLUMNS if tables[0][name] != tables[1][name]] == []
    assert parquet.read_table(there / "metrics" / "per_run") == parquet.read_table(
        here / "metrics" / "per_run"
    )
