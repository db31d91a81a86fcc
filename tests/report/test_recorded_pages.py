# SPDX-License-Identifier: Apache-2.0
"""Pages as they were when somebody last looked at them: each sentence, entry, caption and number."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import metrics_store
import page_text
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from orchestrator.report import deadlines, page, policies
from orchestrator.report.data import PER_RUN_COLUMNS, Results, read
from orchestrator.report.model import Gallery
from orchestrator.report.provenance import section as provenance
from tests import manifests, recorded

RECORDED = Path(__file__).with_name("recorded_pages")
Line = tuple[str, str, float]  # metric, key, value


def known(text: str, name: str) -> None:
    recorded.same(text, RECORDED / f"{name}.txt")


def results(values: dict[str, dict[int, Iterable[Line]]], **more) -> Results:
    """The results of these lines, by cell and seed."""
    rows = [
        ("e", cell, seed, f"{cell}{seed}", metric, key, float(value))
        for cell, seeds in values.items()
        for seed, lines in seeds.items()
        for metric, key, value in lines
    ]
    frame = pd.DataFrame(rows, columns=list(PER_RUN_COLUMNS))
    given = {"manifests": (), "scenario": "", "cells": tuple(values)} | more
    return Results("e", Path("nowhere"), frame, **given)


@pytest.fixture(scope="module")
def unfinished(tmp_path_factory) -> Results:
    """Four cells and three seeds; a run crashed, one has no metrics, two are not made yet."""
    folder = tmp_path_factory.mktemp("unfinished")
    store = metrics_store.store(folder, "mine", cells=("H5", "H5A", "L5", "L5A"), seeds=range(1, 4))
    root = folder / "mine"
    made = {path: json.loads(path.read_text()) for path in sorted(root.glob("runs/*/manifest.json"))}
    changes = {("H5", 2): {"outcome": "crash", "evidence": ["ID:2 died", "of 11", "in a", "fourth"]}}
    changes[("L5A", 3)] = {"outcome": "ok"}
    left_out = set()
    for path, manifest in made.items():
        if change := changes.get((manifest["cell"], manifest["seed"])):
            left_out.add(manifest["run_id"])
            path.write_text(json.dumps(manifest | change))
    plan = sorted(((one["cell"], one["seed"]), one["run_id"]) for one in made.values())
    ids = [run_id for _, run_id in plan] + ["0" * 64, "1" * 64]
    (root / "campaign.json").write_text(json.dumps({"format": 1, "experiment": "mine", "runs": ids}))
    (table,) = (root / "metrics" / "per_run").glob("*.parquet")
    frame = pd.read_parquet(table)
    frame = frame[~frame["run_id"].isin(left_out)]
    frame.loc[frame["metric"] == "malformed_lines", "value"] = 2.0
    parquet.write_table(pa.Table.from_pandas(frame, preserve_index=False), table)
    return read(store, "mine")


def test_the_page_of_an_unfinished_experiment(unfinished):
    known(page_text.of_page(page.build(unfinished)), "unfinished")


def test_the_policies_of_motes():
    def of(seed: int, cell: int) -> list[Line]:
        keys = ["P1/Figure 5", "P2/Figure 5", "P1/own"]
        found = [
            (metric, key, (place + 1) * seed * cell)
            for metric in ("policy_accepted", "policy_discarded", "policy_no_rule", "policy_loaded")
            for place, key in enumerate(keys[: 4 - cell])
        ]
        counted = [("policy_events", 3 * seed), ("policy_too_long", 0), ("policy_operations", cell - 1)]
        return [*found, *(("policy_counters", name, value) for name, value in counted)]

    values = {f"c{cell}": {seed: of(seed, cell) for seed in (1, 2, 3)} for cell in (1, 2)}
    shown = page_text.of_section(policies.section(results(values)))
    assert "Figure 5" in shown and "own" in shown
    assert policies.section(results({"c": {1: [("packets_sent", "S", 1)]}})) is None


def test_a_long_table_of_policies_says_what_it_leaves_out():
    lines = [
        (metric, f"P{mote}/p", 1.0)
        for metric in ("policy_accepted", "policy_discarded", "policy_no_rule", "policy_loaded")
        for mote in range(policies.MOST_ROWS + 2)
    ]
    for count, note in ((0, "Means over 1 seed."), (2, "The table metrics/summary has 2 more rows.")):
        some = [one for one in lines if int(one[1][1:-2]) < policies.MOST_ROWS + count]
        table = policies.section(results({"c": {1: some}})).blocks[2]
        assert len(table.rows) == policies.MOST_ROWS and table.note.endswith(note)


def test_deadlines_and_ages():
    def of(seed: int, beyond: int) -> list[Line]:
        jobs = {"P1/read a/T1/source/900": 850 + seed, "P2/T1/last/1200": 1100.0 + 100 * beyond}
        found = [("completion_us", key, value) for key, value in jobs.items()]
        found += [("jobs_ended", key, 20) for key in jobs]
        ages = {"P2/T1/5000": 4000 + seed, "P3/T2/0": 7.0}
        found += [("data_age_us", key, value) for key, value in ages.items()]
        found += [("values_used", key, 10.0) for key in ages]
        found += [("clock_error_us", key, seed) for key in ages]
        return [*found, ("deadlines_missed", "T1", beyond), ("outdated_reads", "T1", 0)]

    values = {"H": {1: of(1, 0), 2: of(2, 2)}, "L": {1: of(3, 0)}}
    assert "T1" in page_text.of_section(deadlines.section(results(values)))


def test_a_long_figure_of_deadlines_is_in_parts():
    lines = [("completion_us", f"P1/T{place}/last/100", place) for place in range(deadlines.MOST_ROWS + 1)]
    gallery = deadlines.section(results({"H": {1: lines}})).blocks[0]
    assert isinstance(gallery, Gallery)
    assert [(one.name, one.title, len(one.drawing.rows)) for one in gallery.figures] == [
        ("completions-1", "Completion times against deadlines (1 of 2)", deadlines.MOST_ROWS),
        ("completions-2", "Completion times against deadlines (2 of 2)", 1),
    ]


def test_of_many_runs_that_ended_badly_the_first_are_listed():
    made = manifests.manifest(outcome="crash", evidence=[])
    for count, more in ((50, ""), (51, " Not listed: 1 more.")):
        runs = tuple(replace(made, seed=seed) for seed in range(count))
        found = provenance(results({"base": {1: [("packets_sent", "S", 1)]}}, manifests=runs))
        table = found.blocks[-1]
        assert table.title == f"Runs that did not end with a good verdict ({count})"
        assert len(table.rows) == 50
        assert table.note == f"None of them is in the numbers above.{more}"
