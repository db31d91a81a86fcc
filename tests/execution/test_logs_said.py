# SPDX-License-Identifier: Apache-2.0
"""What a command says of the logs of its campaign, and what the command line changes of a scenario."""

from __future__ import annotations

import os
from pathlib import Path

import orchestrate_spark.load
import polars
import pyarrow
import pytest

from orchestrator.execution import pipeline
from orchestrator.execution.results import SharedFolder
from orchestrator.execution.workers import Workers
from orchestrator.scenario.load import loads
from orchestrator.scenario.model import EngineOptions

BASE = """\
experiment: trial
topology: {shape: chain, publishers: 2}
application: {name: aggregation}
duration: 10 s
seeds: 1
"""
LONG = "b" * 64


@pytest.fixture
def said(monkeypatch):
    """Answer what is said of a table with these rows (run, mote, reason or name, number)."""

    def say(what, rows, *, name, number):
        columns = ("run_id", "mote", name, number)
        table = pyarrow.Table.from_pylist([dict(zip(columns, row, strict=True)) for row in rows])

        def load(folder, form, tables):
            assert folder == Path("store/trial") and len(tables) == 1
            return {tables[0]: polars.from_arrow(table) if form == "polars" else table}

        monkeypatch.setattr(orchestrate_spark.load, "load", load)
        heard: list[str] = []
        what(Path("store/trial"), ["a", LONG], heard.append)
        return heard

    return say


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([("other", 1, "cut", 5)], []),
        (
            [("a", 1, "cut", 2)],
            [
                "damaged lines in the logs of 1 run: 2 cut; `orchestrate ingest trial` shows them",
            ],
        ),
        (
            [("a", 1, "cut", 2), (LONG, 1, "NUL", 4), ("a", 2, "cut", 1), ("other", 1, "NUL", 9)],
            ["damaged lines in the logs of 2 runs: 4 NUL, 3 cut; `orchestrate ingest trial` shows them"],
        ),
    ],
)
def test_damaged_lines_by_reason_most_first(said, rows, words):
    assert said(pipeline._say_damage, rows, name="reason", number="count") == words


BROKEN = (
    "the merge function broke its contract (it may change the stored event's data alone, to data of the "
    "same length)\n    first at mote"
)
WARNED = "its log has a warning for each"


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([("a", 1, "merges_undone", 0), ("a", 1, "merged", 3), ("other", 1, "merges_undone", 3)], []),
        (
            [("a", 7, "merges_undone", 1)],
            [f"1 merge undone in 1 run: {BROKEN} 7 of run a; {WARNED}"],
        ),
        (
            [
                (LONG, 1, "merges_undone", 5),
                (LONG, 2, "merges_undone", 1),
                ("a", 9, "merges_undone", 1),
                ("a", 3, "merges_undone", 2),
            ],
            [f"9 merges undone in 2 runs: {BROKEN} 3 of run a; {WARNED}"],
        ),
        (
            [(LONG, 4, "merges_undone", 2)],
            [f"2 merges undone in 1 run: {BROKEN} 4 of run {'b' * 12}; {WARNED}"],
        ),
    ],
)
def test_merges_that_were_undone(said, rows, words):
    assert said(pipeline._say_undone, rows, name="name", number="value") == words


def test_logs_that_are_left_out():
    heard: list[str] = []
    pipeline._say_left_out(Path("store/trial"), ["a", "b"], heard.append)
    assert heard == [
        f"the log of run {run} is not what the run wrote (its SHA-256 is not that of the manifest): "
        "it is left out\n"
        f"    remove it with `orchestrate runs remove trial {run}` and run the scenario again"
        for run in "ab"
    ]


@pytest.mark.parametrize(
    ("line", "asked", "options"),
    [
        ("", {}, EngineOptions()),
        ("", {"path": "cooja", "heap": 7}, EngineOptions(path="cooja", heap=7)),
        ("", {"image": "me/mine@sha256:00"}, EngineOptions(image="me/mine@sha256:00")),
        ("", {"plain": True}, EngineOptions(plain=True)),
        ("engine: {name: cooja, path: /there}", {}, EngineOptions(path="/there")),
        ("engine: {name: cooja, path: /there}", {"path": "/mine"}, EngineOptions(path="/mine")),
    ],
)
def test_an_engine_s_options_as_the_command_line_has_them(line, asked, options):
    scenario = loads(f"{BASE}{line}\n", "x.yaml")
    changed = pipeline.with_engine(scenario, None, **asked)
    assert changed.engine == options and changed.cells == scenario.cells


def test_another_engine_has_its_own_rules():
    scenario = pipeline.with_rules(loads(BASE, "x.yaml"), "2026.07")
    same, other = (pipeline.with_engine(scenario, name) for name in (scenario.cells[0].engine, "cooja"))
    assert same.cells == scenario.cells
    assert [(cell.engine, cell.ruleset) for cell in other.cells] == [("cooja", None)]


def test_what_another_machine_sweeps_or_has_locked_ends_no_sweep(tmp_path, monkeypatch):
    for name in ("locked", "old"):
        (tmp_path / f".tmp-{name}").mkdir()
        os.utime(tmp_path / f".tmp-{name}", (0, 0))
    rmdir = os.rmdir

    def remove(path, **named):
        if "locked" in str(path):
            raise PermissionError(path)
        rmdir(path, **named)

    monkeypatch.setattr(os, "rmdir", remove)
    monkeypatch.setattr(
        Path, "glob", lambda place, _: [place / f".tmp-{name}" for name in ("gone", "locked", "old")]
    )
    SharedFolder(tmp_path).sweep()
    assert os.listdir(tmp_path) == [".tmp-locked"]


def test_work_is_told_to_end_again_soon(monkeypatch):
    workers, waited = Workers(), []
    monkeypatch.setattr(workers, "idle", lambda seconds: waited.append(seconds) or len(waited) == 3)
    stops: list[int] = []
    workers.end(lambda: stops.append(1))
    assert len(stops) == 3 and set(waited) == {0.05}
