# SPDX-License-Identifier: Apache-2.0
"""How a report writes numbers, names and sentences: a table of cases for each."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from test_recorded_pages import results

from orchestrator.report import axes, extensions, findings, generic, letters, missing, notes
from orchestrator.report.axis import LINEAR, LOGARITHMIC, Axis, written
from orchestrator.report.comparison import phrases
from orchestrator.report.model import Section
from orchestrator.report.statistics import against, number, single_runs, with_interval
from orchestrator.report.values import placed
from orchestrator.statistics.estimates import NOTHING, estimate
from tests import manifests

NB = "\u00a0"
CI = f"95{NB}%{NB}CI"


@pytest.mark.parametrize(
    ("published", "values", "unit", "decimals", "said", "tone"),
    [
        (1.0, [], "", 1, "not measured", "quiet"),
        (4.0, [5.0], "", 1, f"ours is higher by 1.0 (25{NB}%), no interval from one seed", "open"),
        (4.0, [3.9], " s", 2, f"ours is lower by 0.10  s (2.5{NB}%), no interval from one seed", "open"),
        (40.0, [50.0], "%", 1, "ours is higher by 10.0 points, no interval from one seed", "open"),
        (0.0, [2.0], "ms", 0, "ours is higher by 2 ms, no interval from one seed", "open"),
        (5.0, [4.0, 6.0], "", 1, "within the range of our single runs", "good"),
        (
            7.0,
            [4.0, 6.0],
            "ms",
            1,
            f"outside the range of our single runs; ours is lower by 2.0 ms (29{NB}%)",
            "bad",
        ),
        (
            -10.0,
            [-8.0, -10.0 + 1.0],
            "ms",
            1,
            f"outside the range of our single runs; ours is higher by 1.5 ms (15{NB}%)",
            "bad",
        ),
        (
            100.0,
            [90.0, 90.0],
            "",
            1,
            f"outside the range of our single runs; ours is lower by 10.0 (10{NB}%)",
            "bad",
        ),
        (
            100.0,
            [90.1, 90.1],
            "",
            1,
            f"outside the range of our single runs; ours is lower by 9.9 (9.9{NB}%)",
            "bad",
        ),
    ],
)
def test_a_published_number_beside_ours(published, values, unit, decimals, said, tone):
    ours = estimate(values) if values else NOTHING
    assert against(published, ours, unit, decimals) == (said, tone)


@pytest.mark.parametrize(
    ("values", "whole", "runs"),
    [
        ([], ("–", ""), "–"),
        ([2.0], (f"2.0{NB}ms", "one seed, no interval"), "–"),
        ([2.0, 2.0], (f"2.0{NB}ms", f"{CI} 2.0 to 2.0, n{NB}={NB}2"), "2.0"),
        ([1.0, 3.0, 2.0], (f"2.0{NB}ms", f"{CI} −0.5 to 4.5, n{NB}={NB}3"), "1.0 to 3.0"),
    ],
)
def test_an_estimate_with_its_interval_and_its_runs(values, whole, runs):
    ours = estimate(values) if values else NOTHING
    assert with_interval(ours, 1, "ms") == whole and single_runs(ours) == runs
    assert with_interval(ours)[0] == whole[0].removesuffix(f"{NB}ms")


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (None, 1, "–"),
        (-1234567.25, 1, "−1\u202f234\u202f567.2"),
        (0.05, 1, "0.1"),
        (0.04, 1, "0.04"),
        (-0.0004, 1, "−0.0004"),
        (-0.0, 0, "0"),
        (999.5, 0, "1\u202f000"),
    ],
)
def test_numbers_for_readers(value, decimals, text):
    assert number(value, decimals) == text


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [(1.0, 1, "+1.0"), (-1.0, 0, "−1"), (0.0, 2, "0.00"), (1e-9, 1, "0.0"), (1000.0, 0, "+1\u202f000")],
)
def test_signs(value, places, text):
    assert phrases.signed(value, places) == text


def test_intervals_in_words():
    assert phrases.interval(math.nan, 1.0, 1) == "–" and phrases.interval(-1.0, 2.0, 1) == "−1.0 to 2.0"
    assert phrases.share(0.025) == f"2.5{NB}%"


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        (("All", "a b"), "all-a-b"),
        (("--",), "figure"),
        (("x" * 81,), "x" * 80),
        (("Ä(1)",), "1"),
        (("a", "", "b."), "a-b"),
    ],
)
def test_file_names(parts, name):
    assert generic.file_name(*parts) == name


def test_parts_of_a_long_list():
    assert list(generic.in_parts("", 2)) == []
    assert list(generic.in_parts("ab", 2)) == [(1, "", "ab")]
    assert list(generic.in_parts("abc", 2)) == [(1, " (1 of 2)", "ab"), (2, " (2 of 2)", "c")]


def test_seeds_in_words():
    line = [("packets_sent", "S", 1.0)]
    found = results({"a": {1: line}, "b": {1: line, 2: line}, "c": {1: line, 2: line, 3: line}})
    assert [generic.seeds_phrase(found, cells) for cells in ([], ["a"], ["b"], ["a", "c", "b"])] == [
        "no seed",
        "1 seed",
        "2 seeds",
        "1 to 3 seeds",
    ]
    assert generic.over(found, ["a"]) == "of 1 seed"
    assert generic.over(found, ["a", "b"]) == "mean with 95 % confidence interval over 1 to 2 seeds"


@pytest.mark.parametrize(
    ("setting", "text"),
    [
        (True, "true"),
        ({"a": 1}, '{"a": 1}'),
        (["x"], '["x"]'),
        ("30 m", "30 m"),
        (2.5, "2.5"),
        (None, "None"),
    ],
)
def test_a_setting_is_written_as_in_a_scenario(setting, text):
    assert axes.value(setting) == text


@pytest.mark.parametrize(
    ("experiment", "module"),
    [
        ("aggregation-paper", "orchestrator.papers.aggregation"),
        ("aggregation-figures", "orchestrator.papers.aggregation.figures"),
        ("aggregation-deployment", "orchestrator.papers.aggregation.deployment"),
    ],
)
def test_papers_have_sections_of_their_own(experiment, module):
    assert extensions.of_experiment(experiment).__name__ == module
    assert extensions.of_experiment(experiment + "s") is None


def test_notes_are_found_by_their_numbers():
    known = {1: "one", 12: "twelve"}
    assert notes.noted("", known) == []
    assert notes.noted(f"note 1, note{NB}12 and note 2", known) == [
        ("note 1", "one"),
        (", ", ""),
        (f"note{NB}12", "twelve"),
        (" and note 2", ""),
    ]
    assert notes.anchors(Section("s", "S", ())) == {}


@pytest.mark.parametrize(
    ("text", "size", "width"),
    [
        ("", 10.0, 0.0),
        ("~", 2048.0, 1716.0),
        (" ", 2048.0, 651.0),
        ("ab", 2048.0, 1255.0 + 1300.0),
        ("a\nabc\nb", 2048.0, 1255.0 + 1300.0 + 1126.0),
        ("\u00e9", 2048.0, 1260.0),
        ("e\u0301", 2048.0, 1260.0),
        ("\u03b1", 2048.0, 1300.0),
        ("\u4e2d", 2048.0, 2048.0),
        ("\uff21", 2048.0, 2048.0),
        ("\x7f", 2048.0, 1300.0),
    ],
)
def test_the_width_of_texts(text, size, width):
    assert letters.width(text, size) == width


@pytest.mark.parametrize(
    ("room", "text"),
    [
        (letters.width("one two", 10.0), "one two"),
        (letters.width("one two", 10.0) - 0.01, "one t…"),
        (letters.width("one …", 10.0), "one…"),
        (0.0, "…"),
    ],
)
def test_a_text_is_shortened_no_more_than_it_must(room, text):
    assert letters.shortened("one two", 10.0, room) == text


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one two", ["one two"]),
        ("one two three", ["one two", "three"]),
        ("immeasurable a", ["immeasurable", "a"]),
        ("a immeasurable", ["a", "immeasurable"]),
        ("", [""]),
    ],
)
def test_a_text_is_broken_at_blanks(text, lines):
    assert letters.wrapped(text, 10.0, letters.width("one two", 10.0)) == lines


@pytest.mark.parametrize(
    ("labels", "low", "high", "what", "logarithmic"),
    [
        (["a"], -0.6, 0.6, "", False),
        ([], -0.6, -0.4, "", False),
        (["a", "b", "c"], -0.6, 2.6, "", False),
        (["1 m", "2 m", "4 m"], 0.4, 4.6, "", False),
        (["x=-2", "x=0"], -3.2, 1.2, "x", False),
        (["1", "2", "13"], 0.4, 13.6, "", False),  # 12 steps and no more
        (["10", "11", "23"], 9.4, 23.6, "", False),  # 8.7 steps on a logarithmic axis, 13 on this one
        (["1", "2", "14"], 2**-0.6, 14 * 2**0.6, "", True),  # 3.8 steps, 13 on the other one
        (["1", "10", "100", "1000"], 10**-0.6, 1000 * 10**0.6, "", True),
        (["0", "1", "100"], -0.6, 100.6, "", False),
    ],
)
def test_the_ends_of_an_axis_of_labels(labels, low, high, what, logarithmic):
    at = placed(labels)
    assert (at.what, at.logarithmic) == (what, logarithmic)
    assert (at.low, at.high) == pytest.approx((low, high))


def test_bars_stand_side_by_side_within_their_slot():
    at = placed(["a", "b"])
    assert at.slot(1, 0, 1, 0.8) == pytest.approx((1 - 0.368, 1.0, 1.368))
    assert at.slot(0, 0, 2, 0.8) == pytest.approx((-0.2 - 0.184, -0.2, -0.2 + 0.184))
    assert at.slot(0, 1, 2, 0.8) == pytest.approx((0.2 - 0.184, 0.2, 0.2 + 0.184))
    logarithmic = placed(["1", "10", "100", "1000"])
    assert logarithmic.aside(1, 0.5) == pytest.approx(10 * 10**0.5)
    assert placed(["1 m", "3 m", "4 m"]).aside(0, -0.5) == 0.5 and placed(["a"]).aside(0, 0.5) == 0.5


@pytest.mark.parametrize(
    ("axis", "values", "intervals", "ends"),
    [
        (Axis(), [0.0, 10.0], [], (-0.5, 10.5)),
        (Axis(), [], [], (-0.05, 1.05)),
        (Axis(), [0.0, math.nan, math.inf], [], (-0.55, 0.55)),
        (Axis(), [4.0], [2.0, 6.0], (1.8, 6.2)),
        (Axis(low=3.0, high=5.0), [4.0], [2.0, 6.0], (3.0, 5.0)),
        (Axis(low=3.0), [2.0, 7.0], [1.0], (2.0, 7.25)),
        (Axis(high=3.0), [2.0, 7.0], [9.0], (1.75, 7.0)),
        (Axis(low=8.0, high=2.0), [1.0], [], (8.0, 1.0)),
        (Axis(low=-5.0), [-7.0], [], (-7.0, -6.475)),
        (Axis(kind=LOGARITHMIC), [0.0, -1.0, 10.0, 1000.0], [], (10**0.9, 10**3.1)),
        (Axis(kind=LOGARITHMIC), [100.0], [], (50 / 4**0.05, 200 * 4**0.05)),
        (Axis(kind=LOGARITHMIC, linear_to=10.0), [-100.0, 10.0], [], (-(10**2.15), 10**1.15)),
        (Axis(kind=LOGARITHMIC, linear_to=10.0), [-5.0, 5.0], [], (-5.5, 5.5)),
    ],
)
def test_the_ends_of_an_axis(axis, values, intervals, ends):
    axis.settle(values, intervals)
    assert (axis.low, axis.high) == pytest.approx(ends)


@pytest.mark.parametrize(
    ("axis", "most", "named"),
    [
        (Axis(low=0.0, high=7.0), 4, ["0", "2", "4", "6"]),
        (Axis(low=10.0, high=0.0), 2, ["0", "5", "10"]),
        (Axis(low=0.0, high=1e-4), 2, ["0.00000", "0.00005", "0.00010"]),
        (Axis(low=1.0, high=1e6, kind=LOGARITHMIC), 3, ["1", "100", "10\u202f000", "1\u202f000\u202f000"]),
        (Axis(low=1.0, high=1e6, kind=LOGARITHMIC), 2, ["1", "1\u202f000", "1\u202f000\u202f000"]),
        (Axis(low=1.0, high=10.0, kind=LOGARITHMIC), 4, ["1", "2", "5", "10"]),
        (Axis(low=1.0, high=10.0, kind=LOGARITHMIC), 3, ["1", "10"]),
        (Axis(low=30.0, high=40.0, kind=LOGARITHMIC), 4, ["30.0", "32.5", "35.0", "37.5", "40.0"]),
        (
            Axis(low=-100.0, high=1000.0, kind=LOGARITHMIC, linear_to=10.0),
            4,
            ["−100", "−10", "0", "10", "100", "1\u202f000"],
        ),
        (Axis(low=20.0, high=30.0, kind=LOGARITHMIC, linear_to=1e3), 4, ["20", "30"]),
        (Axis(low=0.0, high=10.0, kind=LOGARITHMIC, linear_to=10.0), 4, ["0", "10"]),
        (Axis(ticks=[(3.0, "three")]), 4, ["three"]),
    ],
)
def test_the_named_values_of_an_axis(axis, most, named):
    assert [name for _, name in axis.named(most)] == named


def test_as_many_values_are_named_as_fit():
    asked = []

    def fits(ticks):
        asked.append(len(ticks))
        return len(ticks) < 6

    assert [name for _, name in Axis(low=0.0, high=10.0).named(11, fits)] == [
        "0.0",
        "2.5",
        "5.0",
        "7.5",
        "10.0",
    ]
    assert asked[-1] == 5 and asked[0] == 11
    assert len(Axis(low=0.0, high=10.0).named(1, lambda ticks: False)) == 3


def test_shares_of_an_axis():
    assert [Axis(low=2.0, high=4.0).share(value) for value in (2.0, 2.5, 5.0)] == [0.0, 0.25, 1.5]
    assert Axis(low=3.0, high=3.0, kind=LINEAR).share(7.0) == 0.5
    logarithmic = Axis(low=1.0, high=100.0, kind=LOGARITHMIC)
    assert logarithmic.share(10.0) == 0.5 and logarithmic.share(0.0) == pytest.approx(-150.0)


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ([], []),
        ([1.0, 2.5], ["1.0", "2.5"]),
        ([0.125], ["0.125"]),
        ([1e-13], ["0"]),
        ([4e-13], ["0"]),
        ([0.5, 1.0 + 1e-7], ["0.5000000", "1.0000001"]),
    ],
)
def test_decimals_that_values_need(values, names):
    assert written(values) == names


LINE = [("packets_sent", "S", 1.0)]


def ran(values, **more) -> str:
    return findings.section(results(values, **more), [], []).blocks[0].paragraphs[0]


def test_what_ran():
    one = manifests.manifest("0" * 20, cell="a")
    other = replace(
        one,
        run_id="b2",
        seed=2,
        parameters=one.parameters | {"application": {"name": "mesh", "parameters": {}}},
    )
    assert ran({"a": {3: LINE}}) == (
        "1 cell of an application that no manifest names ran with 1 seed (3), and that one run is in these "
        "numbers."
    )
    assert ran({"a": {1: LINE, 2: LINE}}, manifests=(one,), plan=("a1", "a2")) == (
        "1 cell of the application aggregation ran with 2 seeds (1..2), and all 2 runs are in these numbers."
    )
    assert ran({"a": {1: LINE}}, manifests=(other, one), plan=("a1", "b2", "c3", "d4")) == (
        "1 cell of the applications aggregation, mesh ran with 1 seed (1); 1 of 4 planned runs are in these "
        "numbers: 2 without metrics, 2 were not made yet."
    )


def lacks(values, lacking=(), **more) -> str:
    return findings.section(results(values, **more), [], lacking).blocks[0].paragraphs[2]


def test_what_was_lost():
    def of(lost, rate, published=100.0):
        found = [("events_lost", "total", lost), ("events_published", "total", published)]
        return [*found, *([("event_loss_rate", "total", rate)] if rate is not None else [])]

    good = "No run failed, and every metric that a report looks for was measured."
    assert lacks({"a": {1: LINE}}) == good
    assert lacks({"a": {1: of(0, 0.0, 0)}}) == "No event was published."
    assert lacks({"a": {1: of(0, 0.0)}}) == "No event was lost."
    assert lacks({"a": {1: of(3, 0.03)}}) == f"3.00{NB}% of the events were lost."
    assert lacks({"a": {1: of(3, None)}}) == good
    assert lacks({"a": {1: of(3, 0.03)}, "b": {1: of(0, 0.0)}, "c": {1: of(50, 0.5)}}) == (
        f"0.00 to 50.00{NB}% of the events were lost, most in c."
    )


def test_what_was_not_measured():
    def of(*titles, cells=("a", "b")):
        return missing.Missing(titles, cells, "why")

    why = "(the table \u201cNot measured\u201d says why)."
    two = {"a": {1: LINE}, "b": {1: LINE}}
    assert lacks(two, [of("Packets sent")]) == f"There is no value of packets sent {why}"
    assert lacks(two, [of("CPU", "Loss"), of("Loss", "Delay", cells=("a",))]) == (
        f"There is, in some cells, no value of CPU, loss and delay {why}"
    )
    assert lacks(two, [of("A", "B", "C", "D")]) == f"There is no value of a, b, c and d {why}"
    assert (
        lacks(two, [of("A", "B", "C", "D", "E", "F")]) == f"There is no value of a, b, c, d and 2 more {why}"
    )
    bad = [
        manifests.manifest(f"{place}" * 20, outcome=how)
        for place, how in enumerate(("crash", "crash", "wall-clock limit"))
    ]
    assert lacks(two, manifests=tuple(bad)).startswith("3 runs failed (2 crash, 1 wall-clock limit)")


def differs(*values: tuple[list[float], list[float]], metric: str = "packets_sent", key: str = "S") -> str:
    """The second sentence of cells that differ in one axis only, the first from each of the others."""
    cells = {f"c{place}": {"axis": place} for place in range(len(values) + 1)}
    runs, found = [], {}
    for place, cell in enumerate(cells):
        of = values[0][0] if not place else values[place - 1][1]
        found[cell] = {seed: [(metric, key, value)] for seed, value in enumerate(of, 1)}
        runs.append(manifests.manifest(f"{place}" * 20, cell=cell, settings=cells[cell]))
    whole = results(found, manifests=tuple(runs))
    return findings.section(whole, axes.compared(whole), []).blocks[0].paragraphs[1]


RELATIVE = "The largest relative difference that is shown is in packets sent, all nodes: "
WHERE = "with axis = 1 instead of 0 (cell c1 beside c0)."
NONE = "Nothing can be said about differences between cells: "


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ((([1.0], [2.0]),), NONE + "one seed for each cell gives no interval and no test."),
        (
            (([10.0, 12.0, 11.0], [11.0, 10.0, 12.0]),),
            f"No difference between cells is shown: none of 1 comparison is significant at 5{NB}% (Holm).",
        ),
        (
            (([100.0, 102.0, 101.0], [201.0, 203.0, 202.0]),),
            f"{RELATIVE}100.0{NB}% higher (97.8 to 102.2{NB}%; from 101 to 202{NB}packets) {WHERE}",
        ),
        (
            (([100.0, 102.0, 101.0], [50.0, 52.0, 51.0]), ([], [80.0, 81.0, 82.0])),
            f"{RELATIVE}49.5{NB}% lower (47.3 to 51.7{NB}%; from 101 to 51{NB}packets) {WHERE} "
            "It is one of 2 differences that are shown.",
        ),
        (
            (([1.0, 1.0, 1.0], [11.0, 11.0, 11.0]),),
            f"{RELATIVE}1\u202f000.0{NB}% higher (1\u202f000.0 to 1\u202f000.0{NB}%; "
            f"from 1 to 11{NB}packets) {WHERE}",
        ),
        (
            (([1.0, 1.0, 1.0], [12.0, 12.0, 12.0]),),
            f"{RELATIVE}12 times as much (from 1 to 12{NB}packets) {WHERE}",
        ),
        (
            (([0.0, 0.0, 0.0], [12.0, 12.0, 12.0]),),
            f"{RELATIVE.replace('relative ', '')}from 0 to 12{NB}packets {WHERE}",
        ),
    ],
)
def test_the_largest_difference_in_words(values, said):
    assert differs(*values) == said


def test_nothing_to_compare():
    whole = results({"a": {1: LINE}, "b": {1: LINE}})
    sentence = findings.section(whole, [], []).blocks[0].paragraphs[1]
    assert sentence == NONE + "no metric was measured in two cells that differ in one axis only."
