# SPDX-License-Identifier: Apache-2.0
"""Tables of sources: made from a file beside the log, or from lines, and brought up to date by themselves."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from orchestrate_spark import snapshot, sources
from orchestrate_spark.jobs import ingest as job
from orchestrate_spark.jobs.ingest import ingest
from orchestrate_spark.load import load
from orchestrate_spark.metrics.inputs import read as inputs
from orchestrate_spark.stores import open_store
from orchestrate_spark.tables import COLUMNS
from synthetic import Chain, write_run

pytestmark = pytest.mark.spark

SOUNDS = """
import pyarrow as pa
from orchestrate_spark.sources import Damaged, Source

SOURCE = Source(
    "sounds", {"sounds": (("pitch", pa.int64()),)}, "orchestrate_spark.sources.sounds:read", file="sounds"
)


def read(path, settings):
    READ.append(path.parent.name)
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.isdecimal():
            raise Damaged(f"line {number} is no pitch")
        yield "sounds", pa.table({"pitch": [int(line)]})


READ = []
"""
SHOUTS = """
from pathlib import Path
import pyarrow as pa
import pyarrow.compute as pc
from orchestrate_spark.sources import Source

SOURCE = Source(
    "shouts", {"shouts": (("line", pa.int64()), ("word", pa.string()))},
    "orchestrate_spark.sources.shouts:read", of="text", settings="orchestrate_spark.sources.shouts:settings",
)


def settings(experiment):
    file = experiment / "word"
    return file.read_bytes() if file.is_file() else None


def read(rows, settings):
    found = rows.filter(pc.match_substring(rows["text"], settings.decode()))
    yield "shouts", found.append_column("word", found["text"])
"""

LOG = b"Random seed: 1\n1000\tID:1\tquiet\n2000\tID:2\tLOUD one\n3000\tID:2\tnot so LOUD\n"


@pytest.fixture(autouse=True)
def two_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Adds two sources: `sounds`, a file of numbers, and `shouts`, lines with a word."""
    place = tmp_path / "sources"
    place.mkdir()
    (place / "sounds.py").write_text(SOUNDS, encoding="utf-8")
    (place / "shouts.py").write_text(SHOUTS, encoding="utf-8")
    monkeypatch.setattr(sources, "__path__", [*sources.__path__, str(place)])
    forget()
    yield
    monkeypatch.undo()
    forget()


def forget() -> None:
    for name in ("sounds", "shouts"):
        sys.modules.pop(f"orchestrate_spark.sources.{name}", None)
    for made in vars(sources).values():
        if clear := getattr(made, "cache_clear", None):
            clear()


@pytest.fixture
def experiment(tmp_path: Path) -> Path:
    """Three runs, of which two have the file `sounds`."""
    folder = tmp_path / "exp"
    for seed in (1, 2, 3):
        run = write_run(folder, Chain("A"), seed, log=LOG)
        if seed != 3:
            (run / "sounds").write_text(f"{seed}\n{seed + 10}\n", encoding="utf-8")
    return folder


def read_since() -> list[str]:
    """Return the runs whose file was read since the last call, in this process."""
    module = sys.modules.get("orchestrate_spark.sources.sounds")
    names = list(module.READ) if module else []
    if module:
        module.READ.clear()
    return names


def pitches(experiment: Path) -> list[tuple[int, int]]:
    return [
        (row["seed"], row["pitch"]) for row in load(experiment, "arrow", ["sounds"])["sounds"].to_pylist()
    ]


def test_a_file_beside_the_log_becomes_a_table_of_every_reader(experiment, spark):
    ingest(experiment, spark, cores=1)
    assert pitches(experiment) == [(1, 1), (1, 11), (2, 2), (2, 12)]
    sums = open_store(experiment.parent, ["exp"], spark=spark).arrow(
        "select seed, sum(pitch) as total from sounds group by seed order by seed"
    )
    assert sums.to_pylist() == [{"seed": 1, "total": 12}, {"seed": 2, "total": 14}]
    run = sorted((experiment / "runs").iterdir())[0]
    one = load(run, "arrow")
    assert one["sounds"].to_pylist() == [
        row for row in load(experiment, "arrow")["sounds"].to_pylist() if row["run_id"] == run.name
    ]


def test_a_metric_reads_the_table_also_where_no_run_has_the_file(experiment, spark):
    ids = [run.name for run in (experiment / "runs").iterdir()]
    for count in (4, 0):
        ingest(experiment, spark, cores=1)
        assert (
            inputs(spark(), experiment, ids, experiment / f"scratch{count}").table("sounds").count() == count
        )
        for file in experiment.glob("runs/*/sounds"):
            file.unlink()
        shutil.rmtree(experiment / "tables", ignore_errors=True)
        (experiment / "tables").unlink(missing_ok=True)
        shutil.rmtree(experiment / ".tables")


def test_only_what_has_changed_is_made_anew(experiment, spark, monkeypatch):
    ingest(experiment, spark, cores=1)
    read_since()
    before = (experiment / "tables").resolve()
    ingest(experiment, spark, cores=1)
    assert (experiment / "tables").resolve() == before and read_since() == []

    third = next(run for run in (experiment / "runs").iterdir() if not (run / "sounds").is_file())
    (third / "sounds").write_text("30\n", encoding="utf-8")
    monkeypatch.setattr("orchestrate_spark.frames.read", lambda runs: pytest.fail("no log was to be read"))
    ingest(experiment, spark, cores=1)
    assert read_since() == [third.name] and pitches(experiment)[-1] == (3, 30)

    monkeypatch.setattr(sources, "_code", lambda name: "the digest of changed code")
    ingest(experiment, spark, cores=1)
    assert len(read_since()) == 3 and len(pitches(experiment)) == 5


def test_settings_of_an_experiment_make_rows_of_lines_without_the_logs(experiment, spark):
    ingest(experiment, spark, cores=1)
    assert load(experiment, "arrow", ["shouts"])["shouts"].num_rows == 0
    for log in experiment.glob("runs/*/COOJA.testlog"):
        log.unlink()
    for word, lines in (("LOUD", [3, 4]), ("quiet", [2])):
        (experiment / "word").write_text(word, encoding="utf-8")
        ingest(experiment, spark, cores=1)
        found = load(experiment, "arrow", ["shouts"])["shouts"].to_pylist()
        assert [(row["seed"], row["line"]) for row in found] == [
            (s, line) for s in (1, 2, 3) for line in lines
        ]
    (experiment / "word").unlink()
    ingest(experiment, spark, cores=1)
    assert load(experiment, "arrow", ["shouts"])["shouts"].num_rows == 0


def test_rows_stay_whose_file_is_gone_and_go_with_their_run(experiment, spark):
    ingest(experiment, spark, cores=1)
    gone = sorted(experiment.glob("runs/*/sounds"))[0]
    seed = int(gone.read_text()[0])
    gone.unlink()
    write_run(experiment, Chain("B"), 9, log=LOG)  # a new batch, and the old one stays
    ingest(experiment, spark, cores=1)
    assert (seed, seed) in pitches(experiment)
    shutil.rmtree(gone.parent)
    ingest(experiment, spark, cores=1)
    assert [found for found, _ in pitches(experiment)] == [3 - seed] * 2


def test_small_batches_are_put_together_with_their_rows_of_sources(experiment, spark, monkeypatch):
    monkeypatch.setattr(job, "MANY", 2)
    (experiment / "word").write_text("LOUD", encoding="utf-8")
    ingest(experiment, spark, cores=1)
    for seed in (4, 5, 6):
        run = write_run(experiment, Chain("A"), seed, log=LOG)
        (run / "sounds").write_text(f"{seed}\n", encoding="utf-8")
        ingest(experiment, spark, cores=1, arrived=[run.name])
    assert len(list((experiment / "tables" / "sounds").iterdir())) < 4
    assert sorted(pitches(experiment)) == [(1, 1), (1, 11), (2, 2), (2, 12), (4, 4), (5, 5), (6, 6)]
    shouts = load(experiment, "arrow", ["shouts"])["shouts"].to_pylist()
    assert sorted(row["seed"] for row in shouts) == [seed for seed in range(1, 7) for _ in range(2)]
    read_since()
    ingest(experiment, spark, cores=1)
    assert read_since() == []


def test_a_file_that_is_not_what_it_should_be_is_named_and_what_was_read_stays(experiment, spark):
    bad = sorted(experiment.glob("runs/*/sounds"))[0]
    bad.write_text("7\nloud\n8\n", encoding="utf-8")
    for _ in range(2):
        done = ingest(experiment, spark, cores=1)
        assert [(Path(one.folder).name, one.why) for one in done.faulty] == [
            (bad.parent.name, "sounds: line 2 is no pitch")
        ]
        assert [pitch for _, pitch in pitches(experiment)].count(7) == 1
        assert 8 not in [pitch for _, pitch in pitches(experiment)]


def test_a_torn_file_of_a_source_is_made_again(experiment, spark):
    ingest(experiment, spark, cores=1)
    rows = pitches(experiment)
    torn = next((experiment / "tables" / "sounds").iterdir())
    os.truncate(torn, 20)
    done = ingest(experiment, spark, cores=1)
    assert done.torn == (f"sounds/{torn.name}",) and pitches(experiment) == rows


def test_a_kill_in_the_middle_leaves_the_tables_as_they_were(experiment, spark, monkeypatch):
    ingest(experiment, spark, cores=1)
    rows = pitches(experiment)
    next(experiment.glob("runs/*/sounds")).write_text("1\n2\n3\n4\n", encoding="utf-8")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(snapshot, "publish", killed)
        with pytest.raises(KeyboardInterrupt):
            ingest(experiment, spark, cores=1)
    assert pitches(experiment) == rows
    ingest(experiment, spark, cores=1)
    assert len(pitches(experiment)) == 6


def test_no_source_has_a_table_of_another_one_or_of_logs():
    names = [table for source in sources.found().values() for table in source.tables]
    assert len(set(names)) == len(names) and not COLUMNS.keys() & set(names)
