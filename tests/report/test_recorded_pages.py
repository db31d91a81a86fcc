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

from orchestrator.features.distribution import deadlines_section as deadlines
from orchestrator.features.distribution import validity_section as validity
from orchestrator.features.policies import section as policies
from orchestrator.report import page, recovery
from orchestrator.report.data import PER_RUN_COLUMNS, Results, read
from orchestrator.report.model import Gallery, Section
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


def test_the_page_of_one_seed(tmp_path):
    store = metrics_store.store(tmp_path, "mine", cells=("H5", "H5A"), seeds=(4,))
    known(page_text.of_page(page.build(read(store, "mine"))), "one-seed")


def test_the_page_of_metrics_without_manifests():
    """The user's own metric, zeros, keys that are no totals: everything is still shown."""
    made = {
        "b": {
            seed: [
                ("novelty", "total", seed),
                ("events_duplicated", "total", 0),
                ("forwarded", "timeout", 0),
                ("forwarded", "full", seed),
                ("packets_sent", "P10", 5),
                ("packets_sent", "P2", seed),
                ("delay_histogram", "10", 3),
                ("delay_histogram", "inf", 0),
                ("delay_histogram", "odd", 1),
            ]
            for seed in (1, 2)
        },
        "a": {7: [("novelty", "total", 3), ("retries", "total", 0), ("forwarded", "full", 0)]},
    }
    known(page_text.of_page(page.build(results(made))), "without-manifests")


def test_the_page_of_metrics_that_are_zero():
    lines = [("events_published", "total", 0), ("events_lost", "total", 0), ("forwarded", "full", 0)]
    known(page_text.of_page(page.build(results({"a": {1: lines, 2: lines}}))), "zero")


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
    known(page_text.of_section(policies.section(results(values))), "policies")
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
    known(page_text.of_section(deadlines.section(results(values))), "deadlines")
    alone = {"H": {1: [line for line in of(1, 0) if "T1" in line[1]]}}
    known(page_text.of_section(deadlines.section(results(alone))), "deadlines-of-one-cell")


def test_a_long_figure_of_deadlines_is_in_parts():
    lines = [("completion_us", f"P1/T{place}/last/100", place) for place in range(deadlines.MOST_ROWS + 1)]
    gallery = deadlines.section(results({"H": {1: lines}})).blocks[0]
    assert isinstance(gallery, Gallery)
    assert [(one.name, one.title, len(one.drawing.rows)) for one in gallery.figures] == [
        ("completions-1", "Completion times against deadlines (1 of 2)", deadlines.MOST_ROWS),
        ("completions-2", "Completion times against deadlines (2 of 2)", 1),
    ]


def test_ages_against_validity():
    def given(cell: str, us: int):
        parameters = manifests.parameters(application={"name": "aggregation", "parameters": {"validity": us}})
        return manifests.manifest(cell=cell, parameters=parameters)

    values = {
        "H": {seed: [("age_peak_ms", key, 1000.0 * seed) for key in ("S", "S2", "total")] for seed in (1, 2)},
        "L": {1: [("age_peak_ms", "S", 7.25)]},
        "N": {1: [("packets_sent", "S", 1)]},
        "O": {1: [("packets_sent", "S", 1)]},
    }
    settings = {"H": 1_500_000, "L": 7_250, "N": 5, "O": 9}
    found = results(values, manifests=tuple(given(cell, us) for cell, us in settings.items()))
    known(page_text.of_section(validity.section(found)), "validity")


def test_delivery_around_a_mote_s_death():
    def of(seed: int) -> list[Line]:
        windows = {"-1.0": 1.0, "-0.5": 0.9, "+0.0": 0.1 * seed, "+0.5": 0.8}
        found = [
            ("delivery_ratio", f"{name}/{window}", share)
            for name in ("P10", "P2", "total")
            for window, share in windows.items()
        ]
        return [*found, ("recovery_renewals", "P2", 1.5 * seed), ("recovery_renewals", "P10", float("nan"))]

    figures = recovery.figures(results({"1 of 2": {1: of(1), 2: of(2)}, "%": {1: of(1)}}))
    known(page_text.of_section(Section("r", "Repair", (Gallery(tuple(figures)),))), "repair")


PLACED = [
    {"mote": 2, "name": "m2", "gateway": "g1", "eui64": "00"},
    {"mote": 1, "name": "m7", "gateway": "g2", "eui64": "01"},
]
ON_TESTBED = {
    "lab": "cellar",
    "layout": "hall",
    "motes": PLACED,
    "clock_error_us": 1500,
    "boot_spread_us": 250_000,
    "replaced": ["m7 is in the place of m1: dead."],
    "missing": [],
    "notes": ["A line was cut."],
    "tools": ["a tool 1.0"],
}
REAL = {"name": "testbed", "version": "lab 3", "rules": "real radios and clocks"}
USED = {"sim_us": 7_300_000_000, "wall_s": 7200.0, "events": 0, "peak_memory": 0}


@pytest.mark.parametrize(
    ("name", "runs"),
    [
        ("on-motes", [{"engine": REAL, "testbed": ON_TESTBED, "statistics": USED}]),
        ("on-no-mote", [{"engine": REAL, "outcome": "testbed failed", "statistics": USED}]),
        (
            "on-both",
            [
                {"engine": REAL, "testbed": ON_TESTBED | {"missing": ["P1 from 3 s on"], "tools": []}},
                {"seed": 2, "firmware": {}, "host": {"name": "b", "cpu": "x"}},
                {"seed": 3, "statistics": USED | {"wall_s": 0.0, "events": 12_345, "peak_memory": 3 << 20}},
            ],
        ),
        (
            "of-no-time",
            [
                {
                    "parameters": manifests.parameters(duration_us=0),
                    "engine": {"name": "cooja", "version": "2026", "rules": ""},
                    "started": "2026-01-02T00:00:00Z",
                }
            ],
        ),
    ],
)
def test_where_the_numbers_come_from(name, runs):
    made = tuple(manifests.manifest(f"{place}" * 20, **run) for place, run in enumerate(runs))
    values = {"base": {one.seed: [("clock_jumps", "total", 1), ("malformed_lines", "S", 2)] for one in made}}
    known(page_text.of_section(provenance(results(values, manifests=made))), f"provenance-{name}")


def test_of_many_runs_that_ended_badly_the_first_are_listed():
    made = manifests.manifest(outcome="crash", evidence=[])
    for count, more in ((50, ""), (51, " Not listed: 1 more.")):
        runs = tuple(replace(made, seed=seed) for seed in range(count))
        found = provenance(results({"base": {1: [("packets_sent", "S", 1)]}}, manifests=runs))
        table = found.blocks[-1]
        assert table.title == f"Runs that did not end with a good verdict ({count})"
        assert len(table.rows) == 50
        assert table.note == f"None of them is in the numbers above.{more}"
