# SPDX-License-Identifier: Apache-2.0
"""A folder copied under another root: what is in the copy, where its links lead, and what can't be copied."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from orchestrator.build import overlay as overlays
from orchestrator.build.overlay import Overlay, overlay
from orchestrator.errors import StorageFailed, Unsupported


@pytest.fixture
def tree(tmp_path):
    """A folder with files, links and products, beside another."""
    folder = tmp_path / "tree" / "app"
    for name in ("sub", "build", ".git"):
        (folder / name).mkdir(parents=True)
    for name in ("a.c", "sub/b.c", "build/product", ".git/HEAD"):
        (folder / name).write_text(name)
    (folder / "run.sh").write_text("")
    (folder / "run.sh").chmod(0o755)
    (tmp_path / "tree" / "lib").mkdir()
    (tmp_path / "tree" / "lib" / "c.h").write_text("c.h")
    (folder / "sub" / "in").symlink_to("../a.c")
    (folder / "out").symlink_to("../lib/c.h")
    (folder / "absolute").symlink_to(folder / "a.c")
    return folder


def copied(tree, keep=False):
    return overlay(tree, tree.parents[1] / "home" / "root", products="build", keep=keep)


def test_what_a_copy_has(tree, tmp_path):
    made = copied(tree)
    root = tmp_path / "home" / "root"
    assert made == Overlay(root, root / str(tree)[1:])
    place = made.place
    assert sorted(path.relative_to(place).as_posix() for path in place.rglob("*")) == [
        ".git",
        "a.c",
        "absolute",
        "out",
        "run.sh",
        "sub",
        "sub/b.c",
        "sub/in",
    ]
    assert (place / "sub/b.c").read_text() == "sub/b.c" and os.access(place / "run.sh", os.X_OK)
    assert os.readlink(place / "sub/in") == "../a.c" and os.readlink(place / "absolute") == "a.c"
    assert os.readlink(place / "out") == str(tmp_path / "tree/lib/c.h")
    assert os.readlink(place / ".git") == str(tree / ".git")
    assert (place / "../lib/c.h").read_text() == "c.h" and os.readlink(place.parent / "lib") == str(
        tree.parent / "lib"
    )
    assert not (place.parent / "app").is_symlink()
    assert made.plain(f"{place}/a.c: {place}") == f"{tree}/a.c: {tree}"


@pytest.mark.parametrize("keep", [False, True])
def test_products_stay_only_where_they_are_kept(tree, keep):
    made = copied(tree, keep)
    (made.place / "build").mkdir()
    (made.place / "build" / "a.o").write_text("made")
    (made.place / "stray").write_text("")
    again = copied(tree, keep)
    assert (again.place / "build" / "a.o").exists() is keep
    assert not (again.place / "stray").exists() and not (tree.parents[1] / "home" / "products").exists()


@pytest.mark.parametrize(("name", "most", "enough"), [("MOST_FILES", 8, 7), ("MOST_BYTES", 10, 9)])
def test_a_large_folder_is_not_copied(tree, monkeypatch, name, most, enough):
    monkeypatch.setattr(overlays, name, most)
    copied(tree)
    monkeypatch.setattr(overlays, name, enough)
    with pytest.raises(
        Unsupported, match="a source's folder is copied before it is built\n    put the sources into"
    ):
        copied(tree)


def test_a_large_folder_s_limits_are_told(tree, monkeypatch):
    assert (overlays.MOST_FILES, overlays.MOST_BYTES) == (20_000, 512 << 20)
    monkeypatch.setattr(overlays, "MOST_FILES", 1)
    with pytest.raises(Unsupported, match=f"^{tree}: more than 1 files or 512 MiB; "):
        copied(tree)


def test_what_is_no_file_is_not_copied(tree):
    os.mkfifo(tree / "pipe")
    with pytest.raises(Unsupported) as raised:
        copied(tree)
    assert str(raised.value) == (
        f"{tree / 'pipe'}: neither file, folder nor link, so the folder of this source can't be copied to "
        f"be built\n"
        "    remove it, or put the sources into a folder of their own"
    )


def test_a_folder_that_can_t_be_read_and_one_that_can_t_be_written(tree, monkeypatch):
    def denied(*_):
        raise PermissionError(13, "Permission denied", "/x")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "iterdir", denied)
        with pytest.raises(
            Unsupported, match="^/x: Permission denied; the folder of a source is copied before it is built$"
        ):
            copied(tree)
    with monkeypatch.context() as patch:
        patch.setattr(overlays.shutil, "copy2", denied)
        with pytest.raises(
            StorageFailed, match="home: the sources can't be copied there: .*denied.*\n    free space there"
        ):
            copied(tree)


def test_a_folder_above_that_can_t_be_looked_into_is_passed_through(tree, monkeypatch):
    real = os.listdir

    def listdir(path):
        if Path(path) == tree.parent:
            raise PermissionError
        return real(path)

    monkeypatch.setattr(overlays.os, "listdir", listdir)
    made = copied(tree)
    assert sorted(path.name for path in made.place.parent.iterdir()) == ["app"]
