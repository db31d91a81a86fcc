# SPDX-License-Identifier: Apache-2.0
"""How many differences between cells a report lists, and which of them it begins with."""

from dataclasses import replace

import pytest

from orchestrator.report import axes, findings
from orchestrator.report.data import read
from orchestrator.report.model import Table, Text


@pytest.fixture(scope="module")
def results(store):
    return read(store, "aggregation-paper")


@pytest.fixture(scope="module")
def one_axis(results):
    """A comparison with a difference that is shown, and one without, of the same axis."""
    rows = axes.compared(results)
    step, row = next((step, row) for step, row in rows if row.differs and not row.difference.constant)
    return (step, row), (step, replace(row, p=0.9))


@pytest.mark.parametrize(
    ("shown", "alike", "listed", "note"),
    [
        (2, 58, 60, ""),
        (2, 59, 2, "59 rows of 61 left out: those without a difference that is shown."),
        (60, 1, 60, "1 row of 61 left out: those without a difference that is shown."),
        (61, 0, 60, "1 row of 61 left out: the table would be too long."),
        (70, 5, 60, "15 rows of 75 left out: the table would be too long."),
    ],
)
def test_a_long_table_of_an_axis_says_how_many_rows_it_leaves_out(
    shown, alike, listed, note, results, one_axis
):
    found = axes.section([one_axis[1]] * alike + [one_axis[0]] * shown)
    (table,) = (block for block in found.blocks if isinstance(block, Table))
    assert (len(table.rows), table.note) == (listed, note)


def test_an_axis_of_many_rows_without_a_difference_has_a_sentence_instead_of_a_table(results, one_axis):
    _, told = axes.section([one_axis[1]] * 61).blocks
    assert isinstance(told, Text) and "no difference is shown in any of 61 comparisons" in told.paragraphs[0]


@pytest.mark.parametrize(
    ("shown", "said"), [(1, ""), (2, " It is one of 2 differences that are shown."), (0, "")]
)
def test_the_largest_difference_is_one_of_those_that_are_shown(shown, said, results, one_axis):
    rows = [one_axis[0]] * shown + [one_axis[1]] * 3
    differs = findings.section(results, rows, ()).blocks[0].paragraphs[1]
    if shown:
        assert differs.startswith("The largest relative difference that is shown is in ")
        assert differs.endswith(f").{said}")
    else:
        assert differs.startswith("No difference between cells is shown: none of 3 comparisons")
