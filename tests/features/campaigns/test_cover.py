# SPDX-License-Identifier: Apache-2.0
"""The smallest set of cells: it shows everything, nothing of it is superfluous, cheap cells first."""

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.features.campaigns.judging.cover import Shows, smallest


def places(covers, seconds):
    return [one.place for one in smallest(covers, seconds)]


def test_one_cell_that_shows_all_is_enough():
    covers = {"a": {1}, "b": {1, 2, 3}, "c": {2, 3}}
    assert smallest(covers, {"a": 1.0, "b": 2.0, "c": 1.5}) == [Shows("b", 2.0, 3)]


def test_of_cells_that_show_the_same_the_cheapest_is_taken():
    assert places({"a": {1}, "b": {1}}, {"a": 2.0, "b": 1.0}) == ["b"]
    assert places({"a": {1}, "b": {1, 2}}, {"a": 0.0, "b": 0.0}) == ["b"]


def test_a_cell_that_later_ones_make_superfluous_is_left_out():
    covers = {"cheap": {1, 2}, "one": {1, 3}, "two": {2, 4}}
    assert places(covers, {"cheap": 1.0, "one": 1.5, "two": 1.5}) == ["one", "two"]


def test_nothing_red_needs_no_cell():
    assert smallest({}, {}) == []


@given(
    st.dictionaries(
        st.sampled_from("abcdef"),
        st.tuples(st.sets(st.integers(0, 5), min_size=1), st.sampled_from([0.0, 0.5, 1.0, 7.0])),
        min_size=1,
    )
)
def test_it_shows_all_and_no_cell_can_be_left_out(cells):
    covers = {name: shown for name, (shown, _) in cells.items()}
    chosen = places(covers, {name: seconds for name, (_, seconds) in cells.items()})
    all_of = lambda names: set().union(*(covers[name] for name in names))  # noqa: E731
    assert all_of(chosen) == all_of(covers)
    assert all(all_of(set(chosen) - {name}) < all_of(covers) for name in chosen)
