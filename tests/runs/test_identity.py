# SPDX-License-Identifier: Apache-2.0
"""What names a run, and what does not."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.runs import identity
from orchestrator.scenario.model import ApplicationSpec
from tests.runs.conftest import make_cell, make_spec


def test_ids_stay_as_they_are():
    """A change here means that no stored run of any user is recognised any more: think twice."""
    spec = make_spec()
    assert spec.run_id == "8a48f35f48a21d6ab976"
    assert spec.trend_id == "00c49ffce529d023b771"


def test_a_rebuild_makes_another_run_of_the_same_trend():
    assert make_spec(firmware="0" * 64).run_id != make_spec().run_id
    assert make_spec(firmware="0" * 64).trend_id == make_spec().trend_id
    assert make_spec(text=b"<other/>").run_id != make_spec().run_id
    assert make_spec(text=b"<other/>").trend_id == make_spec().trend_id


def test_all_else_makes_another_trend():
    cells = [
        make_cell(),
        make_cell("H5A"),
        make_cell(ruleset="2026.07"),
        make_cell(duration_us=1),
        make_cell(trace=True),
        make_cell(application=ApplicationSpec("aggregation", {"rate": "low", "delay": 0})),
    ]
    assert len({make_spec(cell).trend_id for cell in cells} | {make_spec(seed=2).trend_id}) == len(cells) + 1


def test_the_order_of_a_mapping_does_not_matter():
    one = make_cell(application=ApplicationSpec("a", {"x": 1, "y": 2}))
    two = make_cell(application=ApplicationSpec("a", {"y": 2, "x": 1}))
    assert identity.trend_id(one, 1) == identity.trend_id(two, 1)


def test_what_has_no_canonical_form_is_refused():
    with pytest.raises(TypeError, match="object has no canonical form"):
        identity.trend_id(replace(make_cell(), settings={"a": object()}), 1)
    with pytest.raises(ValueError, match="not JSON compliant"):
        identity.canonical({"a": float("nan")})


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(plain)
def test_the_canonical_form_is_json_of_the_same_value(value):
    import json

    assert json.loads(identity.canonical(value)) == value
    assert identity.canonical(json.loads(identity.canonical(value))) == identity.canonical(value)


@given(st.integers(0, 2**31 - 1), st.text("0123456789abcdef", min_size=64, max_size=64))
def test_ids_of_a_cells_seeds_are_those_of_its_runs(seed, csc):
    cell, firmware = make_cell(), {"b": "1" * 64, "a": "2" * 64}
    named = identity.Named(cell, firmware, "embedded", "v1")
    assert named.run_id(seed, csc) == identity.run_id(cell, seed, csc, firmware, "embedded", "v1")
    assert named.trend_id(seed) == identity.trend_id(cell, seed)
