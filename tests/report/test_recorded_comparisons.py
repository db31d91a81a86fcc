# SPDX-License-Identifier: Apache-2.0
"""Comparisons as they were when somebody last looked at them: page, terminal, JSON and CSV."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import page_text
import pytest
from compared_store import cell, store, values

from orchestrator.cli.app import main
from orchestrator.report.comparison import page
from orchestrator.report.comparison.rows import Comparison, compare
from orchestrator.report.comparison.sides import side
from tests import recorded

RECORDED = Path(__file__).with_name("recorded_comparisons")
SIZES = (3, 5, 9)


def before(name: str, seed: int):
    return [
        *values(100 + 3 * seed, 0.01 * seed),
        ("delay_ms", "p50", 20.0 + seed),
        ("delay_ms", "mean", 30.0 + seed * seed),
        ("events_duplicated", "total", 0.0),
        *([("reduction", "total", 0.5)] if name == "5" else []),
    ]


def after(name: str, seed: int):
    """One more event is published by P1 with 9 publishers; nothing changes with 3."""
    if name == "3":
        return before(name, seed)
    many = 1000.0 if name == "9" else 1.0
    return [
        *values(100 + 3 * seed + many, 0.01 * (seed % 2), published=101.0 if name == "9" else 100.0),
        ("delay_ms", "p50", 20.0 - seed),
        ("delay_ms", "mean", 28.0 + seed * seed),
        ("events_duplicated", "total", float(seed)),
    ]


@pytest.fixture(scope="module")
def stores(tmp_path_factory) -> Path:
    """Three pairs of cells of two stores, a cell that only one has, and runs that don't count."""
    folder = tmp_path_factory.mktemp("compared")
    ours = {f"{size}": cell(size) for size in SIZES} | {"only": cell(7)}
    theirs = {f"{size}": cell(size, rx=0.9, note="x" * 70) for size in SIZES}
    store(folder / "one", "chain", ours, before)
    bad = {("3", 2): "crash", ("5", 1): "failed verdict"}
    store(
        folder / "two",
        "chain",
        theirs,
        lambda name, seed: None if (name, seed) == ("5", 4) else after(name, seed),
        outcome=lambda name, seed: bad.get((name, seed), "ok"),
        firmware="e" * 64,
        planned=6,
    )
    return folder


def compared(stores: Path, margin: float | None = None, metrics=()) -> Comparison:
    a, b = (
        replace(side(stores / name, "chain"), store=Path(name)) for name in ("one", "two")
    )  # the page names the stores
    return compare(a, b, metrics, margin)


def ask(*more: str) -> list[str]:
    return ["compare", "chain", "chain", "--store", "one", "--store-b", "two", *more]


def test_the_page(stores):
    recorded.same(page_text.of_page(page.build(compared(stores, 0.02))), RECORDED / "page-with-margin.txt")


def test_the_json_and_the_csv(stores, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(stores)
    assert main(ask("--json", "--margin", "2%", "--csv", str(tmp_path / "rows.csv"))) == 1
    said = capsys.readouterr().out
    assert json.loads(said)["report"] is None
    written = (tmp_path / "rows.csv").read_text(encoding="utf-8")
    assert len(written.splitlines()) == len(json.loads(said)["rows"]) + 1
