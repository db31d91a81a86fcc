# SPDX-License-Identifier: Apache-2.0
"""How many differences between cells a report lists, and which of them it begins with."""

from dataclasses import replace

import pytest
from compared_store import cell, values
from compared_store import store as stored

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


BUNDLES = """\
experiment: trial
topology: {shape: chain}
application: {name: aggregation}
duration: 1 min
seeds: 1..4
matrix:
  net:
    - {label: short, topology.publishers: 3, topology.spacing: 5 m}
    - {label: long, topology.publishers: 6, topology.spacing: 30 m}
  application.aggregate: [false, true]
"""
NETS = {
    "short": {"topology.publishers": 3, "topology.spacing": "5 m"},
    "long": {"topology.publishers": 6, "topology.spacing": "30 m"},
}


def trial(tmp_path, sent):
    """The results of four cells; `sent(net, aggregate, seed)`: how many packets are sent in a run."""
    of = {
        f"net={net},aggregate={str(on).lower()}": (net, on)
        for net in ("short", "long")
        for on in (False, True)
    }
    events = {"short": 300.0, "long": 600.0}
    return read(
        stored(
            tmp_path,
            "trial",
            {name: cell(len(net) - 1, aggregate=on) for name, (net, on) in of.items()},
            lambda name, seed: values(sent(*of[name], seed), 0.1 + seed / 100, events[of[name][0]]),
            settings={name: NETS[net] | {"application.aggregate": on} for name, (net, on) in of.items()},
            scenario=BUNDLES,
        ),
        "trial",
    )


def test_cells_that_differ_in_one_bundle_of_settings_are_compared_by_its_labels(tmp_path):
    found = axes.steps(trial(tmp_path, lambda net, on, seed: 100.0 + seed))
    off, on = "net=short,aggregate=false", "net=short,aggregate=true"
    assert [(step.axis, step.first, step.other) for step in found] == [
        ("net", "short", "long"),
        ("net", "short", "long"),
        ("application.aggregate", False, True),
        ("application.aggregate", False, True),
    ]
    assert [(step.pair.a, step.pair.b) for step in found][::2] == [
        (off, off.replace("short", "long")),
        (off, on),
    ]


def test_cells_come_in_the_scenarios_order(tmp_path):
    """By name, `long` would be before `short`, and `true` after `false` in each."""
    assert trial(tmp_path, lambda *_: 100.0).cells == (
        "net=short,aggregate=false",
        "net=short,aggregate=true",
        "net=long,aggregate=false",
        "net=long,aggregate=true",
    )


def test_more_packets_of_more_publishers_are_not_the_finding_if_another_axis_changes_something(tmp_path):
    """Twice as many publishers send ten times as much; aggregation saves a third of it."""
    sent = trial(
        tmp_path,
        lambda net, on, seed: (900.0 if net == "long" else 90.0) * (0.66 if on else 1) + seed / 10,
    )
    rows = axes.compared(sent)
    said = findings.section(sent, rows, ()).blocks[0].paragraphs[1]
    assert "application.aggregate = true instead of false" in said and "lower" in said
    assert said.startswith("Apart from totals of cells that publish more or fewer")
    alone = [(step, one) for step, one in rows if step.axis == "net"]
    assert "net = long instead of short" in findings.section(sent, alone, ()).blocks[0].paragraphs[1]
