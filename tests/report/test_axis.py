# SPDX-License-Identifier: Apache-2.0
"""The ends and the names of a chart's axes, and how much room texts take: a table of cases for each."""

from __future__ import annotations

import math

import pytest

from orchestrator.report import letters
from orchestrator.report.axis import LINEAR, LOGARITHMIC, Axis, written
from orchestrator.report.values import placed


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


def test_every_letter_is_as_wide_as_its_font_says():
    from matplotlib import get_data_path
    from matplotlib.ft2font import FT2Font, LoadFlags

    font = FT2Font(f"{get_data_path()}/fonts/ttf/DejaVuSans.ttf")
    for char in [*map(chr, range(32, 127)), *letters._OTHERS]:
        wide = font.load_char(ord(char), flags=LoadFlags.NO_SCALE).horiAdvance
        assert letters.width(char, letters.EM) == wide, char


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
