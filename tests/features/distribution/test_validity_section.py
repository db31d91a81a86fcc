# SPDX-License-Identifier: Apache-2.0
"""The report's section on ages against validity."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pandas as pd

from orchestrator.features.distribution.validity_section import section
from orchestrator.report.data import PER_RUN_COLUMNS, Results

VALUES = [
    ("H", 1, "S", 900.0),
    ("H", 2, "S", 1100.0),
    ("H", 1, "total", 900.0),
    ("H", 2, "total", 1100.0),
    ("L", 1, "S", 7.0),
]


def results(validity: dict[str, int]) -> Results:
    rows = [
        ("e", cell, seed, f"{cell}{seed}", "age_peak_ms", key, value) for cell, seed, key, value in VALUES
    ]
    manifests = tuple(
        SimpleNamespace(cell=cell, parameters={"application": {"parameters": {"validity": us}}})
        for cell, us in validity.items()
    )
    return Results(
        "e", Path("e"), pd.DataFrame(rows, columns=list(PER_RUN_COLUMNS)), manifests, "", ("H", "L", "N")
    )


def test_the_oldest_event_stands_beside_the_validity():
    (table,) = section(results({"H": 1_000_000, "L": 0, "N": 5})).blocks
    (row,) = table.rows
    assert [entry.text for entry in row] == ["H", "S", "1,100.0", "1,000.0", "1 of 2"]
    assert row[2].tone == "bad"
    assert "No ages are known of N" in table.note  # it wasn't traced


def test_an_age_of_just_the_validity_is_valid():
    (table,) = section(results({"H": 1_100_000})).blocks
    assert table.rows[0][-1].text == "0 of 2" and "No ages" not in table.note


def test_there_is_no_section_without_a_validity():
    assert section(results({"H": 0})) is None
