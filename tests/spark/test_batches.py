# SPDX-License-Identifier: Apache-2.0
"""Batches of runs: which runs are in one, what it is called, and that rows which are merged are as if they
had been read together.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from orchestrate_spark import batches
from orchestrate_spark.batches import SMALL, TARGET, Batch
from orchestrate_spark.experiment import Run, find_runs
from orchestrate_spark.tables import COLUMNS, schema
from pyarrow import parquet
from synthetic import Chain, write_experiment

MB = 1 << 20


def run(number: int, size: int) -> Run:
    return Run(f"run{number}", "e", "c", number, f"{number}.log", size, f"print{number}")


@pytest.mark.parametrize(
    ("sizes", "cores", "groups"),
    [
        ([], 2, []),
        ([0, 0], 2, [2]),
        ([SMALL - 1], 4, [1]),
        ([SMALL, SMALL - 1], 4, [2]),
        ([SMALL, SMALL], 4, [1, 1]),
        ([2 * MB, 2 * MB], 4, [1, 1]),
        ([2 * MB] * 4, 2, [2, 2]),
        ([16 * MB] * 8, 2, [4, 4]),
        ([16 * MB] * 8 + [1], 2, [2, 2, 2, 3]),
        ([10 * MB] * 13, 1, [4, 5, 4]),
        ([100 * MB, MB, MB, MB], 2, [1, 3]),
        ([TARGET], 1, [1]),
        ([TARGET, 1], 1, [1, 1]),
    ],
)
def test_neighbours_share_a_batch_of_about_a_size_and_each_core_has_as_many(sizes, cores, groups):
    runs = [run(number, size) for number, size in enumerate(sizes)]
    made = batches.split(runs, "code", cores)
    assert [len(one.runs) for one in made] == groups
    assert [each for one in made for each in one.runs] == runs
    assert (TARGET, SMALL) == (64 * MB, MB)


def test_a_batch_is_named_by_its_runs_and_the_parser():
    runs = [run(1, 5), run(2, 7)]
    one = batches.batch(runs, "code")
    assert (one.size, one.prints) == (12, {"run1": "print1", "run2": "print2"})
    assert one == Batch(one.name, tuple(runs)) and len(one.name) == 20
    others = [
        batches.batch(runs, "other"),
        batches.batch(runs[:1], "code"),
        batches.batch(runs[::-1], "code"),
        batches.batch([replace(runs[0], fingerprint="x"), runs[1]], "code"),
    ]
    assert len({one.name, *(other.name for other in others)}) == 5
    assert batches.merge(one.prints, ["a", "b"], Path("/t"), 12, "code") == batches.Merge(
        one.name, one.prints, ("a", "b"), "/t", 12
    )


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> list[Run]:
    folder = tmp_path_factory.mktemp("batches") / "exp"
    write_experiment(folder, [Chain("A", 2, trace=True, events=3), Chain("B", 3)], range(1, 3))
    found, _ = find_runs(folder)
    return found


def written(made, folder: Path) -> tuple[dict[str, int], dict[str, pa.Table]]:
    counted = batches.write(made, folder)
    return counted, {name: parquet.read_table(folder / name / f"{made.name}.parquet") for name in COLUMNS}


def test_a_file_for_each_table_has_the_batch_s_rows(runs, tmp_path):
    counted, tables = written(batches.batch(runs, "code"), tmp_path)
    assert counted == {name: table.num_rows for name, table in tables.items()}
    assert all(table.schema.equals(schema(name)) for name, table in tables.items())
    assert tables["runs"]["run_id"].to_pylist() == [one.run_id for one in runs]
    assert counted["runs"] == 4 and counted["events"] > 0 and counted["jobs"] == 0
    files = sorted(path.name for path in tmp_path.glob("*/*"))
    assert files == [f"{batches.batch(runs, 'code').name}.parquet"] * len(COLUMNS), "no draft is left"
    (file,) = (tmp_path / "counters").iterdir()
    compression = parquet.read_metadata(file).row_group(0).column(0).compression
    assert compression == "ZSTD" and b"ARROW:schema" not in (parquet.read_metadata(file).metadata or {})


def test_merged_rows_are_as_if_the_runs_had_been_read_together(runs, tmp_path):
    """Of batches that lie between each other; a run that is not wanted any more is left out."""
    for part in (runs[::2], runs[1::2]):
        batches.write(batches.batch(part, "code"), tmp_path / "before")
    sources = [batches.batch(part, "code").name for part in (runs[1::2], runs[::2])]
    for kept in (runs, runs[:3]):
        prints = {one.run_id: one.fingerprint for one in kept}
        merged = written(
            batches.merge(prints, sources, tmp_path / "before", 0, "code"), tmp_path / f"merged{len(kept)}"
        )
        read = written(batches.batch(kept, "code"), tmp_path / f"read{len(kept)}")
        assert merged == read


def test_a_batch_that_can_t_be_read_leaves_nothing(runs, tmp_path):
    lost = batches.merge({runs[0].run_id: "x"}, ["gone"], tmp_path, 0, "code")
    with pytest.raises(FileNotFoundError):
        batches.write(lost, tmp_path / "new")
    assert [*tmp_path.glob("new/*/*"), *tmp_path.glob("new/*/.*")] == []


def test_a_task_tells_how_many_rows_it_wrote():
    assert batches.summary_schema().names == ["batch", "table", "rows"]
    assert [str(one) for one in batches.summary_schema().types] == ["string", "string", "int64"]
