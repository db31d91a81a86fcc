# SPDX-License-Identifier: Apache-2.0
"""States of tables and metrics: which stay, how one is published, and what file systems refuse."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path

import pytest
from orchestrate_spark import snapshot
from orchestrate_spark.errors import SparkEnded, TablesFailed


def published(exp: Path, identity: str, content: str = "", **more) -> Path:
    with snapshot.writing(exp, "tables"):
        new = snapshot.draft(exp, "tables")
        (new / "runs").mkdir()
        (new / "runs" / "a.parquet").write_text(content or identity)
        (new / "runs" / "notes.txt").write_text("no table")
        snapshot.publish(exp, "tables", new, identity, more)
    return (exp / "tables").resolve()


def states(exp: Path) -> set[str]:
    return {path.name for path in (exp / ".tables").iterdir()}


def test_a_link_leads_to_the_state_and_the_one_before_is_kept(tmp_path):
    for identity in ("one", "two", "three"):
        assert published(tmp_path, identity).name == identity
        assert os.readlink(tmp_path / "tables") == f".tables/{identity}"
    assert states(tmp_path) == {"lock", "two", "three"}
    index = snapshot.index(tmp_path, "tables")
    assert index[snapshot.BEFORE] == "two" and list(index[snapshot.DIGESTS]) == ["runs/a.parquet"]
    assert snapshot.intact(tmp_path, "tables") == {"runs/a.parquet"}
    text = (tmp_path / "tables" / "index.json").read_text()
    assert text == json.dumps(index, indent=1, sort_keys=True) + "\n"


def test_a_state_holds_what_it_is_told(tmp_path):
    published(tmp_path, "one", batches={"b": 1}, before="what it says itself is not taken")
    index = snapshot.index(tmp_path, "tables")
    assert index["batches"] == {"b": 1} and index[snapshot.BEFORE] == ""


def test_a_folder_in_the_link_s_place_is_replaced(tmp_path):
    """A store was copied, with its links followed."""
    published(tmp_path, "one")
    copy = tmp_path / "copy"
    shutil.copytree(tmp_path / "tables", copy / "tables")
    assert published(copy, "two").name == "two" and (copy / "tables").is_symlink()
    assert states(copy) == {"lock", "two"} and snapshot.index(copy, "tables")[snapshot.BEFORE] == ""


@pytest.mark.parametrize("linked", [True, False])
def test_a_file_that_stays_is_a_link_or_a_copy(tmp_path, monkeypatch, linked):
    def refused(*_):
        raise OSError(errno.EPERM, "Operation not permitted")

    (tmp_path / "old" / "runs").mkdir(parents=True)
    (tmp_path / "old" / "runs" / "a.parquet").write_text("rows")
    if not linked:
        monkeypatch.setattr(os, "link", refused)
    for _ in range(1 if linked else 2):
        snapshot.keep(tmp_path / "old", tmp_path / "new", "runs/a.parquet")
    kept = tmp_path / "new" / "runs" / "a.parquet"
    assert kept.read_text() == "rows" and kept.samefile(tmp_path / "old" / "runs" / "a.parquet") == linked


LINKS = "the store must be on a file system with symbolic links, and writable"
WRITABLE = "free space or make the store writable, then run the same command again;"
SPACE = f"{WRITABLE} what was there is as before"


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.EPERM, LINKS),
        (errno.EOPNOTSUPP, LINKS),
        (errno.ENOSYS, LINKS),
        (errno.ENOSPC, SPACE),
        (errno.EACCES, SPACE),
    ],
)
def test_a_state_that_can_t_be_linked_leaves_the_one_before(tmp_path, monkeypatch, number, remedy):
    def refused(self, target):
        raise OSError(number, os.strerror(number))

    before = published(tmp_path, "one")
    monkeypatch.setattr(Path, "symlink_to", refused)
    with pytest.raises(TablesFailed) as raised:
        published(tmp_path, "two")
    assert str(raised.value) == f"{tmp_path / 'tables'}: {os.strerror(number)}\n    {remedy}"
    assert (tmp_path / "tables").resolve() == before and states(tmp_path) == {"lock", "one"}


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (
            ConnectionResetError(104, "Connection reset by peer"),
            SparkEnded,
            "EXP: Spark's process has ended: Connection reset by peer; the tables are as before",
        ),
        (
            ConnectionError("gone"),
            SparkEnded,
            "EXP: Spark's process has ended: gone; the tables are as before",
        ),
        (
            OSError(28, "No space left on device", "there"),
            TablesFailed,
            f"there: No space left on device\n    {WRITABLE} the tables are as before",
        ),
        (
            OSError("odd"),
            TablesFailed,
            f"EXP: odd\n    {WRITABLE} the tables are as before",
        ),
        (ValueError("a bug"), ValueError, "a bug"),
    ],
)
def test_what_goes_wrong_while_a_state_is_made(tmp_path, error, kind, said):
    published(tmp_path, "one")
    with pytest.raises(kind) as raised, snapshot.writing(tmp_path, "tables"):
        snapshot.draft(tmp_path, "tables")
        raise error
    assert (type(raised.value), str(raised.value)) == (kind, said.replace("EXP", str(tmp_path)))
    assert states(tmp_path) == {"lock", "one"}, "its draft is swept"
