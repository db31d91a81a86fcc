# SPDX-License-Identifier: Apache-2.0
"""Places, marks, the scale bar and the frame of networks."""

import math
from xml.etree import ElementTree

import pytest

from orchestrator.pictures import network
from orchestrator.pictures.network import WIDTH

SVG = "{http://www.w3.org/2000/svg}"


def corners(xs, ys, **more):
    """The fit, and where the places' least and greatest corner lie."""
    made = network.fit(xs, ys, **{"margin": 30, "tallest": 400, "least": 100} | more)
    return made, made.at(min(xs), min(ys)), made.at(max(xs), max(ys))


@pytest.mark.parametrize(
    ("xs", "ys", "scale", "least", "greatest", "inner"),
    [
        # as wide as the margins leave
        ([10, 100], [5, 35], 10, (30, 30), (930, 330), 300),
        # as high as is allowed, and in the middle
        ([-5, 5], [0, 100], 4, (460, 30), (500, 430), 400),
        # so flat that the least height is more, and in the middle of it
        ([0, 90], [7, 8], 10, (30, 75), (930, 85), 100),
        ([0, 90], [7, 7], 10, (30, 80), (930, 80), 100),
    ],
)
def test_places_fill_the_picture_and_are_centred(xs, ys, scale, least, greatest, inner):
    made, one, other = corners(xs, ys)
    assert (made.scale, made.inner) == (scale, inner)
    assert one == pytest.approx(least)
    assert other == pytest.approx(greatest)


def test_a_single_place_is_in_the_middle_and_has_the_scale_that_is_said():
    for alone, scale in ((None, 400_000), (7.0, 7.0)):
        made, one, _ = corners([3.0], [4.0], alone=alone)
        assert made.scale == scale
        assert one == pytest.approx((WIDTH / 2, 80))
    assert corners([0, 90], [4, 4], alone=7.0)[0].scale == 10, "not alone"
    assert corners([4, 4], [0, 40], alone=7.0)[0].scale == 10, "not alone"


def test_places_that_nearly_are_one_are_not_drawn_at_an_endless_scale():
    made, *_ = corners([0, 1e-9], [0, 1e-9], tallest=5000)
    assert made.scale == 900_000  # a millimetre over the width
    assert corners([0, 1e-9], [0, 0], margin=-100, tallest=5000)[0].scale == 1e6


@pytest.mark.parametrize(
    ("places", "gap"),
    [
        ([], math.inf),
        ([(1, 1)], math.inf),
        ([(0, 0), (3, 4)], 5),
        ([(0, 0), (0, 0)], 0),
        # gaps 1, 1, 5, 9, 9, 40, 40, 40: the third of them is the quartile's
        ([(0, 0), (1, 0), (6, 0), (15, 0), (100, 0), (140, 0), (180, 0), (220, 0)], 5),
        # the nearest is not the next by x
        ([(0, 0), (1, 50), (2, 0), (3, 50)], 2),
    ],
)
def test_the_typical_gap_is_a_low_quartile_of_the_nearest_neighbours(places, gap):
    for ordered in (places, places[::-1]):
        assert network.typical_gap(ordered) == gap


def test_each_form_lies_around_its_place():
    circle = network.form("circle", 100, 50, 8, fill="red").attributes
    assert circle == {"cx": "100.0", "cy": "50.0", "r": "8.0", "fill": "red"}
    square = network.form("square", 100, 50, 8).attributes
    assert square == {"x": "92.0", "y": "42.0", "width": "16.0", "height": "16.0", "rx": "2.0"}
    diamond = network.form("diamond", 100, 50, 8).attributes
    assert diamond == {"points": "100.0,40.0 110.0,50.0 100.0,60.0 90.0,50.0"}
    triangle = network.form("triangle", 100, 50, 8, fill="red").attributes
    assert triangle == {"points": "100.0,40.0 110.5,58.0 89.5,58.0", "fill": "red"}


def test_the_looks_of_marks_and_names():
    assert network.filled("#123456") == {"fill": "#123456", "stroke": "#ffffff", "stroke_width": "1"}
    assert network.filled("#123456", 0.5)["stroke_width"] == "0.5"
    assert network.halo(3) == {"stroke": "#ffffff", "stroke_width": "3", "paint_order": "stroke"}
    name = network.name_in_mark(1, 2, 9.25, "P<1")
    assert name.svg() == (
        '<text x="1.0" y="2.0" font-size="9.2" font-weight="600" fill="#ffffff" '
        'text-anchor="middle">P&lt;1</text>'
    )


@pytest.mark.parametrize(
    ("scale", "pixels", "said"),
    [
        (10, 200, "20 m"),  # 50 m would be more than a quarter of the width
        (24, 240, "10 m"),  # exactly a quarter
        (0.002, 200, "100000 m"),
        (1e6, 1000, "0.001 m"),  # the shortest there is, though it is longer
    ],
)
def test_the_scale_bar_is_a_round_length_of_at_most_a_quarter(scale, pixels, said):
    bar, length = network.scale_bar(scale, 500, 20, 30)
    right = WIDTH - 15
    assert str(bar.attributes["d"]) == f"M{right - pixels:.1f} 500.0v8h{pixels:.1f}v-8"
    assert length.inside == said
    assert (length.attributes["x"], length.attributes["y"]) == (f"{right - pixels / 2:.1f}", "520.0")


def test_a_framed_picture_says_what_it_is_and_ends_with_its_foot():
    mark = network.form("circle", 1, 1, 1)
    foot = network.text(0, 400, "below")
    made = network.framed("Name", "About\x00it", 420.4, [network.clipped([mark], 380)], [foot])
    assert (made.width, made.height) == (WIDTH, 420)
    root = ElementTree.fromstring(made.svg())
    assert root.get("viewBox") == "0 0 960 420" and (root.get("width"), root.get("height")) == ("960", "420")
    assert root.get("role") == "img"
    title, about, ground, clipped, group = root
    assert (title.tag, title.text) == (SVG + "title", "Name")
    assert (about.tag, about.text) == (SVG + "desc", "About it")
    assert (ground.get("width"), ground.get("height"), ground.get("fill")) == ("960", "420", "#ffffff")
    assert (clipped.get("width"), clipped.get("height")) == ("960", "380")
    assert [one.tag for one in clipped] == [SVG + "circle"]
    assert [one.text for one in group] == ["below"] and group.get("font-size") == "13"
