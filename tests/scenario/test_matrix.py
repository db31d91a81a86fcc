# SPDX-License-Identifier: Apache-2.0
"""The matrix: product, exclude, include, and the names of cells."""

import itertools
import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator import resources
from orchestrator.applications import descriptor
from orchestrator.scenario.load import loads
from tests.tier import examples

BASE = """\
experiment: trial
topology: {shape: chain, publishers: 2}
application: {name: probe-app}
duration: 15 min
seeds: 1
"""
TWELVE = """\
matrix:
  load:
    - {label: H, application.rate: high, duration: 15 min}
    - {label: L, application.rate: low, duration: 30 min}
  topology.publishers: [5, 10]
  variant:
    - {label: "", application.aggregate: false}
    - {label: A, application.aggregate: true}
    - {label: D, application.aggregate: false, application.delay: 2 s}
    - {label: AD, application.aggregate: true, application.delay: 2 s}
  exclude:
    - {load: H, variant: [D, AD]}
"""


def cells(text: str):
    return loads(BASE + text, "x.yaml").cells


def test_the_twelve_configurations_of_the_paper():
    made = cells(TWELVE)
    assert [cell.name for cell in made] == [
        "H5", "H5A", "H10", "H10A", "L5", "L5A", "L5D", "L5AD", "L10", "L10A", "L10D", "L10AD",
    ]  # fmt: skip
    last = made[-1]
    assert last.duration_us == 1_800_000_000
    assert last.application.parameters["rate"] == "low"
    assert last.application.parameters["delay"] == 2_000_000
    # Every varied setting stands in every cell, also where only its default says it.
    assert made[0].settings == {
        "application.rate": "high", "duration": "15 min", "topology.publishers": 5, "application.aggregate": False,  # noqa: E501
        "application.delay": "0 s",
    }  # fmt: skip
    assert all(list(cell.settings) == list(made[0].settings) for cell in made)


def test_a_single_cell_is_named_base():
    assert [cell.name for cell in cells("")] == ["base"]


def test_unnamed_values_are_told_with_their_axis():
    made = cells("matrix:\n  application.rate: [high, low]\n  application.delay: [0 s, 500 ms]\n")
    assert [cell.name for cell in made] == [
        "rate=high,delay=0s", "rate=high,delay=500ms", "rate=low,delay=0s", "rate=low,delay=500ms",
    ]  # fmt: skip


def test_numbers_that_would_run_together_are_told_with_their_axis():
    made = cells("matrix:\n  topology.publishers: [1, 11]\n  application.count: [1, 11]\n")
    assert [cell.name for cell in made][:2] == ["publishers=1,count=1", "publishers=1,count=11"]


def test_axes_with_the_same_last_word_go_by_their_path():
    made = cells("matrix:\n  application.bitrate: [1 kbit/s]\n  radio.bitrate: [250 kbit/s]\n")
    assert made[0].name == "application.bitrate=1kbit/s,radio.bitrate=250kbit/s"


def test_include_stands_on_the_base_not_on_an_axis():
    made = cells(
        "matrix:\n  application.delay: [1 s]\n  include: [{label: X, topology.publishers: 7}, "
        "{application.count: 9}]\n"
    )
    assert [cell.name for cell in made] == ["delay=1s", "X", "application.count=9"]
    assert made[1].application.parameters["delay"] == 0
    assert made[1].settings == {"application.delay": "0 s", "topology.publishers": 7, "application.count": 3}


def test_include_alone_makes_no_product():
    assert [cell.name for cell in cells("matrix:\n  include: [{label: X, topology.publishers: 7}]\n")] == [
        "X"
    ]


def test_exclude_by_label_by_value_and_by_a_bundles_setting():
    both = "matrix:\n  application.aggregate: [{label: P, value: false}, {label: A, value: true}]\n"
    assert [cell.name for cell in cells(both + "  exclude: [{application.aggregate: A}]\n")] == ["P"]
    assert [cell.name for cell in cells(both + "  exclude: [{application.aggregate: true}]\n")] == ["P"]
    assert [cell.name for cell in cells(TWELVE + "    - {duration: 30 min}\n")] == [
        "H5",
        "H5A",
        "H10",
        "H10A",
    ]


_AXES = st.lists(
    st.sampled_from(["topology.publishers", "application.count", "application.rate", "application.aggregate", "trace", "drain"]),  # noqa: E501
    unique=True, min_size=1, max_size=4,
)  # fmt: skip
_VALUES = {
    "topology.publishers": ["1", "2", "7"],
    "application.count": ["1", "5"],
    "application.rate": ["high", "low"],
    "application.aggregate": ["true", "false"],
    "trace": ["true", "false"],
    "drain": ["0 s", "5 s", "900 ms"],
}


@settings(max_examples=examples(60), deadline=None)
@given(_AXES, st.data())
def test_product_minus_excluded_plus_included(axes, data):
    text = "matrix:\n" + "".join(f"  {axis}: [{', '.join(_VALUES[axis])}]\n" for axis in axes)
    product = list(itertools.product(*(_VALUES[axis] for axis in axes)))
    excluded = data.draw(st.lists(st.sampled_from(product), unique=True, max_size=len(product) - 1))
    included = data.draw(st.integers(0, 3))
    if excluded:
        text += "  exclude:\n" + "".join(
            "    - {" + ", ".join(f"{axis}: {value}" for axis, value in zip(axes, row, strict=True)) + "}\n"
            for row in excluded
        )
    if included:
        text += "  include:\n" + "".join(
            f"    - {{label: inc{n}, application.share: {n} %}}\n" for n in range(included)
        )
    made = cells(text)
    assert len(made) == len(product) - len(excluded) + included
    assert len({cell.name for cell in made}) == len(made)
    kept = [row for row in product if row not in excluded]
    for cell, row in zip(made, kept, strict=False):
        for axis, value in zip(axes, row, strict=True):
            assert str(cell.settings[axis]).lower() == value


def test_the_documented_scenario_is_one(monkeypatch):
    monkeypatch.setattr(descriptor, "folder", lambda: resources.contiki_apps() / "apps")
    text = (Path(__file__).resolve().parents[2] / "docs" / "scenario.md").read_text()
    made = loads(re.search(r"```yaml\n(.*?)```", text, re.DOTALL)[1], "scenario.md")
    assert [cell.name for cell in made.cells] == ["H5", "H10", "L5", "L5A", "L10", "L10A", "X"]
    assert len(made.seeds) == 30
