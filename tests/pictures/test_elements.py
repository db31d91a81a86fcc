# SPDX-License-Identifier: Apache-2.0
"""What a picture is made of, as SVG."""

from xml.etree import ElementTree

import pytest

from orchestrator.pictures import elements
from orchestrator.pictures.elements import Element, Picture, Steps


@pytest.mark.parametrize(
    ("made", "svg"),
    [
        (elements.line(1, 2.04, 3, 4.06), '<line x1="1.0" y1="2.0" x2="3.0" y2="4.1"/>'),
        (elements.circle(1, 2, 3), '<circle cx="1.0" cy="2.0" r="3.0"/>'),
        (elements.rect(1, 2, 3, 4), '<rect x="1.0" y="2.0" width="3.0" height="4.0"/>'),
        (elements.polygon([(0, 1), (2, 3), (4, 5)]), '<polygon points="0.0,1.0 2.0,3.0 4.0,5.0"/>'),
        (elements.text(1, 2, "a < b & c"), '<text x="1.0" y="2.0">a &lt; b &amp; c</text>'),
        (elements.title("what it is"), "<title>what it is</title>"),
        (elements.path(elements.steps(("M", 0, 1), ("Q", 2, 3, 4, 5), ("Z",))),
         '<path d="M0.0 1.0Q2.0 3.0 4.0 5.0Z"/>'),
    ],
)  # fmt: skip
def test_each_element_as_svg(made, svg):
    assert made.svg() == svg


def test_a_look_has_svg_s_names_and_what_is_none_is_left_out():
    made = elements.line(0, 0, 1, 1, stroke="#333333", stroke_width="2", rx="1", marker_end=None)
    assert list(made.attributes.items())[4:] == [("stroke", "#333333"), ("stroke-width", "2"), ("rx", "1")]


def test_a_group_has_its_elements_on_lines_of_their_own():
    made = elements.group([elements.title("a"), elements.circle(0, 0, 1)], font_size="13")
    assert made.svg() == ('<g font-size="13">\n<title>a</title>\n<circle cx="0.0" cy="0.0" r="1.0"/>\n</g>')


def test_steps_that_are_added_go_on():
    made = elements.steps(("M", 1, 1)) + Steps([("h", "2"), ("Z",)])
    assert isinstance(made, Steps)
    assert str(made) == "M1.0 1.0h2Z"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a\x00b\nc\x1bd", "a b c d"),
        ("1\u202f000\u00a0m", "1\u202f000\u00a0m"),
        ("1\u202f000\u00a0m\x07", "1\u202f000\u00a0m "),
    ],
)
def test_what_xml_can_t_hold_becomes_a_blank(text, shown):
    assert elements.printable(text) == shown
    for made in (elements.text(0, 0, text), elements.title(text)):
        assert ElementTree.fromstring(made.svg()).text == shown


def picture(**more) -> Picture:
    return Picture(200, 50, {"role": "img", "width": "200"}, (Element("desc", {}, "d"),), **more)


def test_a_picture_is_as_wide_as_it_is_or_scaled():
    head = '<svg xmlns="http://www.w3.org/2000/svg" role="img"'
    assert picture().svg() == f'{head} width="200">\n<desc>d</desc>\n</svg>\n'
    assert picture().svg(3) == f'{head} width="3.0000in" height="0.7500in">\n<desc>d</desc>\n</svg>\n'


def test_what_stands_before_a_picture_s_elements():
    made = picture(prologue="<?xml version='1.0'?>", before=("<style/>", "<defs/>")).svg()
    assert made.startswith("<?xml version='1.0'?><svg ")
    assert made.splitlines()[1:] == ["<style/>", "<defs/>", "<desc>d</desc>", "</svg>"]
