# SPDX-License-Identifier: Apache-2.0
"""How functions, code and values are sent to executors; a stand-in runs the tasks in this process.

test_cluster.py has real executors, where they are asked for.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from orchestrate_spark import executors
from orchestrate_spark.errors import SparkEnded
from orchestrate_spark.executors import Executors, digest


class Session:
    """A session whose tasks run here, or fail so."""

    def __init__(self, cores=2, error=None):
        self.sparkContext = self
        self.master, self.defaultParallelism, self.error = "local[2]", cores, error
        self.sent, self.heard, self.partitions = [], [], None

    def broadcast(self, value):
        self.sent.append(SimpleNamespace(value=value))
        return self.sent[-1]

    def parallelize(self, calls, partitions):
        self.calls, self.partitions = calls, partitions
        return self

    def flatMap(self, task):
        self.task = task
        return self

    def collect(self):
        if self.error is not None:
            raise self.error
        return [one for call in self.calls for one in self.task(call)]

    def cancelAllJobs(self):
        self.heard.append("cancelled")

    def stop(self):
        self.heard.append("stopped")


@pytest.fixture
def contents(tmp_path) -> dict[str, Path]:
    """Two folders of code, with what is no part of it beside it."""
    for name, text in {
        "one/a.py": "A = 1\n",
        "one/sub/b.py": "B = 2\n",
        "one/__pycache__/a.pyc": "old",
        "one/_data/apps.txt": "large",
        "two/c.txt": "c",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return {"package": tmp_path / "one", "package/more": tmp_path / "two"}


def test_the_code_is_sent_once_packed_under_the_names_that_it_is_imported_by(contents):
    session = Session()
    made = Executors(session, contents)
    assert made.code == digest(contents) and len(made.code) == 16
    (archive,) = session.sent
    with zipfile.ZipFile(io.BytesIO(archive.value)) as packed:
        assert packed.namelist() == ["package/a.py", "package/more/c.txt", "package/sub/b.py"]
        assert packed.read("package/sub/b.py") == b"B = 2\n"
        assert {one.compress_type for one in packed.infolist()} == {zipfile.ZIP_DEFLATED}


def test_a_digest_changes_with_names_and_contents_and_nothing_else(contents, tmp_path):
    first = digest(contents)
    (tmp_path / "one" / "__pycache__" / "a.pyc").write_text("new")
    assert digest(dict(reversed(contents.items()))) == first
    (tmp_path / "one" / "a.py").rename(tmp_path / "one" / "b.py")
    renamed = digest(contents)
    (tmp_path / "one" / "b.py").write_text("A = 2\n")
    assert len({first, renamed, digest(contents), digest({"package": tmp_path / "one"})}) == 4


@pytest.mark.parametrize(("cores", "known"), [(0, 1), (1, 1), (7, 7)])
def test_there_is_at_least_one_core(contents, cores, known):
    """Also before the first executor has come."""
    assert Executors(Session(cores), contents).cores == known


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "there"))
    (tmp_path / "there").mkdir()
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path / "there"


def test_each_group_is_a_task_with_the_code_and_what_is_shared(contents, here):
    session = Session()
    made = Executors(session, contents)
    five = made.share(b"five")

    def work(group, shared):
        yield from (f"{shared['by'].value.decode()} {item}" for item in group)

    assert made.run(work, [[1, 2], [3]], {"by": five}) == ["five 1", "five 2", "five 3"]
    assert session.partitions == 2 and all(isinstance(call, bytes) for call in session.calls)
    unpacked = here / f"{executors.UNPACKED}-{os.getuid()}" / made.code
    assert (unpacked / "package" / "sub" / "b.py").read_text() == "B = 2\n" and str(unpacked) in sys.path
    assert unpacked.stat().st_mode & 0o777 == 0o700, "nobody else puts code there"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("at a.B\njava.lang.Exception: first\n  ValueError: last  \nat c.D", "ValueError: last"),
        ("nothing that is known\nat all", "nothing that is known\nat all"),
        (f"Error {'x' * 500}", f"Error {'x' * 394}"),
        ("", ""),
    ],
)
def test_what_failed_on_the_executors_is_told_by_its_last_error(contents, said, told):
    from py4j.protocol import Py4JError

    made = Executors(Session(error=Py4JError(said)), contents)
    with pytest.raises(SparkEnded) as raised:
        made.run(lambda group, shared: group, [[1]], {})
    assert str(raised.value) == (
        f"tasks on local[2] failed: {told}\n    what was finished is kept; ORCHESTRATE_SPARK_LOG=warn before "
        "the command shows what Spark says"
    )


def test_tasks_and_session_are_ended(contents):
    session = Session()
    made = Executors(session, contents)
    made.stop()
    made.close()
    assert session.heard == ["cancelled", "stopped"]
