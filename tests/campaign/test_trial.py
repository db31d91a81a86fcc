# SPDX-License-Identifier: Apache-2.0
"""How a bisection tries one commit: what it takes from the worktree, and what the commit's code makes."""

import json
import subprocess
from dataclasses import replace

import pandas as pd
import pytest
import yaml

from orchestrator.errors import BuildFailed
from orchestrator.execution.progress import Listener
from orchestrator.features.campaigns.bisection import trial
from orchestrator.features.campaigns.bisection.trial import measured, moved, of_own, of_users
from orchestrator.features.campaigns.judging.blame import OUTCOME, Red
from orchestrator.features.campaigns.load import load
from orchestrator.runs.model import Outcome
from orchestrator.runs.store import Store
from orchestrator.scenario.model import TREE_IN_IMAGE
from tests.campaign.conftest import SCENARIO
from tests.campaign.nights_store import NAME, Nights
from tests.runs.conftest import make_cell, make_result, make_spec, put

LOSS = Red("chain", "merged", "event_loss_rate")


@pytest.fixture
def scenario(tmp_path, monkeypatch):
    monkeypatch.delenv("CONTIKI_NG", raising=False)
    (tmp_path / "one.yaml").write_text(SCENARIO)
    (tmp_path / "campaign.yaml").write_text("campaign: nights\nparts: [{scenario: one.yaml}]\n")
    return load(tmp_path / "campaign.yaml").parts[0].scenario


@pytest.fixture
def places(tmp_path):
    """A checkout with a Contiki-NG tree, and the worktree that stands for it."""
    top = tmp_path / "theirs"
    (top / "tree").mkdir(parents=True)
    (top / "tree" / "Makefile.include").write_text("")
    return top, tmp_path / "worktree"


def of(scenario, source, tree):
    return replace(scenario, firmware=replace(scenario.firmware, source=source, tree=tree))


def test_an_application_of_the_checkout_is_taken_from_the_worktree(scenario, places, tmp_path):
    top, worktree = places
    plain, merged = scenario.cells
    mine = replace(plain, application=replace(plain.application, folder=str(top / "mine")))
    foreign = replace(merged, application=replace(merged.application, folder=str(tmp_path / "elsewhere")))
    made, paths = moved(replace(scenario, cells=(mine, foreign, plain)), top, worktree)
    assert [cell.application.folder for cell in made.cells] == [
        str(worktree / "mine"),
        str(tmp_path / "elsewhere"),
        plain.application.folder,
    ]
    assert paths == ("mine",)


def test_a_contiki_ng_tree_of_the_checkout_is_taken_from_the_worktree(scenario, places, monkeypatch):
    top, worktree = places
    made, paths = moved(of(scenario, "contiki-ng", str(top / "tree")), top, worktree)
    assert (made.firmware.tree, paths) == (str(worktree / "tree"), ("tree",))
    monkeypatch.setenv("CONTIKI_NG", str(top / "tree"))
    made, paths = moved(of(scenario, "contiki-ng", None), top, worktree)
    assert (made.firmware.tree, paths) == (str(worktree / "tree"), ("tree",))


def test_a_tree_that_no_firmware_is_made_of_is_left_as_it_is(scenario, places, monkeypatch):
    top, worktree = places
    monkeypatch.setenv("CONTIKI_NG", str(top / "gone"))
    for source, tree in (
        (scenario.firmware.source, str(top / "tree")),
        (scenario.firmware.source, None),
        ("contiki-ng", TREE_IN_IMAGE),
    ):
        made, paths = moved(of(scenario, source, tree), top, worktree)
        assert (made.firmware.tree, paths) == (tree, ())


class Code:
    """A stand-in for a commit's code: it makes a round of a cell in the store that it is given."""

    def __init__(self, monkeypatch, returncode=0, stderr="", made=True, **night):
        self.returncode, self.stderr, self.made, self.night = returncode, stderr, made, night
        self.nights = None
        monkeypatch.setattr(trial.subprocess, "run", self.run)

    def run(self, command, **how):
        self.command, self.how = command, how
        if self.made:
            store = how["cwd"].parent / "store"
            self.nights = self.nights or Nights(store, 2)
            self.nights.night(**{"cells": ("merged",), "seeds": (1, 2)} | self.night)
        return subprocess.CompletedProcess(command, self.returncode, "", self.stderr)


GIVEN = {"campaign": NAME, "parts": [{"scenario": "chain.yaml", "cells": ["merged"]}]}


def tried(tmp_path, red=LOSS, told=None):
    (tmp_path / "worktree").mkdir(exist_ok=True)
    given = () if told is None else (told,)
    return of_own(GIVEN, tmp_path / "store", "c" * 40, red, tmp_path / "worktree", *given)


def test_the_code_of_a_commit_runs_a_campaign_with_this_python(tmp_path, monkeypatch):
    """It runs in the commit's folder, with a store of its own, and it reads no keyboard."""
    package = tmp_path / "worktree" / "orchestrator"
    (package / "cli").mkdir(parents=True)
    for folder in (package, package / "cli"):
        (folder / "__init__.py").write_text("")
    (package / "cli" / "app.py").write_text(
        "import json, os, sys\n"
        "told = {'words': sys.argv[1:], 'cwd': os.getcwd(), 'path': os.environ['PYTHONPATH'],\n"
        "        'stdin': sys.stdin.read(), 'bytecode': sys.dont_write_bytecode}\n"
        "print('something else', file=sys.stderr)\n"
        "print('orchestrate: ' + json.dumps(told), file=sys.stderr)\n"
        "print('the last line', file=sys.stderr)\n"
        "sys.exit(3)\n"
    )
    stages = []
    found = tried(tmp_path, told=Listener(stage=lambda text, *_: stages.append(text)))
    begins, _, told = found.skipped.partition("orchestrate: ")
    assert begins == "its code ended with 3: " and (found.values, found.run_ids, found.made) == ({}, {}, 0)
    file, store, worktree = (tmp_path / name for name in ("campaign.yaml", "store", "worktree"))
    assert json.loads(told) == {
        "words": ["campaign", "run", str(file), "--store", str(store), "--new"],
        "cwd": str(worktree),
        "path": f"{worktree}:{worktree / 'spark'}",
        "stdin": "",
        "bytecode": True,
    }
    assert yaml.safe_load(file.read_text()) == GIVEN and store.is_dir()
    assert stages == [f"running orchestrate of {'c' * 12}"]


@pytest.mark.parametrize("returncode", [0, 1, 7])
def test_what_the_code_of_a_commit_made_is_read(tmp_path, monkeypatch, returncode):
    code = Code(monkeypatch, returncode)
    found = tried(tmp_path)
    runs = {run.seed: run.run_id for run in code_runs(tmp_path)}
    assert found.commit == "c" * 40 and found.skipped == "" and found.run_ids == runs and found.made == 2
    assert found.values == {1: pytest.approx(0.1, abs=0.05), 2: pytest.approx(0.1, abs=0.05)}
    again = tried(tmp_path)
    assert (again.run_ids, again.made) == (runs, 0), "of the same code: the store has its runs"
    code.night = {"code": "b"}
    assert tried(tmp_path).made == 2


def code_runs(tmp_path):
    from orchestrator.features.campaigns import record

    return record.latest(tmp_path / "store", NAME).runs()


@pytest.mark.parametrize(
    ("code", "skipped"),
    [
        ({"returncode": 2, "stderr": "a\n\n", "made": False}, "its code ended with 2: a"),
        ({"returncode": 2, "made": False}, "its code ended with 2: it says nothing"),
        ({"returncode": -9, "stderr": "a\n b \n"}, "its code ended with -9: b"),
        ({"returncode": 4, "stderr": "x\norchestrate: so\nmore"}, "its code ended with 4: orchestrate: so"),
        ({"made": False}, "none of its runs has a value of it"),
        ({"measured": lambda run: False}, "none of its runs has a value of it"),
        ({"outcome": lambda run: Outcome.CRASH}, "none of its runs has a value of it"),
    ],
)  # fmt: skip
def test_a_commit_whose_code_says_nothing_is_skipped(tmp_path, monkeypatch, code, skipped):
    Code(monkeypatch, **code)
    found = tried(tmp_path)
    assert (found.skipped, found.values) == (skipped, {})


def test_a_seed_without_a_value_is_left_out(tmp_path, monkeypatch):
    Code(monkeypatch, measured=lambda run: run.seed == 2)
    found = tried(tmp_path)
    assert list(found.values) == [2] and sorted(found.run_ids) == [1, 2] and found.skipped == ""


def test_what_the_code_of_a_commit_wrote_in_another_form_is_skipped(tmp_path, monkeypatch):
    class Newer(Code):
        def run(self, command, **how):
            done = super().run(command, **how)
            (path,) = (tmp_path / "store").glob("campaigns/*/rounds/*.json")
            path.write_text(path.read_text().replace('"format": 1', '"format": 2'))
            return done

    Newer(monkeypatch)
    assert tried(tmp_path).skipped.startswith("what its code wrote can't be read: ")


@pytest.mark.parametrize("returncode", [130, -2])
def test_ctrl_c_ends_a_trial_and_is_no_result(tmp_path, monkeypatch, returncode):
    Code(monkeypatch, returncode, made=False)
    with pytest.raises(KeyboardInterrupt):
        tried(tmp_path)


def test_a_run_that_failed_is_1_and_one_that_the_machine_failed_nothing(tmp_path):
    store, ids = Store(tmp_path / "store"), []
    outcomes = (Outcome.OK, Outcome.FAILED, Outcome.CRASH, Outcome.LOST, Outcome.OK)
    for seed, outcome in enumerate(outcomes):
        ids.append(put(store, make_spec(make_cell(), seed), make_result(outcome)).run_id)
    found = measured(store.path, "trial", set(ids[:4]), Red("trial", "H5", OUTCOME))
    assert found == {ids[0]: 0.0, ids[1]: 1.0, ids[2]: 1.0}
    assert measured(store.path, "none", set(ids), LOSS) == {}


def test_a_metric_is_that_of_its_key_and_of_the_wanted_runs():
    rows = [
        ("a", "event_loss_rate", "total", 0.1),
        ("b", "event_loss_rate", "total", float("nan")),
        ("c", "event_loss_rate", "P1", 0.3),
        ("d", "delay_ms", "total", 0.4),
        ("e", "event_loss_rate", "total", 0.5),
    ]
    frame = pd.DataFrame(rows, columns=["run_id", "metric", "key", "value"])
    assert trial.of_frame(frame, {"a", "b", "c", "d"}, LOSS) == {"a": 0.1}
    assert trial.of_frame(frame, {"c", "e"}, replace(LOSS, key="P1")) == {"c": 0.3}


def test_only_the_seeds_that_nobody_knows_are_run(tmp_path, monkeypatch, scenario):
    """Of the user's own repository, with stand-ins for what builds and what runs."""
    cell = scenario.cells[1]
    scenario = replace(scenario, cells=(cell,), seeds=(1, 2, 3, 4))
    asked = []

    class Planned:
        def runs(self, wanted):
            assert wanted is cell
            return self

        def ids(self, seed):
            return f"run {seed}", "trend"

    class Done:
        summary = type("Summary", (), {"made": 2})

    def run(wanted, store, *, report, page, told):
        asked.append((wanted.seeds, report, page))
        return Done

    monkeypatch.setattr(trial.plans, "prepare", lambda *_, **__: Planned())
    monkeypatch.setattr(trial.pipeline, "run", run)
    monkeypatch.setattr(
        trial, "measured", lambda store, experiment, ids, red: {one: 0.5 for one in ids if one != "run 4"}
    )
    known = {"run 1": 0.25, "run 3": 0.0}
    made = of_users(scenario, tmp_path, "c" * 40, LOSS, known.get)
    assert asked == [((2, 4), True, False)]
    assert (made.values, made.made, made.skipped) == ({1: 0.25, 2: 0.5, 3: 0.0}, 2, "")
    assert made.run_ids == {seed: f"run {seed}" for seed in (1, 2, 3, 4)}
    made = of_users(scenario, tmp_path, "c" * 40, replace(LOSS, metric=OUTCOME), known.get)
    assert asked[1] == ((2, 4), False, False), "whether runs fail is told without tables"
    made = of_users(scenario, tmp_path, "c" * 40, LOSS, lambda run_id: 1.0)
    assert len(asked) == 2 and made.made == 0 and len(made.values) == 4

    def broken(*_, **__):
        raise BuildFailed("the firmware of mine can't be built\n    line 3: syntax error")

    monkeypatch.setattr(trial.plans, "prepare", broken)
    made = of_users(scenario, tmp_path, "c" * 40, LOSS, known.get)
    assert (made.skipped, made.values) == ("the firmware of mine can't be built", {})


def test_a_checkout_of_orchestrate_has_its_command_and_its_applications(tmp_path):
    assert not trial.is_own(tmp_path)
    (tmp_path / "orchestrator" / "cli").mkdir(parents=True)
    (tmp_path / "orchestrator" / "cli" / "app.py").write_text("")
    assert not trial.is_own(tmp_path)
    (tmp_path / "contiki-apps").mkdir()
    assert trial.is_own(tmp_path)
    (tmp_path / "orchestrator" / "cli" / "app.py").unlink()
    assert not trial.is_own(tmp_path)
