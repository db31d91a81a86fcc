# SPDX-License-Identifier: Apache-2.0
"""A number with a flipped bit looks like any other number: each reader of tables and metrics compares the
pages' checksums, and refuses them.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from orchestrate_spark import batches, load
from orchestrate_spark.errors import TablesFailed
from orchestrate_spark.jobs import metrics
from orchestrate_spark.tables import COLUMNS, schema
from pyarrow import parquet


def flipped(file: Path, wanted: pa.Schema, column: str) -> None:
    """Write a row, unpacked so that nothing else notices, with a flipped bit in a number of it."""
    row = {"experiment": "exp", "cell": "A", "seed": 5, "run_id": "a", "outcome": "ok", "value": 1.0}
    row = {name: value for name, value in row.items() if name in wanted.names}
    file.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(
        pa.Table.from_pylist([row], schema=wanted),
        file,
        compression="none",
        use_dictionary=False,
        store_schema=False,
        write_page_checksum=True,
    )
    assert parquet.read_table(file, schema=wanted, page_checksum_verification=True).num_rows == 1
    chunk = parquet.read_metadata(file).row_group(0).column(wanted.names.index(column))
    data = bytearray(file.read_bytes())
    data[chunk.data_page_offset + chunk.total_compressed_size - 2] ^= 4
    file.write_bytes(data)
    (changed,) = parquet.read_table(file, schema=wanted)[column].to_pylist()
    assert changed != row[column], "without the checksum nobody would know"


def test_tables_are_loaded_whole(tmp_path):
    flipped(tmp_path / "tables" / "runs" / "x.parquet", schema("runs"), "seed")
    with pytest.raises(TablesFailed, match="which makes damaged tables anew"):
        load.load(tmp_path, "arrow", ["runs"])


def test_metrics_are_loaded_whole(tmp_path):
    flipped(tmp_path / "metrics" / "per_run" / "x.parquet", metrics.PER_RUN, "value")
    with pytest.raises(TablesFailed, match="which makes damaged metrics anew"):
        load.load_metrics(tmp_path, "arrow")


def test_runs_that_count_are_chosen_from_whole_tables(tmp_path):
    flipped(tmp_path / "tables" / "runs" / "x.parquet", schema("runs"), "seed")
    with pytest.raises(TablesFailed, match="ingest again, which makes damaged tables anew"):
        metrics.choose(tmp_path)


def test_rows_are_merged_from_whole_batches(tmp_path):
    for table in COLUMNS:
        flipped(tmp_path / "old" / table / "x.parquet", schema(table), "seed")
    with pytest.raises(OSError, match="(?i)crc|checksum"):
        batches.write(batches.merge({"a": ""}, ["x"], tmp_path / "old", 0, "code"), tmp_path / "new")
