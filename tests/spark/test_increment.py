# SPDX-License-Identifier: Apache-2.0
"""Metrics of an experiment that has a few runs more or less are those of a computation from scratch.

Only the runs that came are computed, with those that they are compared with.
"""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from orchestrate_spark.jobs import computation
from orchestrate_spark.jobs.ingest import ingest
from orchestrate_spark.jobs.metrics import choose, compute, engines_in
from orchestrate_spark.load import load_metrics
from synthetic import Chain, write_run

TABLES = ("per_run", "summary")
CHAINS = [Chain("anything", 3, False), Chain("other, name", 3, True)]  # they differ in `aggregate` alone


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / "metrics" / name / "part-0.parquet").read_bytes() for name in TABLES}


def same_tables(folder: Path, copy: Path) -> Path:
    """An experiment of the same tables, without metrics."""
    copy.mkdir(parents=True)
    shutil.copytree(folder / ".tables", copy / ".tables")
    (copy / "tables").symlink_to((folder / "tables").readlink())
    return copy


def from_scratch(folder: Path, spark, copy: Path, run_ids=None) -> dict[str, bytes]:
    compute(same_tables(folder, copy), run_ids, spark=spark)
    return contents(copy)


def added(folder: Path, seeds, chains=CHAINS) -> None:
    for chain in chains:
        for seed in seeds:
            write_run(folder, chain, seed)


def test_runs_that_come_and_go_in_any_order(measured, spark, tmp_path):
    folder = same_tables(measured, tmp_path / "exp")
    every, draw = sorted(choose(measured)), random.Random(7)
    steps = [draw.sample(every, 20), draw.sample(every, 30), draw.sample(every, 12), every]
    for number, ids in enumerate(steps):
        compute(folder, ids, spark=spark)
        scratch = (
            contents(measured) if ids is every else from_scratch(measured, spark, tmp_path / str(number), ids)
        )
        assert contents(folder) == scratch, f"step {number}"


def test_values_that_are_there_are_not_computed_again(spark, tmp_path):
    folder = tmp_path / "exp"
    added(folder, (1, 2))
    ingest(folder, spark)
    compute(folder, spark=spark)
    before = {file.name for file in (folder / "tables" / "counters").iterdir()}
    added(folder, (3,))
    ingest(folder, spark)
    scratch = from_scratch(folder, spark, tmp_path / "scratch")
    for table in ("counters", "events", "states", "delays"):  # whoever reads them fails
        for name in before:
            (folder / "tables" / table / name).write_bytes(b"damaged")
    assert compute(folder, spark=spark).runs == 6
    assert contents(folder) == scratch
    assert [one["name"] for one in engines_in(folder).values()] == ["Sail"]


def test_a_run_is_compared_with_one_that_comes_later_or_leaves(spark, tmp_path):
    folder = tmp_path / "exp"

    def reductions() -> set[int]:
        ingest(folder, spark)
        compute(folder, spark=spark)
        rows = load_metrics(folder)["per_run"]
        return set(rows[rows.metric == "reduction"].seed)

    added(folder, (1, 2), CHAINS[1:])
    assert reductions() == set()
    added(folder, (2,), CHAINS[:1])
    assert reductions() == {2}
    (plain,) = (run for run, (_, cell) in choose(folder).items() if cell == "anything")
    shutil.rmtree(folder / "runs" / plain)
    assert reductions() == set()


def test_large_files_of_values_stay_as_they_are(measured, spark, tmp_path, monkeypatch):
    monkeypatch.setattr(computation, "STAYS", 1)
    folder = same_tables(measured, tmp_path / "exp")
    every = sorted(choose(measured))
    compute(folder, every[::2], spark=spark)
    compute(folder, every, spark=spark)
    assert len(list((folder / "metrics" / "per_run").iterdir())) == 2
    order = [(name, "ascending") for name in ("experiment", "cell", "seed", "run_id", "metric", "key")]
    whole = load_metrics(measured, "arrow")
    found = load_metrics(folder, "arrow")
    assert found["per_run"].sort_by(order).equals(whole["per_run"])
    assert found["summary"].equals(whole["summary"])


@pytest.mark.parametrize("file", [1, 2])  # the values, and their summary
def test_a_killed_computation_leaves_what_was_there(file, spark, tmp_path):
    folder = tmp_path / "exp"
    added(folder, (1,))
    ingest(folder, spark)
    compute(folder, spark=spark)
    before = contents(folder)
    added(folder, (2,))
    ingest(folder, spark)
    killed = subprocess.run(
        [
            sys.executable,
            "-c",
            "import os, signal, sys\n"
            "calls, fsync = [], os.fsync\n"
            "def killed(place):\n"
            "    fsync(place)\n"
            "    calls.append(place)\n"
            f"    if len(calls) == {file}: os.kill(os.getpid(), signal.SIGKILL)\n"
            "os.fsync = killed\n"
            "from orchestrate_spark.jobs.metrics import compute\n"
            "compute(sys.argv[1])",
            str(folder),
        ],
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL and contents(folder) == before
    compute(folder, spark=spark)
    assert contents(folder) == from_scratch(folder, spark, tmp_path / "scratch")
