# SPDX-License-Identifier: Apache-2.0
"""Tables and metrics with a flipped bit: who reads them says so, and ingesting and computing again makes them
as they were.
"""

from __future__ import annotations

import pytest
from orchestrate_spark.errors import TablesFailed
from orchestrate_spark.jobs.ingest import damaged_in, ingest
from orchestrate_spark.jobs.metrics import compute
from orchestrate_spark.load import load
from synthetic import Chain, write_experiment

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("few_metrics")]


def content(folder) -> dict[str, bytes]:
    return {
        f"{name}/{path.parent.name}/{path.name}": path.read_bytes()
        for name in ("tables", "metrics")
        for path in sorted((folder / name).glob("*/*.parquet"))
    }


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


def test_a_log_with_a_flipped_bit_is_left_out_and_named(tmp_path, spark):
    folder = tmp_path / "exp"
    bad, good = write_experiment(folder, [Chain("A", 3)], range(1, 3))
    whole = (bad / "COOJA.testlog").read_bytes()
    flip(bad / "COOJA.testlog", 200)
    for _ in range(2):
        done = ingest(folder, spark, cores=2)
        assert done.runs == 1 and damaged_in(folder) == [bad.name]
        (left_out,) = done.damaged
        assert left_out.folder == str(bad) and "not what the run wrote" in left_out.why
        assert load(folder, "arrow", ["runs"])["runs"]["run_id"].to_pylist() == [good.name]
    (bad / "COOJA.testlog").write_bytes(whole)
    done = ingest(folder, spark, cores=2)
    assert (done.runs, done.added, done.damaged, damaged_in(folder)) == (2, (bad.name,), (), [])


def test_without_a_single_good_log_the_tables_stay(tmp_path, spark):
    folder = tmp_path / "exp"
    (only,) = write_experiment(folder, [Chain("A", 3)], range(1, 2))
    flip(only / "COOJA.testlog", 200)
    with pytest.raises(TablesFailed, match=f"(?s){only.name}.*orchestrate runs remove exp"):
        ingest(folder, spark, cores=2)
    (only / "COOJA.testlog").unlink()
    with pytest.raises(TablesFailed):
        ingest(folder, spark, cores=2)
