# SPDX-License-Identifier: Apache-2.0
"""What the package decides in Python alone: no session is started."""

from __future__ import annotations

import io
import os
import pickle
import shutil
import sys
import tempfile
import zipfile
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest
from orchestrate_spark import begin, own_code, printed, snapshot
from orchestrate_spark.errors import FaultyCode, Flaw, SparkError
from orchestrate_spark.experiment import seed_of
from orchestrate_spark.jobs import ingest, metrics
from orchestrate_spark.metrics.own import KIND
from orchestrate_spark.tables import TARGETS
from pyarrow import parquet


@pytest.mark.parametrize(
    ("text", "seed"),
    [
        ("Random seed: 17\n", 17),
        ("Random seed: -3\r\n5\tID:1\tx\n", -3),
        ("Random seed: 17", None),
        ("1\tID:1\tRandom seed: 17\n", None),
        ("Random seed: " + "9" * 18 + "\n", 10**18 - 1),
        ("Random seed: " + "9" * 19 + "\n", None),
        ("", None),
    ],
)
def test_a_log_s_seed_is_in_its_first_line(tmp_path, text, seed):
    (tmp_path / "log").write_bytes(text.encode())
    assert seed_of(tmp_path / "log") == seed


def test_kinds_of_records_are_by_cell_of_these_runs_and_a_broken_file_hides_no_other(tmp_path):
    folder = tmp_path / "tables" / "counters"
    folder.mkdir(parents=True)
    rows = [
        ("A", "1", "packets_sent"),
        ("A", "1", "packets_received"),
        ("B", "2", "packets_sent"),
        ("B", "3", "packets_lost"),
    ]
    table = pa.table(dict(zip(("cell", "run_id", "name"), map(list, zip(*rows, strict=True)), strict=True)))
    parquet.write_table(table, folder / "part-2.parquet")
    (folder / "part-1.parquet").write_bytes(b"PAR1, but for the rest")
    assert printed.printed(tmp_path, ["1", "2"]) == {
        "A": {"cnt,packets_sent", "cnt,packets_received"},
        "B": {"cnt,packets_sent"},
    }
    assert printed.printed(tmp_path, []) == {}


def test_every_table_says_which_kinds_of_records_were_printed(tmp_path):
    """A trace's table by its column, that of counters by their names, every other by itself."""
    for target in TARGETS.values():
        kinds = [kind for kind, other in TARGETS.items() if other.table == target.table]
        columns = {
            "cell": ["A"] * len(kinds),
            "run_id": ["1"] * len(kinds),
            "kind": kinds,
            "name": ["merged"] * len(kinds),
        }
        folder = tmp_path / "tables" / target.table
        folder.mkdir(parents=True, exist_ok=True)
        parquet.write_table(pa.table(columns), folder / "part.parquet")
    assert printed.printed(tmp_path, ["1", "2"]) == {"A": {*TARGETS, "cnt,merged"} - {"cnt"}}


def point(value: str, package: str) -> metadata.EntryPoint:
    made = metadata.EntryPoint("latency", value, KIND.group)
    object.__setattr__(made, "dist", SimpleNamespace(name=package, version="1"))
    vars(made)["dist"] = SimpleNamespace(name=package, version="1")
    return made


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ((), None),
        ((("a.b:FAMILY", "one"),), None),
        ((("a.c:FAMILY", "one"),), "several installed packages"),
        ((("a.b:FAMILY", "two"),), "one 1, two 1"),
    ],
)
def test_a_name_that_several_packages_have_is_refused_and_one_package_twice_on_the_path_is_not(
    monkeypatch, others, said
):
    points = [point("a.b:FAMILY", "one"), *(point(*other) for other in others)]
    monkeypatch.setattr(own_code.metadata, "entry_points", lambda group: points)
    if said is None:
        assert own_code._entry_point(KIND, "latency") == points[0]
    else:
        with pytest.raises(FaultyCode, match=said):
            own_code._entry_point(KIND, "latency")
    with pytest.raises(FaultyCode, match="no installed package has a metric"):
        own_code._entry_point(KIND, "latencies")


@pytest.mark.parametrize(
    ("failed", "status"), [((), 0), ((Flaw("own.py", 3, "raises KeyError", "mend it"),), 1)]
)
def test_the_metrics_job_fails_if_a_metric_of_the_user_s_own_does(monkeypatch, capsys, failed, status):
    monkeypatch.setattr(metrics, "compute", lambda folder, spark, own: metrics.Computed(4, failed=failed))
    assert metrics.main(["exp"]) == status
    out, err = capsys.readouterr()
    assert out == "exp: metrics of 4 runs\n" and ("own.py" in err) == bool(failed)


def test_the_jobs_say_what_kept_them_from_their_work(monkeypatch, capsys):
    def broken(*_args, **_options):
        raise SparkError("no tables")

    monkeypatch.setattr(metrics, "compute", broken)
    monkeypatch.setattr(ingest, "ingest", broken)
    assert (metrics.main(["exp"]), ingest.main(["exp"])) == (1, 1)
    assert capsys.readouterr().err == "metrics: no tables\ningest: no tables\n"


def test_a_file_that_is_not_what_was_written_is_not_intact(tmp_path, monkeypatch):
    (tmp_path / "tables").mkdir()
    for name, text in (("same", "as written"), ("other", "as found")):
        (tmp_path / "tables" / name).write_text(text)
    digest = snapshot._digest(tmp_path / "tables" / "same")
    monkeypatch.setattr(
        snapshot, "index", lambda *_: {snapshot.DIGESTS: dict.fromkeys(("gone", "other", "same"), digest)}
    )
    assert snapshot.intact(tmp_path, "tables") == {"same"}


def test_an_error_s_line_is_the_last_of_the_file_in_the_message_of_a_worker_or_in_the_traceback():
    assert (
        own_code.line_in(
            ValueError('File "own.py", line 3, in a\n  File "own.py", line 12, in rows\n'), "own.py"
        )
        == 12
    )
    assert own_code.line_in(ValueError('File "other.py", line 3, in a'), "own.py") == 0
    space = {}
    exec(compile("\n\ndef rows():\n    raise KeyError\n", "own.py", "exec"), space)
    with pytest.raises(KeyError) as caught:
        space["rows"]()
    assert own_code.line_in(caught.value, "own.py") == 4


def test_a_task_s_code_is_unpacked_once_and_the_same_code_serves_the_next_task(tmp_path, monkeypatch):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(
            "sent_for_this_test.py", "def work(group, shared):\n    yield shared['by'] * group\n"
        )
    sent = SimpleNamespace(value=packed.getvalue())
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "path", list(sys.path))
    named = b"csent_for_this_test\nwork\n."  # a pickle holds a function as its module and name
    for group in (2, 5):
        call = pickle.dumps((named, group))
        assert list(begin.begin(sent, "d1ge57", "code", call, {"by": 3})) == [3 * group]
        sent = SimpleNamespace()  # the second task asks for nothing that the first one unpacked
    place = tmp_path / f"code-{os.getuid()}" / "d1ge57"
    assert sys.path.count(str(place)) == 1 and [one.name for one in place.parent.iterdir()] == ["d1ge57"]
    assert sys.path[0] == str(place), "whatever is installed there"


def test_of_two_tasks_that_unpack_the_code_at_once_the_second_takes_that_of_the_first(tmp_path, monkeypatch):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("sent_twice.py", "def work(group, shared):\n    yield group\n")
    place = tmp_path / f"code-{os.getuid()}" / "d1ge57"

    def extractall(self, draft):
        """The other task is done before this one."""
        for folder in (place, Path(draft)):
            folder.mkdir(exist_ok=True)
            self.extract("sent_twice.py", folder)

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(zipfile.ZipFile, "extractall", extractall)
    removed, rmtree = [], shutil.rmtree
    monkeypatch.setattr(shutil, "rmtree", lambda *one, **how: removed.append(how) or rmtree(*one, **how))
    sent = SimpleNamespace(value=packed.getvalue())
    call = pickle.dumps((b"csent_twice\nwork\n.", 7))
    assert list(begin.begin(sent, "d1ge57", "code", call, {})) == [7]
    assert [one.name for one in place.parent.iterdir()] == ["d1ge57"], "its own draft is gone"
    assert removed == [{"ignore_errors": True}], "and if it can't be, the work is done all the same"


def test_a_fault_is_told_by_file_line_and_remedy_with_all_others():
    flaws = [Flaw("a.py", 3, "raises KeyError", "mend it"), Flaw("b.py", 0, "is no Python", "write some")]
    text = "a.py:3: raises KeyError\n    mend it\nb.py: is no Python\n    write some"
    assert str(FaultyCode(flaws)) == text and FaultyCode(iter(flaws)).flaws == tuple(flaws)
    assert FaultyCode.of(Path("a.py"), 3, "raises KeyError", "mend it").flaws == (flaws[0],)
