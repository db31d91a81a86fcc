# SPDX-License-Identifier: Apache-2.0
"""`orchestrate new`: what it writes works as it is, and nothing half-written or overwritten."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator import durable
from orchestrator.applications import descriptor
from orchestrator.cli.app import main
from orchestrator.features.scaffold import write
from orchestrator.features.scaffold.kinds import KINDS
from tests import needs

needs.a_compiler()
TUTORIALS = Path(__file__).resolve().parents[3] / "docs" / "tutorials"
APPLICATIONS = [name for name in ("app", "merge-function") if name in KINDS]


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("kind", KINDS)
def test_a_tutorial_runs_the_test_that_is_written(kind):
    """tests/docs/test_tutorials.py runs every tutorial; a run of its own would cost as much again."""
    text = (TUTORIALS / f"{kind}.md").read_text()
    made = re.search(rf"^orchestrate new {kind} \S+$", text, re.MULTILINE)
    assert made and re.search(r"^pytest -q$", text[made.end() :], re.MULTILINE)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_the_template_is_left(kind):
    files = write.rendered(KINDS[kind], "my-own")
    assert files
    for path, content in files.items():
        assert "@" not in str(path) and ".template" not in str(path)
        for word in (b"@name@", b"@identifier@", b"@NAME@"):
            assert word not in content, path


@pytest.mark.parametrize(
    ("kind", "files", "commands"),
    [
        (
            "app",
            ["Makefile", "application.yaml", "first-one.c", "scenario.yaml", "test_first_one.py"],
            ["orchestrate validate scenario.yaml", "orchestrate run scenario.yaml --no-report"],
        ),
        (
            "merge-function",
            ["Makefile", "application.yaml", "first-one-merge.c", "first-one-merge.h", "first-one.c",
             "scenario.yaml", "test_first_one.py"],
            ["orchestrate validate scenario.yaml", "orchestrate run scenario.yaml --no-report"],
        ),
        (
            "metric",
            ["first_one.py", "scenario.yaml", "test_first_one.py"],
            ["orchestrate run scenario.yaml", "orchestrate metrics scenario.yaml"],
        ),
        (
            "topology",
            ["first_one.py", "scenario.yaml", "test_first_one.py"],
            ["orchestrate validate scenario.yaml",
             "orchestrate topology ./first_one.py --out first-one.svg"],
        ),
    ],
)  # fmt: skip
def test_it_says_what_was_written_and_what_to_run_next(here, capsys, kind, files, commands):
    for options, folder in ((["--folder", "elsewhere"], "elsewhere"), ([], "first-one")):
        assert main(["new", kind, "first-one", *options]) == 0
        assert capsys.readouterr().out.splitlines() == [
            f"{folder}:",
            *(f"  {name}" for name in files),
            "Next:",
            *(f"  {command}" for command in (f"cd {folder}", *commands, "pytest")),
        ]
        written = [path.relative_to(folder) for path in Path(folder).rglob("*") if path.is_file()]
        assert sorted(map(str, written)) == files


def test_others_may_look_into_the_folder_as_the_user_s_umask_says(here):
    before = os.umask(0o027)
    try:
        assert main(["new", "topology", "mine"]) == 0
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(before)
    assert (here / "mine").stat().st_mode & 0o777 == 0o750


def test_what_was_written_is_still_there_after_a_power_failure(here, monkeypatch):
    down = {}  # inode of what went down to the disk -> whether the folder had its name by then

    def fsync(descriptor: int) -> None:
        down[os.fstat(descriptor).st_ino] = (here / "mine").exists()

    monkeypatch.setattr(durable.os, "fsync", fsync)
    assert main(["new", "topology", "mine"]) == 0
    files = {path.stat().st_ino: False for path in (here / "mine").iterdir()}
    assert len(files) == 3 and down == files | {here.stat().st_ino: True}


def test_nothing_is_overwritten(here, capsys):
    (here / "mine").mkdir()
    assert main(["new", "app", "mine"]) == 2
    (here / "file").write_text("kept")
    assert main(["new", "app", "file"]) == 2
    (here / "link").symlink_to("nowhere")
    assert main(["new", "app", "link"]) == 2
    assert capsys.readouterr().err.count("already exists") == 3
    assert (here / "file").read_text() == "kept" and not list((here / "mine").iterdir())


@pytest.mark.parametrize(
    "name", ["", "My", "1st", "a_b", "a--b", "-a", "a-", "../a", "a/b", "a.c", "ü", "a" * 25, "x\n"]
)
def test_names_that_are_none(here, capsys, name):
    assert main(["new", "app", "--", name]) == 2
    assert capsys.readouterr().err == (
        f"orchestrate: {name!r} can't be its name: files and C functions are called after it\n"
        "    use lower-case letters, digits and single `-` between them, a letter first, at most 24\n"
    )
    assert not list(here.iterdir())


@pytest.mark.parametrize("name", ["a", "a" * 24, "a1-2b-c"])
def test_the_longest_name_and_one_with_digits_are_names(here, name):
    assert main(["new", "topology", name]) == 0
    assert (here / name / f"{name.replace('-', '_')}.py").is_file()


@pytest.mark.parametrize(
    ("kind", "name", "has_it", "other"),
    [
        ("app", "pubsub", "contiki-apps/middleware/pubsub/pubsub.c", ", such as my-pubsub"),
        ("app", "contiki", "contiki-apps/os/contiki.h", ", such as my-contiki"),
        ("merge-function", "max", "contiki-apps/middleware/aggregation/max.c", ", such as my-max"),
        ("app", "aggregation", "an application of contiki-apps", ", such as my-aggregation"),
        ("app", "csma", "contiki-apps/os/net/mac/csma/csma.c", ", such as my-csma"),
        # with my- in front the one is just short enough, the other too long
        ("metric", "notification-delay-ms", "a built-in metric", ", such as my-notification-delay-ms"),
        ("metric", "notification-miss-rate", "a built-in metric", ""),
        ("metric", "energy", "a family of built-in metrics", ", such as my-energy"),
        ("topology", "folded-chain", "a built-in topology", ", such as my-folded-chain"),
        ("topology", "null", "YAML reads it as no value", ", such as my-null"),
    ],
)  # fmt: skip
def test_names_of_what_is_there_already(here, capsys, kind, name, has_it, other):
    assert main(["new", kind, name]) == 2
    assert capsys.readouterr().err == (
        f"orchestrate: the name {name} is taken: {has_it}\n    choose another{other}\n"
    )
    assert not list(here.iterdir())


def test_a_folder_that_cannot_be_made(here, capsys):
    assert main(["new", "app", "mine", "--folder", "no/where"]) == 9
    assert capsys.readouterr().err == (
        f"orchestrate: there is no folder {here / 'no'}\n    make it, or choose another with --folder\n"
    )


def test_half_of_it_is_never_there(here, monkeypatch, capsys):
    written = []

    def full(path: Path, data: bytes) -> None:
        if len(written) == 2:
            raise OSError(28, "No space left on device")
        written.append(path)
        path.write_bytes(data)

    monkeypatch.setattr(write, "write", full)
    assert main(["new", "app", "mine"]) == 8
    assert capsys.readouterr().err == (
        f"orchestrate: {here / 'mine'} can't be written: No space left on device\n"
        "    choose another folder with --folder\n"
    )
    assert len(written) == 2 and not list(here.iterdir())


@pytest.mark.parametrize("kind", APPLICATIONS)
def test_an_application_is_described_without_fault(here, kind):
    assert main(["new", kind, "mine"]) == 0
    assert descriptor.load(here / "mine").name == "mine"


TREE = os.environ.get("CONTIKI_NG", "")


@pytest.mark.contiki_ng
@pytest.mark.skipif(not TREE or not Path(TREE).is_dir(), reason="CONTIKI_NG names no Contiki-NG tree")
@pytest.mark.parametrize("kind", APPLICATIONS)
def test_an_application_builds_unchanged_on_contiki_ng(here, kind):
    """Warnings as errors; the Makefile asks `orchestrate`, which is on the path, where the middleware is."""
    assert main(["new", kind, "mine"]) == 0
    (here / "bin").mkdir()
    (here / "bin" / "orchestrate").write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -m orchestrator.cli.app "$@"\n'
    )
    (here / "bin" / "orchestrate").chmod(0o755)
    environment = os.environ | {
        "PATH": f"{here / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    done = subprocess.run(
        ["make", "-C", "mine", "TARGET=cooja", "mine.cooja", f"CONTIKI={Path(TREE).resolve()}", "WERROR=1"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    assert (here / "mine" / "build" / "cooja" / "mine.cooja").is_file()


def test_a_merge_function_that_breaks_its_contract_is_told_of(here, capsys):
    assert main(["new", "merge-function", "rubbish"]) == 0
    source = here / "rubbish" / "rubbish-merge.c"
    source.write_text(source.read_text().replace("  return true;", "  stored->length = 200;\n  return true;"))
    main(["run", str(here / "rubbish" / "scenario.yaml"), "--store", str(here / "st"), "--no-report"])
    capsys.readouterr()
    shown = []
    for run in sorted((here / "st" / "rubbish" / "runs").iterdir()):
        assert main(["show", str(run)]) == 0
        shown.append(
            "Merges that were undone because the merge function broke its contract: "
            in capsys.readouterr().out
        )
    assert any(shown)
