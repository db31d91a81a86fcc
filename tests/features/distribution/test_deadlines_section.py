# SPDX-License-Identifier: Apache-2.0
"""The report's section on deadlines and ages."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from orchestrator.features.distribution.deadlines_section import section
from orchestrator.report.data import PER_RUN_COLUMNS, Results
from orchestrator.report.model import Gallery, Table

VALUES = [  # seed, metric, key, value
    *[(seed, "completion_us", "P1/C/T/last/80", value) for seed, value in ((1, 70), (2, 90))],
    *[(seed, "jobs_ended", "P1/C/T/last/80", 10) for seed in (1, 2)],
    *[(seed, "deadlines_missed", "C/T", value) for seed, value in ((1, 0), (2, 3))],
    *[(seed, "completion_us", "S/G/source/1000", 900) for seed in (1, 2)],
    *[(seed, "jobs_ended", "S/G/source/1000", 10) for seed in (1, 2)],
    *[(seed, "deadlines_missed", "G", 0) for seed in (1, 2)],
    *[(seed, "data_age_us", "P1/T/5000", value) for seed, value in ((1, 4000), (2, 4500))],
    *[(seed, "values_used", "P1/T/5000", 5) for seed in (1, 2)],
    *[(seed, "outdated_reads", "T", 0) for seed in (1, 2)],
    *[(seed, "clock_error_us", "P1/T/5000", value) for seed, value in ((1, 2), (2, 7))],
]


def results(values) -> Results:
    rows = [("e", "H", seed, f"r{seed}", metric, key, float(value)) for seed, metric, key, value in values]
    return Results("e", Path("e"), pd.DataFrame(rows, columns=list(PER_RUN_COLUMNS)), (), "", ("H",))


@pytest.fixture(scope="module")
def made():
    return section(results(VALUES))


def rows(made, title):
    (table,) = [block for block in made.blocks if isinstance(block, Table) and block.title == title]
    return [[entry.text for entry in row] for row in table.rows], table


def test_the_largest_of_all_runs_stands_beside_the_deadline(made):
    found, table = rows(made, "Completion times")
    assert found == [
        ["H", "C/T", "last", "20", "90", "80", "3"],
        ["H", "G", "source", "20", "900", "1,000", "0"],
    ]
    assert "Missed: 3 of 40 jobs." in table.note
    assert [row[-1].tone for row in table.rows] == ["bad", ""]


def test_ages_stand_beside_validity_and_the_clocks_error(made):
    found, table = rows(made, "Ages of data")
    assert found == [["H", "T", "10", "4,500", "5,000", "0", "7"]]
    assert "Outdated: 0 of 10 values." in table.note


def test_the_figures_show_what_targets_wait_for(made):
    (gallery,) = [block for block in made.blocks if isinstance(block, Gallery)]
    completions, ages = gallery.figures
    assert completions.drawing.rows == [("H", "C/T", 90.0, 80)]  # a source delivers nothing
    assert ages.drawing.rows == [("H", "T", 4500.0, 5000)]
    assert b"<svg" in completions.drawing.svg


def test_a_bound_of_zero_stands_in_the_table_alone():
    made = section(
        results([(1, "completion_us", "P1/C/T/last/0", 70), (1, "jobs_ended", "P1/C/T/last/0", 1)])
    )
    assert not [block for block in made.blocks if isinstance(block, Gallery)]
    assert rows(made, "Completion times")[0] == [["H", "C/T", "last", "1", "70", "0", "0"]]


def test_there_is_no_section_without_jobs():
    assert section(results([(1, "context_switches", "total", 3)])) is None
