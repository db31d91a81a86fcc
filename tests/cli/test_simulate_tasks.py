# SPDX-License-Identifier: Apache-2.0
"""Which simulations `orchestrate simulate` is to run: files and folders, their settings, names and log
folders.
"""

from pathlib import Path

import pytest

from orchestrator.cli.app import main
from orchestrator.cli.simulate_tasks import Operand, operand, tasks
from orchestrator.errors import NoSuchThing, WrongUsage
from orchestrator.vocabulary.simulators import SIMULATORS, engines


@pytest.fixture
def tree(tmp_path, monkeypatch) -> Path:
    for name in (
        "a.csc",
        "b.csc.gz",
        "rpl/a.csc",
        "rpl/deep/c.csc",
        "rpl/notes.txt",
        ".git/d.csc",
        "rpl/.e.csc",
    ):
        path = tmp_path / "tests" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def planned(*texts: str, seed: int | None = None) -> list[tuple[str, int | None, str, str]]:
    found = tasks([operand(text, seed, Path("out")) for text in texts])
    return [(str(one.file), one.seed, one.name, str(one.logdir)) for one in found]


def test_settings_in_a_file_s_name(tree):
    assert operand("a.csc", None, Path()) == Operand(Path("a.csc"), None, Path())
    assert operand("a.csc.gz,random-seed=-0x10,logdir=b,autostart=true", 3, Path("c")) == Operand(
        Path("a.csc.gz"), -16, Path("b")
    )
    assert operand("tests,random-seed=4", 3, Path("c")) == Operand(Path("tests"), 4, Path("c"))
    for wrong in ("a.csc,logdir=", "a.csc,speed=2", "a.xml", "none"):
        with pytest.raises(WrongUsage):
            operand(wrong, None, Path())


def test_one_file_writes_into_the_log_folder_itself(tree):
    assert planned("tests/rpl/a.csc", seed=5) == [("tests/rpl/a.csc", 5, "a", "out")]


def test_a_folder_with_those_below_it_but_nothing_hidden(tree):
    assert planned("tests") == [
        ("tests/a.csc", None, "a", "out/a"),
        ("tests/b.csc.gz", None, "b", "out/b"),
        ("tests/rpl/a.csc", None, "rpl/a", "out/rpl/a"),
        ("tests/rpl/deep/c.csc", None, "rpl/deep/c", "out/rpl/deep/c"),
    ]
    assert planned("tests/rpl/deep") == [("tests/rpl/deep/c.csc", None, "c", "out/c")], (
        "also where it has only one"
    )


def test_files_that_would_write_one_log_get_folders_of_their_own(tree):
    assert planned("tests/a.csc", "tests/rpl/a.csc", "tests/b.csc.gz,logdir=other") == [
        ("tests/a.csc", None, "a", "out/a"),
        ("tests/rpl/a.csc", None, "rpl/a", "out/rpl/a"),
        ("tests/b.csc.gz", None, "b", "other"),
    ]
    assert planned("tests/a.csc,logdir=x", "tests/b.csc.gz,logdir=./x") == [
        ("tests/a.csc", None, "a", "x/a"),
        ("tests/b.csc.gz", None, "b", "x/b"),
    ]


def test_one_file_several_times_is_told_apart(tree):
    (tree / "tests" / "a-2.csc").write_text("")
    assert planned("tests/a.csc,random-seed=1", "tests/a.csc,random-seed=2", "tests/a-2.csc") == [
        ("tests/a.csc", 1, "a", "out/a"),
        ("tests/a.csc", 2, "a-3", "out/a-3"),
        ("tests/a-2.csc", None, "a-2", "out/a-2"),
    ]
    (tree / "tests" / "b.csc").write_text("")
    assert [name for _, _, name, _ in planned("tests")] == ["a-2", "a", "b", "b-2", "rpl/a", "rpl/deep/c"]


def test_a_log_folder_that_another_s_own_would_be(tree):
    real = tree.resolve()
    assert planned("tests/a.csc", "tests/b.csc.gz", "tests/rpl/a.csc,logdir=out/a") == [
        ("tests/a.csc", None, "a", "out/a"),
        ("tests/b.csc.gz", None, "b", "out/b"),
        ("tests/rpl/a.csc", None, "rpl/a", f"{real}/out/a-2"),
    ]


def test_a_file_of_a_folder_that_is_named_by_itself_is_taken_as_named(tree):
    assert [(file, seed) for file, seed, _, _ in planned("tests/rpl", "tests/rpl/a.csc,random-seed=9")] == [
        ("tests/rpl/deep/c.csc", None),
        ("tests/rpl/a.csc", 9),
    ]
    assert len(planned("tests", "tests/rpl")) == 4, "nor is one of two folders taken twice"


def test_a_folder_without_any(tree):
    (tree / "empty").mkdir()
    with pytest.raises(NoSuchThing, match="empty: no .csc or .csc.gz in this folder"):
        planned("empty")


@pytest.mark.parametrize("engine", sorted(set(engines()) - set(SIMULATORS)))
def test_an_engine_that_runs_no_csc_is_refused_by_its_name(engine, tree, capsys):
    assert main(["simulate", "--engine", engine, str(tree / "tests" / "a.csc")]) == 2
    assert f"orchestrate run --engine {engine}" in capsys.readouterr().err
