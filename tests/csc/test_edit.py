# SPDX-License-Identifier: Apache-2.0
"""Elements that are put in and taken out leave a file laid out as it was."""

import pytest
from lxml import etree

from orchestrator.csc.edit import Edits


def inserted(before: str, at: int, new: str = "<new/>", made: bool = True) -> str:
    root = etree.fromstring(f"<root>{before}</root>")
    Edits().insert(root.find("part"), at, etree.fromstring(new), made)
    return etree.tostring(root).decode().removeprefix("<root>").removesuffix("</root>")


@pytest.mark.parametrize(
    ("before", "at", "after"),
    [
        # in front, between, at the end: as far in as its neighbours
        ("\n <part>\n    <a/>\n </part>", 0, "\n <part>\n    <new/>\n    <a/>\n </part>"),
        ("\n <part>\n    <a/>\n </part>", 1, "\n <part>\n    <a/>\n    <new/>\n </part>"),
        (
            "\n <part>\n    <a/>\n    <b/>\n </part>",
            1,
            "\n <part>\n    <a/>\n    <new/>\n    <b/>\n </part>",
        ),
        # an element without children: on a line of its own behind the text, two blanks a level
        ("\n  <part/>\n", 0, "\n  <part>\n    <new/>\n  </part>\n"),
        ("\n  <part>text</part>\n", 0, "\n  <part>\n    text\n    <new/>\n  </part>\n"),
    ],
)
def test_an_element_is_put_in_as_its_neighbours_are(before, at, after):
    assert inserted(before, at) == after


def test_what_was_made_here_gets_line_breaks_and_what_was_moved_keeps_its_own():
    before, new = "\n  <part>\n    <a/>\n  </part>", "<new>name<in/><in/></new>"
    laid_out = "<new>\n      name\n      <in/>\n      <in/>\n    </new>"
    assert inserted(before, 0, new) == before.replace("<a/>", f"{laid_out}\n    <a/>")
    assert inserted(before, 0, new, made=False) == before.replace("<a/>", f"{new}\n    <a/>")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("\n  <a/>\n  <gone/>\n  <b/>\n", "\n  <a/>\n  <b/>\n"),
        ("\n  <gone/>\n  <b/>\n", "\n  <b/>\n"),
        ("\n  <a/>\n  <gone/>\n", "\n  <a/>\n"),
        ("<gone/>name\n", "name\n"),
        ("one<a/>two<gone/>three", "one<a/>twothree"),
    ],
)
def test_an_element_goes_with_its_line_and_text_stays(before, after):
    root = etree.fromstring(f"<root>{before}</root>")
    Edits().remove(root.find("gone"))
    assert etree.tostring(root).decode() == f"<root>{after}</root>"


def test_what_was_done_comes_first_by_line_and_equal_ones_once():
    edits = Edits()
    edits.left(1, "left")
    edits.done(9, "late")
    for line in (5, 7, 8):
        edits.done(line, "thrice")
    assert edits.all() == [(5, "thrice (3 times)", True), (9, "late", True), (1, "left", False)]
