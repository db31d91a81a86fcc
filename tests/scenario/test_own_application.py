# SPDX-License-Identifier: Apache-2.0
"""A scenario that names an application of the user's own by its path."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from orchestrator.applications import descriptor
from orchestrator.cli.app import main
from orchestrator.errors import FaultyInput
from orchestrator.resources import contiki_apps
from orchestrator.runs.identity import plain
from orchestrator.scenario.load import load, loads
from orchestrator.scenario.schema import schema
from tests.placed import simulation

SCENARIO = """experiment: own
topology: {shape: chain, publishers: 2, spacing: 5 m}
application: {name: NAME}
duration: 20 s
seeds: 1
"""


@pytest.fixture
def home(tmp_path) -> Path:
    """A folder with the application my-app in it."""
    shutil.copytree(
        contiki_apps() / "apps" / "pubsub-hello", tmp_path / "my-app", ignore=shutil.ignore_patterns("build")
    )
    app = tmp_path / "my-app"
    (app / "pubsub-hello.c").rename(app / "my-app.c")
    for name in ("application.yaml", "Makefile"):
        (app / name).write_text((app / name).read_text().replace("pubsub-hello", "my-app"))
    return tmp_path


def write(home: Path, name: str, folder: str = ".") -> Path:
    (home / folder).mkdir(exist_ok=True, parents=True)
    path = home / folder / "scenario.yaml"
    path.write_text(SCENARIO.replace("NAME", name))
    return path


def faults(path: Path) -> list:
    with pytest.raises(FaultyInput) as raised:
        load(path)
    return list(raised.value.faults)


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("./my-app", "."),
        ("my-app/", "."),
        ("../my-app", "s"),
        ("../../my-app", "s/t"),
        (".", "my-app"),
        ("./", "my-app"),
        ("..", "my-app/s"),
        ("HERE/my-app", "s"),
    ],
)
def test_paths_are_seen_from_the_scenarios_folder(home, monkeypatch, name, folder):
    monkeypatch.chdir("/")
    (cell,) = load(write(home, name.replace("HERE", str(home)), folder)).cells
    assert cell.application.name == "my-app"
    assert Path(cell.application.folder).samefile(home / "my-app")
    assert descriptor.load(cell.application.where).file == Path(cell.application.folder) / "application.yaml"
    assert len(simulation(cell, 1).motes) == 3


def test_a_name_never_means_a_folder(home, monkeypatch):
    monkeypatch.chdir(home)
    (fault,) = faults(write(home, "my-app"))
    assert (
        fault.line == 3
        and "no application 'my-app'" in fault.what
        and "by its path, such as ./" in fault.remedy
    )


def test_where_it_lies_is_no_part_of_what_a_run_is(home):
    (here,) = load(write(home, "./my-app")).cells
    shutil.copytree(home / "my-app", home / "else" / "my-app")
    (there,) = load(write(home, "./my-app", "else")).cells
    assert here.application.folder != there.application.folder
    assert plain(here) == plain(there)
    assert str(home) not in json.dumps(plain(here))


@pytest.mark.parametrize(
    ("name", "what", "remedy"),
    [
        ("./gone", "no folder", "as seen from the scenario's folder"),
        ("HERE/gone", "no folder", "name the folder"),
        ("~/my-app", "no folder", "`~` is not replaced"),
        ("./my-app/my-app.c", "a file, not a folder", "name the folder"),
        ("./empty", "no application.yaml", "orchestrate new app"),
        ("./" + "x" * 250 + "/" + "y" * 3, "no folder", "name the folder"),
    ],
)
def test_what_is_not_there(home, name, what, remedy):
    (home / "empty").mkdir()
    (fault,) = faults(write(home, name.replace("HERE", str(home))))
    assert Path(fault.file).name == "scenario.yaml" and fault.line == 3
    assert what in fault.what and remedy in fault.remedy


def test_a_text_without_a_folder_has_no_paths_to_see_from(home):
    with pytest.raises(FaultyInput, match="it has none"):
        loads(SCENARIO.replace("NAME", "./my-app"), "x.yaml")
    assert (
        loads(SCENARIO.replace("NAME", str(home / "my-app")), "x.yaml").cells[0].application.name == "my-app"
    )


def test_everything_wrong_with_the_folder_at_once(home):
    app = home / "my-app"
    text = (app / "application.yaml").read_text()
    (app / "application.yaml").write_text(
        text.replace("name: my-app", "name: other").replace("control-node: false", "control-node: flase")
    )
    (app / "Makefile").unlink()
    (home / "secret.h").write_text("")
    (app / "link.h").symlink_to(home / "secret.h")
    os.mkfifo(app / "pipe.c")
    found = faults(write(home, "./my-app"))
    assert {(Path(fault.file).name, fault.line) for fault in found} == {
        ("application.yaml", 2),
        ("application.yaml", 5),
        ("my-app", 0),
        ("link.h", 0),
        ("pipe.c", 0),
    }
    said = "\n".join(map(str, found))
    for part in (
        "name is other, its folder is my-app",
        "neither true nor false",
        "no Makefile",
        "out of the application's folder",
        "neither file nor folder",
    ):
        assert part in said


def test_a_folder_of_other_things(home):
    for number in range(2_001):
        (home / "my-app" / f"{number}.dat").touch()
    (home / "my-app" / "7.dat").write_text("the largest" * 1000)
    (fault,) = faults(write(home, "./my-app"))
    assert "more than 2000 files" in fault.what


def test_a_store_in_the_folder_is_no_source(home):
    before = descriptor.load(home / "my-app")
    store = home / "my-app" / "orchestrate-store" / "own"
    store.mkdir(parents=True)
    (store / "x.c").write_text("junk")
    from orchestrator.build import sources

    assert not [
        path
        for path in sources.collect(sources.application_folder(before)).files
        if "orchestrate-store" in path
    ]


def test_two_applications_in_one_matrix(home):
    path = write(home, "./my-app")
    path.write_text(path.read_text() + "matrix:\n  application.name: [./my-app, probe-app]\n")
    scenario = load(path)
    assert [cell.application.where for cell in scenario.cells] == [str(home / "my-app"), "probe-app"]
    assert [cell.settings["application.name"] for cell in scenario.cells] == ["./my-app", "probe-app"]


@pytest.mark.parametrize(
    ("name", "valid"), [("./my-app", True), ("..", True), ("/a/b", True), ("my-app", False)]
)
def test_the_schema_allows_paths(name, valid):
    document = {
        "experiment": "own",
        "topology": {"shape": "chain", "publishers": 2},
        "application": {"name": name, "interval": "2 s", "rate": "whatever"},
        "duration": "20 s",
        "seeds": 1,
    }
    assert Draft202012Validator(schema()).is_valid(document) == valid


def test_validate_shows_it(home, capsys):
    assert main(["validate", str(write(home, "./my-app"))]) == 0
    assert "application.name" in capsys.readouterr().out
