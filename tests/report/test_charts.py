# SPDX-License-Identifier: Apache-2.0
"""Nothing that a chart shows is hidden or in the wrong place: marks are whole, names have room, numbers lie
at their value.
"""

import itertools
import math
import re

import pytest
from drawn import Drawn, overlap

from orchestrator.report import charts, quantiles, style
from orchestrator.report.axis import Axis, written
from orchestrator.report.lines import Line, lines
from orchestrator.report.values import placed
from orchestrator.statistics.estimates import Estimate, estimate

WIDE = Estimate(2, 5.0, 9.0, -4.0, 14.0, 1.0, 9.0)  # an interval beyond the axes of these tests


def estimates(*means):
    return [Estimate(3, mean, 0.0, mean, mean, mean, mean) for mean in means]


def chart(kind: str, labels, means=None):
    means = means or [float(i + 1) for i in range(len(labels))]
    return getattr(charts, kind)(
        labels,
        [charts.Series("a", estimates(*means), cell="a"), charts.Series("b", estimates(*means), cell="b")],
        "events",
    )


def test_marks_of_equal_series_stand_beside_one_another():
    drawn = Drawn(
        charts.profile(["P1", "P2"], [charts.Series(name, estimates(5, 5)) for name in "abc"], "events")
    )
    first = (
        sorted(x for x, *_ in drawn.marks)[:2]
        + [x + width / 2 for x, width in ((r["x"], r["width"]) for r in drawn.rects)][-2:]
    )
    assert len({round(x, 1) for x in first}) >= 3


def test_the_interval_of_a_mean_stands_upright_through_its_mark():
    value = Estimate(3, 5.0, 1.0, 3.0, 7.0, 4.0, 6.0)
    drawn = Drawn(charts.profile(["P1"], [charts.Series("a", [value])], "events"))
    x, y, *_ = drawn.marks[0]
    lines_ = [[float(one) for one in re.findall(r"-?[0-9.]+", d)] for d, _ in drawn.paths]
    assert any(
        one[0] == one[2] == pytest.approx(x, abs=0.1) and min(one[1], one[3]) < y < max(one[1], one[3])
        for one in lines_
        if len(one) >= 4
    )


def test_shares_of_the_picture_are_where_the_marks_are():
    points = [(0, 1), (4, 9), (10, 5)]
    drawing = lines([Line("a", *map(list, zip(*points, strict=True)))], "x", "y")
    drawn = Drawn(drawing)
    marked = [(x / drawn.size[0], y / drawn.size[1]) for x, y, *_ in drawn.marks[:3]]
    for share, mark in zip(drawing.shares(points), marked, strict=True):
        assert share == pytest.approx(mark, abs=1e-3)


@pytest.mark.parametrize(
    "drawing",
    [
        charts.profile(["P1"], [charts.Series("a", estimates(100))], "%"),
        charts.profile(["P1"], [charts.Series("a", estimates(0))], "%"),
        charts.forest([charts.Row("H", estimates(100))], ["a"], "%", scale=charts.Scale((0, 100))),
        charts.course(["-1", "0"], 1.0, [charts.Series("a", estimates(0, 100))], "%", "s", "death"),
        lines([Line("a", [0, 1], [0, 1])], "x", "y", bounds=(0, 1)),
    ],
)
def test_a_mark_at_the_edge_is_not_cut(drawing):
    drawn = Drawn(drawing)
    assert drawn.marks and "clip" not in drawing.svg.decode()
    for x, y, half, _ in drawn.marks:
        assert drawn.left - 0.1 <= x <= drawn.right + 0.1 and drawn.top - 0.1 <= y <= drawn.bottom + 0.1
        assert half <= x <= drawn.size[0] - half and half <= y <= drawn.size[1] - half


@pytest.mark.parametrize(
    "drawing",
    [
        charts.profile(["P1"], [charts.Series("a", [WIDE])], "packets"),
        charts.bars(["P1"], [charts.Series("a", [WIDE])], "packets"),
        charts.forest([charts.Row("H", [WIDE])], ["a"], "%", scale=charts.Scale((0, 10))),
        charts.course(["-1", "0"], 1.0, [charts.Series("a", [WIDE] * 2)], "%", "s", "death"),
    ],
)
def test_an_interval_beyond_the_axis_ends_there(drawing):
    drawn = Drawn(drawing)
    ends = [
        tuple(map(float, re.findall(r"-?[0-9.]+", d))) for d, stroke in drawn.paths if stroke != style.GRID
    ]
    for numbers in ends:
        assert all(drawn.left - 3.1 <= x <= drawn.right + 3.1 for x in numbers[::2]) or numbers[1] < drawn.top
        assert all(y <= drawn.bottom + 3.1 for y in numbers[1::2])


@pytest.mark.parametrize(
    ("labels", "values"),
    [
        (["3", "5", "20"], [3, 5, 20]),
        (["5 m", "10 m", "30 m"], [5, 10, 30]),
        (["-70 dBm", "-60 dBm", "-30 dBm"], [-70, -60, -30]),
        (["topology.spacing=2.5 m", "topology.spacing=5 m", "topology.spacing=20 m"], [2.5, 5, 20]),
    ],
)
@pytest.mark.parametrize("kind", ["bars", "profile"])
def test_numbers_on_an_axis_are_placed_by_value(kind, labels, values):
    drawn = Drawn(chart(kind, labels))
    names = drawn.below()
    assert [name for name, _ in names] == [label.split("=")[-1].replace("-", "\u2212") for label in labels]
    (_, a), (_, b), (_, c) = names
    assert (c - a) / (b - a) == pytest.approx((values[2] - values[0]) / (values[1] - values[0]), rel=0.01)


@pytest.mark.parametrize(
    "labels",
    [
        ["3", "5A", "20"],
        ["3", "5", "5"],
        ["5 m", "10 s"],
        ["a=1", "b=2"],
        ["5", "3"],
        ["S", "P1", "P2"],
        ["1"],
    ],
)
def test_what_is_no_growing_number_of_one_unit_stands_side_by_side(labels):
    at = placed(labels)
    assert at.places == tuple(range(len(labels))) and at.names == tuple(labels)


def test_values_of_many_magnitudes_are_placed_by_their_logarithm():
    at = placed(["1 ms", "10 ms", "100 ms", "1000 ms"])
    assert at.logarithmic and at.places == (1, 10, 100, 1000)
    names = Drawn(chart("bars", ["1 ms", "10 ms", "100 ms", "1000 ms"])).below()
    gaps = [b - a for (_, a), (_, b) in itertools.pairwise(names)]
    assert len(gaps) == 3 and max(gaps) - min(gaps) < 0.1


@pytest.mark.parametrize("kind", ["bars", "profile"])
@pytest.mark.parametrize(
    "labels",
    [
        ["S", *(f"P{i}" for i in range(1, 36)), "C"],
        [f"node-{i}" for i in range(60)],
        [str(i) for i in range(1, 201)],
        [f"topology.publishers={n},application.aggregate={flag}" for n in (3, 5) for flag in (True, False)],
        ["a", "b"],
        [f"R{i}" for i in range(1, 31)],
        ["H5", "H5A", "H10", "H10A", "L5", "L5A", "L5D", "L5AD", "L10", "L10A", "L10D", "L10AD"],
    ],
)
def test_names_have_room_and_can_be_read_however_many(kind, labels):
    for width in (None, 3.3):
        drawn = Drawn(chart(kind, labels), width)
        boxes = [box for _, _, _, box in drawn.texts]
        assert not [
            (drawn.texts[i][0], drawn.texts[j][0])
            for i, j in itertools.combinations(range(len(boxes)), 2)
            if overlap(boxes[i], boxes[j])
        ]
        assert all(
            -1 <= x <= drawn.size[0] + 1 and -1 <= y <= drawn.size[1] + 1 for box in boxes for x, y in box
        )
        assert len(drawn.below()) >= min(len(labels), 5) and drawn.bottom - drawn.top > 60


def test_a_chart_of_many_nodes_is_wide_and_names_every_one():
    labels = ["S", *(f"P{i}" for i in range(1, 36)), "C"]
    drawing = chart("profile", labels)
    assert drawing.width == style.WIDE and [name for name, _ in Drawn(drawing).below()] == labels
    assert chart("profile", labels[:20]).width == style.WIDTH


def test_a_note_above_a_bar_is_within_the_axes():
    drawn = Drawn(
        charts.bars(["a", "b"], [charts.Series("s", estimates(10, 5))], "x", notes=["two\nlines", ""])
    )
    box = next(box for text, _, _, box in drawn.texts if text == "two")
    assert min(y for _, y in box) >= drawn.top - 1


@pytest.mark.parametrize(
    ("low", "high", "most", "values"),
    [
        (0, 10, 5, [0, 2, 4, 6, 8, 10]),
        (0, 1, 4, [0, 0.25, 0.5, 0.75, 1]),
        (-3, 3, 3, [-2, 0, 2]),
        (990, 1010, 4, [990, 995, 1000, 1005, 1010]),
    ],
)
def test_ticks_are_round(low, high, most, values):
    assert [value for value, _ in Axis(low=low, high=high).named(most)] == pytest.approx(values)


def test_numbers_are_written_as_people_do():
    assert written([0, 0.25, 0.5]) == ["0.00", "0.25", "0.50"] and written([-1500, 0]) == [
        "\u22121\u202f500",
        "0",
    ]


def test_a_bar_ends_at_the_axes_and_lies_at_its_value():
    drawn = Drawn(charts.bars(["a", "b"], [charts.Series("s", estimates(10, 5))], "x", top=10))
    ten, five = drawn.rects[:2]
    assert ten["height"] == pytest.approx(2 * five["height"], abs=0.1) and ten["y"] + ten[
        "height"
    ] == pytest.approx(drawn.bottom, abs=0.1)
    assert ten["y"] == pytest.approx(drawn.top, abs=0.1) and len(drawn.grid) == 1


def test_a_cells_look_is_that_of_its_place_and_of_36_no_two_are_alike():
    assert len({style.look(place)[:2] for place in range(36)}) == 36
    drawn = Drawn(
        charts.bars(
            ["a", "b"], [charts.Series("s", estimates(1, 2))], "x", looks=charts.BarLooks(places=[4, 2])
        )
    )
    fills = [rect["fill"] for rect in drawn.rects if rect["fill"].startswith("#")]
    assert fills == [style.look(4).colour, style.look(2).colour]
    line = Drawn(charts.profile(["P1", "P2"], [charts.Series("c", estimates(1, 2), place=2)], "x"))
    assert style.look(2).colour in [stroke for _, stroke in line.paths]
    curve = Drawn(quantiles.curves([("c", [0.0, 5.0], [0.0, 1.0])], "x", "y", places=[2]))
    assert style.look(2).colour in [stroke for _, stroke in curve.paths]


def test_nothing_known_is_a_chart_that_says_so():
    none = estimate([])
    for drawing in (
        charts.bars(["a"], [charts.Series("s", [none])], "x"),
        charts.profile(["a"], [charts.Series("s", [none])], "x"),
        charts.forest([charts.Row("a", [none])], ["s"], "x"),
        quantiles.curves([], "x", "y"),
    ):
        assert Drawn(drawing).right > 100
    assert "no runs" in [
        text for text, *_ in Drawn(charts.bars(["a"], [charts.Series("s", [none])], "x")).texts
    ]
    assert math.isfinite(Drawn(quantiles.spans(["a"], *[[math.nan]] * 4, "x")).left)


def test_spans_are_logarithmic_unless_all_of_them_are_zero():
    def ticks(*high):
        drawing = quantiles.spans(["a", "b"], [0, 0], [0, 0], [0, 0], high, "ms")
        return [name for name, _ in Drawn(drawing).below()]

    assert ticks(0.0, 4000.0) == ["0", "10", "100", "1\u202f000"]
    assert ticks(0.0, 0.0)[0] == "0.0" and len(ticks(0.0, 0.0)) > 1 and "10" not in ticks(0.0, 0.0)
