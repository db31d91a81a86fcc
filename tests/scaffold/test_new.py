# SPDX-License-Identifier: Apache-2.0
"""`orchestrate new`: what it writes works as it is, and nothing half-written or overwritten."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.applications import descriptor
from orchestrator.cli.app import main
from orchestrator.scaffold import write
from orchestrator.scaffold.kinds import KINDS
from tests import needs

needs.a_compiler()
TUTORIALS = Path(__file__).resolve().parents[2] / "docs" / "tutorials"
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


@pytest.mark.parametrize("kind", KINDS)
def test_it_says_what_was_written_and_what_to_run_next(here, capsys, kind):
    assert main(["new", kind, "first-one", "--folder", "elsewhere"]) == 0
    said = capsys.readouterr().out
    written = sorted(
        path.relative_to("elsewhere").as_posix() for path in Path("elsewhere").rglob("*") if path.is_file()
    )
    assert written and all(f"  {name}\n" in said for name in written)
    assert "cd elsewhere\n" in said.partition("Next:")[2]


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
    assert "can't be its name" in capsys.readouterr().err
    assert not list(here.iterdir())


@pytest.mark.parametrize("name", ["pubsub", "contiki", "max", "aggregation", "csma"])
def test_names_of_files_that_firmware_has_already(here, capsys, name):
    assert main(["new", "app", name]) == 2
    assert f"the name {name} is taken" in capsys.readouterr().err
    assert not list(here.iterdir())


def test_a_folder_that_cannot_be_made(here, capsys):
    assert main(["new", "app", "mine", "--folder", "no/where"]) == 9
    assert "there is no folder" in capsys.readouterr().err


def test_half_of_it_is_never_there(here, monkeypatch, capsys):
    written = []

    def full(path: Path, data: bytes) -> None:
        if len(written) == 2:
            raise OSError(28, "No space left on device")
        written.append(path)
        path.write_bytes(data)

    monkeypatch.setattr(write, "write", full)
    assert main(["new", "app", "mine"]) == 8
    assert "No space left on device" in capsys.readouterr().err
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
