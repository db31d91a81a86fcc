# SPDX-License-Identifier: Apache-2.0
"""The HTML of a page with each kind of block, as it was when somebody last looked at it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from orchestrator.report import charts
from orchestrator.report.model import (
    Beside,
    Contradiction,
    Entry,
    Figure,
    Gallery,
    Link,
    Listing,
    Notes,
    Reading,
    Section,
    Table,
    Text,
    paragraph,
)
from orchestrator.report.render import Page, embedded_size, html
from orchestrator.statistics.estimates import estimate
from tests import recorded

RECORDED = Path(__file__).with_name("recorded_html")


def figure(name: str, **more) -> Figure:
    drawing = charts.bars(["a"], [charts.Series("s", [estimate([1.0, 2.0])])], "x")
    return Figure(
        name, f"Title of {name}", drawing, f"caption of {name} & more", f"picture of {name}", **more
    )


def page() -> Page:
    entries = (
        (Entry("first", "in full", href="#one"), Entry("1.5", "0 to 3", "good", True), Entry("see note 2")),
        (Entry("second"), Entry("", tone="quiet"), Entry("a long text in an entry", href="x.html")),
    )
    rows = Table("Rows", ("What", "Number", "Words"), entries, "a note on <rows>")
    matrix = Table("Many", ("a", "b"), tuple((Entry(str(i)), Entry("x")) for i in range(25)), cards=False)
    readings = (Reading("one way", ("1", "2")), Reading("another way", held=True))
    blocks = (
        Text(("two", "paragraphs"), "lead"),
        paragraph("plain"),
        rows,
        matrix,
        Table("None", ("a", "b"), ()),
        Listing("x.yaml", "a: <b>\n"),
        Contradiction("Apart", "page 3", readings, "because"),
        Notes("Notes", (("First", "of it."), ("Second", "of it."))),
        Beside((paragraph("left", "warning"), Text(("a", "b"))), figure("beside")),
        figure("linked", links=(Link(0.25, 0.5, "#one", "there & back"), Link(1.0, 0.0, "#two", "t"))),
        figure("wide", wide=True),
    )
    return Page(
        "A <title>",
        "what it is",
        (("Cells", "3"), ("Seeds", "1..2")),
        (
            Section("one", "One", blocks, "Short"),
            Section("two", "Two", (Gallery(tuple(figure(f"of-{place}") for place in range(13))),)),
            Section("nodes-of", "Folded", (Gallery((figure("single"),)), rows, Listing("x.csc", ""))),
            Section("provenance", "Empty", ()),
            Section("scenario", "Figures", (Gallery((figure("p"), figure("q"))),)),
        ),
        "the footer",
    )


def shown(text: str) -> str:
    """Without the style sheet; data of one kind are the same in every figure, so that their kind suffices."""
    text = re.sub(r"<style>\n.*?</style>", "<style></style>", text, count=1, flags=re.DOTALL)
    kinds = {kind: f"[{kind}]" for kind in re.findall(r"data:([a-z+/]+);base64,", text)}
    return re.sub(r"data:([a-z+/]+);base64,[A-Za-z0-9+/=]+", lambda found: kinds[found[1]], text)


def test_every_kind_of_block():
    recorded.same(shown(html(page())), RECORDED / "inside.html")


def test_a_page_is_as_large_as_its_text_and_its_figures():
    one = Page("t", "s", (), (Section("a", "A", (figure("f"),)),))
    outside = replace(one, outside=frozenset({"f"}))
    data = [len(found) for found in re.findall(r'"(data:[^"]*)"', html(one))]
    assert sum(data) == embedded_size(figure("f")) and not re.findall(r'"data:', html(outside))
