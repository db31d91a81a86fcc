# SPDX-License-Identifier: Apache-2.0
"""How a report writes numbers, names and sentences: a table of cases for each."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from test_recorded_pages import results

from orchestrator.report import axes, extensions, findings, generic, missing, notes
from orchestrator.report.comparison import phrases
from orchestrator.report.model import Section
from orchestrator.report.statistics import against, number, single_runs, with_interval
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
            f"{RELATIVE.replace('relative ', '')}from 1 to 12{NB}packets {WHERE}",
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
