# SPDX-License-Identifier: Apache-2.0
"""Runs of an application of the user's own: staged like ours, their identity its sources, not where they
lie."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from orchestrator.cli.app import main
from orchestrator.execution import pipeline
from orchestrator.inspect import traced
from orchestrator.inspect.find import Found
from orchestrator.runs.store import Store
from orchestrator.scenario.load import load
from tests import needs

needs.a_compiler()


@pytest.fixture
def app(tmp_path) -> Path:
    assert main(["new", "app", "mine", "--folder", str(tmp_path / "mine")]) == 0
    scenario = tmp_path / "mine" / "scenario.yaml"
    scenario.write_text(scenario.read_text().replace("1 min", "10 s").replace("1..3", "1"))
    return tmp_path / "mine"


def run(scenario: Path, store: Path):
    result = pipeline.run(load(scenario), store, report=False)
    assert not result.summary.failures
    return result.summary


def test_its_sources_are_part_of_what_a_run_is_and_its_place_is_not(app, tmp_path):
    store = tmp_path / "store"
    first = run(app / "scenario.yaml", store)
    assert first.made == 1
    shutil.copytree(app, tmp_path / "moved" / "mine")
    (app / "notes.md").write_text("not a source")
    assert (
        run(app / "scenario.yaml", store).made
        == run(tmp_path / "moved" / "mine" / "scenario.yaml", store).made
        == 0
    )
    (app / "mine.c").write_text((app / "mine.c").read_text().replace("20 + random", "30 + random"))
    changed = run(app / "scenario.yaml", store)
    assert changed.made == 1 and changed.run_ids != first.run_ids
    one, two = (Store(store).manifest("mine", summary.run_ids[0]) for summary in (first, changed))
    assert one.firmware != two.firmware and one.csc_sha256 != two.csc_sha256 and one.trend_id == two.trend_id
    assert one.parameters["application"]["name"] == "mine" and str(tmp_path) not in one.to_json()


def test_its_sources_are_staged_so_that_cooja_can_build_the_run(app, tmp_path):
    store = tmp_path / "store"
    (run_id,) = run(app / "scenario.yaml", store).run_ids
    folder = Store(store).folder("mine", run_id)
    source = re.search(r"\[CONFIG_DIR\](\S+?mine\.c)", (folder / "simulation.csc").read_text())[1]
    staged = Path(f"{folder}{source}").resolve()
    assert staged.read_bytes() == (app / "mine.c").read_bytes()
    assert {"Makefile", "eeprom-fields.h", "mine.c"} == {path.name for path in staged.parent.iterdir()}
    assert (staged.parents[2] / "Makefile.embedded").is_file() and (
        staged.parents[2] / "middleware" / "pubsub"
    ).is_dir()
    shutil.rmtree(app)
    log = tmp_path / "again"
    assert main(["simulate", str(folder / "simulation.csc"), "--seed", "1", "--logdir", str(log)]) == 0
    assert (log / "COOJA.testlog").read_bytes() == (folder / "COOJA.testlog").read_bytes()


def test_nothing_is_written_into_its_folder(app, tmp_path):
    before = sorted(app.rglob("*"))
    run(app / "scenario.yaml", tmp_path / "store")
    assert sorted(app.rglob("*")) == before


def test_a_run_is_made_again_with_the_trace_on(app, tmp_path):
    store = Store(tmp_path / "store")
    (run_id,) = run(app / "scenario.yaml", store.path).run_ids
    measured = Found(store.folder("mine", run_id), store.manifest("mine", run_id))
    twin = traced.make(measured)
    assert twin.manifest.resolved.trace
    assert not traced.check(measured, twin).differences


def test_other_commands_take_it_too(app, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["init", "starter.yaml", "--application", "./mine"]) == 0
    assert main(["validate", "starter.yaml"]) == 0
    assert main(["topology", "chain", "--application", "./mine", "--csc", "t.csc", "--seed", "1"]) == 0, (
        capsys.readouterr().err
    )
    assert "[CONFIG_DIR]/mine/mine.c" in (tmp_path / "t.csc").read_text()
    assert main(["build", "mine"]) == 0 and main(["build", "./mine/"]) == 0
