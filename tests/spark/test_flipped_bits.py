# SPDX-License-Identifier: Apache-2.0
"""Tables and metrics with a flipped bit: who reads them says so, and ingesting and computing again makes them as they were."""

from __future__ import annotations

import pytest
from orchestrate_spark.errors import TablesFailed
from orchestrate_spark.jobs.ingest import ingest
from orchestrate_spark.jobs.metrics import compute
from orchestrate_spark.load import load
from synthetic import Chain, write_experiment

pytestmark = pytest.mark.spark


def content(folder) -> dict[str, bytes]:
    return {f"{name}/{path.parent.name}/{path.name}": path.read_bytes()
            for name in ("tables", "metrics") for path in sorted((folder / name).glob("*/*.parquet"))}


def flip(path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 0x04
    copy = path.with_name("flipped")
    copy.write_bytes(data)
    copy.replace(path)


def test_a_flipped_bit_anywhere_is_found_and_mended(tmp_path, spark):
    folder = tmp_path / "exp"
    write_experiment(folder, [Chain("A", 3)], range(1, 3))
    ingest(folder, spark, cores=2)
    compute(folder, spark=spark)
    whole = content(folder)
    assert any(name.startswith("metrics/per_run") for name in whole)
    for name, at in (("counters", 60), ("runs", -20), ("damage", 8)):
        (file,) = (folder / "tables" / name).glob("*.parquet")
        flip(file, at)
    (file,) = (folder / "metrics/per_run").glob("*.parquet")
    flip(file, 200)
    assert content(folder) != whole
    ingest(folder, spark, cores=2)
    compute(folder, spark=spark)
    assert content(folder) == whole


def test_a_flipped_bit_of_a_page_is_noticed_by_who_reads_it(tmp_path, spark):
    folder = tmp_path / "exp"
    write_experiment(folder, [Chain("A", 3)], range(1, 3))
    ingest(folder, spark, cores=2)
    good = load(folder, "arrow", ["counters"])["counters"]
    (file,) = (folder / "tables/counters").glob("*.parquet")
    data = file.read_bytes()
    noticed = 0
    for at in range(4, len(data), max(1, len(data) // 150)):
        flip(file, at)
        try:
            read = load(folder, "arrow", ["counters"])["counters"]
        except TablesFailed as error:
            assert "ingest again" in str(error)
            noticed += 1
        else:
            assert read.num_rows == good.num_rows
        file.write_bytes(data)
    assert noticed > 50
