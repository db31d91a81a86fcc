# SPDX-License-Identifier: Apache-2.0
"""What has a name in a store is on the disk, whole: it is written under another name and synchronised first,
so that a power failure leaves the old file or the new one.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from orchestrate_spark import batches, experiment, open_store
from orchestrate_spark.experiment import find_runs
from orchestrate_spark.jobs.ingest import ingest
from orchestrate_spark.jobs.metrics import compute
from orchestrate_spark.load import load_metrics
from orchestrate_spark.tables import COLUMNS
from synthetic import Chain, write_experiment


@pytest.fixture
def synchronised(monkeypatch) -> list[tuple[int, bytes, list[str]]]:
    """Of each file that is synchronised: its inode, what of it is there then, and the names in its folder."""
    found = []
    fsync = os.fsync

    def noted(descriptor):
        path = Path(os.readlink(f"/proc/self/fd/{descriptor}"))
        names = sorted(other.name for other in path.parent.iterdir())
        found.append((path.stat().st_ino, path.read_bytes(), names))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    return found


def test_a_file_is_replaced_when_the_new_one_is_on_the_disk(tmp_path, synchronised):
    (tmp_path / "a.json").write_text("old")
    experiment.write_atomic(tmp_path / "a.json", b"new")
    draft = f".a.json.{os.getpid()}"
    assert synchronised == [((tmp_path / "a.json").stat().st_ino, b"new", [draft, "a.json"])]
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_tables_are_on_the_disk_before_they_have_their_names(tmp_path, synchronised):
    write_experiment(tmp_path / "exp", [Chain("A", 1, events=3)], [1])
    synchronised.clear()
    runs, _ = find_runs(tmp_path / "exp")
    made = batches.batch(runs, "code")
    batches.write(made, tmp_path / "tables")
    files = [tmp_path / "tables" / table / f"{made.name}.parquet" for table in COLUMNS]
    assert {(inode, content) for inode, content, _ in synchronised} == {
        (file.stat().st_ino, file.read_bytes()) for file in files
    }
    assert all(len(names) == 1 and names[0].startswith(f".{made.name}.") for *_, names in synchronised)


@pytest.mark.parametrize("name", ["a[1]", "x*y?", "{c}", "o dd", "p%20q"])
def test_a_store_s_name_is_never_taken_for_a_pattern(tmp_path, spark, name):
    folder = tmp_path / name / "exp"
    write_experiment(folder, [Chain("A", 1, events=3)], [1])
    ingest(folder, spark)
    compute(folder, spark=spark)
    assert load_metrics(folder, "arrow")["per_run"].num_rows > 40
    assert open_store(folder.parent, spark=spark).arrow("select * from runs").num_rows == 1
