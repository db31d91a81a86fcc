# SPDX-License-Identifier: Apache-2.0
"""Nothing that a chart shows is hidden: marks at the edge are whole, of equal series each is seen."""

import pytest

from orchestrator.report import charts, style
from orchestrator.report.statistics import Estimate


def lines(drawing):
    """The markers' lines that the drawing puts into its axes."""
    with style.canvas() as (figure, axes):
        drawing.paint(figure, axes)
        return [line for line in axes.lines if line.get_marker() not in ("", "None", None, "|", "_")]


def estimates(*means):
    return [Estimate(3, mean, 0.0, mean, mean, mean, mean) for mean in means]


def test_marks_of_equal_series_stand_beside_one_another():
    drawn = lines(charts.profile(["P1", "P2"], [charts.Series(name, estimates(5, 5), ideal=(5, None)) for name in "ab"], "events"))
    places = {round(float(line.get_xdata()[0]), 6) for line in drawn}
    assert len(places) == 2 and all(abs(place) < 0.2 for place in places)


@pytest.mark.parametrize("drawing", [
    charts.profile(["P1"], [charts.Series("a", estimates(100))], "%"),
    charts.forest([charts.Row("H", estimates(100))], ["a"], "%", bounds=(0, 100)),
])
def test_a_mark_at_the_edge_is_not_cut(drawing):
    drawn = lines(drawing)
    assert drawn and not any(line.get_clip_on() for line in drawn)


@pytest.mark.parametrize("drawing", [
    charts.profile(["P1"], [charts.Series("a", [Estimate(2, 5.0, 9.0, -4.0, 14.0, 1.0, 9.0)])], "packets"),
    charts.forest([charts.Row("H", [Estimate(2, 5.0, 9.0, -4.0, 14.0, 1.0, 9.0)])], ["a"], "%", bounds=(0, 100)),
    charts.course(["-1", "0"], 1.0, [charts.Series("a", [Estimate(2, 5.0, 9.0, -4.0, 14.0, 1.0, 9.0)] * 2)], "%", "s", "death"),
])
def test_an_interval_beyond_the_axis_ends_there(drawing):
    with style.canvas() as (figure, axes):
        drawing.paint(figure, axes)
        caps = [line for line in axes.lines if line.get_marker() in ("|", "_")]
        assert caps and axes.collections and all(part.get_clip_on() for part in (*caps, *axes.collections))
