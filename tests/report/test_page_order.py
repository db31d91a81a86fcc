# SPDX-License-Identifier: Apache-2.0
"""The page as a reader sees it: nothing comes twice, notes lead somewhere, details are folded, and a cell
has one colour.
"""

import re

import metrics_store
import pytest
from markup import Markup

from orchestrator.report import charts, folds, page, style
from orchestrator.report.data import read
from orchestrator.report.model import (
    Contradiction,
    Entry,
    Figure,
    Listing,
    Notes,
    Reading,
    Section,
    Table,
)
from orchestrator.report.render import Page, figures, html
from orchestrator.statistics.estimates import estimate

CELLS = ("H5", "H5A", "H10", "H10A", "L5", "L5A", "L10", "L10A")


@pytest.fixture(scope="module")
def built(store):
    return page.build(read(store, "aggregation-paper"))


def figure(title: str, *cells: tuple[str, tuple[float, ...]]) -> Figure:
    drawing = charts.bars(
        [cell for cell, _ in cells], [charts.Series(title, [estimate(values) for _, values in cells])], "x"
    )
    return Figure(title.lower(), title, drawing, "", "")


def test_no_figure_is_drawn_twice(built):
    pictures = [figure.svg for figure in figures(built)]
    assert len(pictures) > 20 and len(set(pictures)) == len(pictures)
    names = [figure.name for figure in figures(built)]
    assert "figure-7g" in names and "all-event-loss-rate" not in names
    assert "Event loss rate: in 7g" in Markup(html(built)).text


def test_every_note_that_is_named_is_a_link_to_it(built):
    # The paper's page has notes only where the counts of its runs bear an explanation out, which made-up ones
    # don't.
    named = Section(
        "own",
        "Own",
        (
            Table(
                "Beside",
                ("What", "Verdict"),
                (
                    (Entry("loss"), Entry("outside, note\u00a02")),
                    (Entry("delay"), Entry("outside, note\u00a01")),
                ),
            ),
            Notes("Notes", (("One", "of it."), ("Two", "of it."))),
        ),
    )
    for shown in (Markup(html(built)), Markup(html(Page("t", "s", (), (named,))))):
        ids = {tag["id"] for _, tag in shown.tags if "id" in tag}
        links = [tag["href"][1:] for tag in shown.all("a") if tag["href"].startswith("#note")]
        assert set(links) <= ids
        assert len(links) == len(re.findall(r"note\u00a0[0-9]+", shown.text))
    assert links == ["note-own-2", "note-own-1"]


def test_what_few_read_is_folded_and_says_what_it_is(built):
    shown = html(built)
    for section in built.sections:
        body = shown.split(f'<section id="{section.id}">')[1].split("</section>")[0]
        assert body.lstrip().startswith("<h2>")  # a folded section is named, too
        first = (
            folds.contents(section)
            if section.id.startswith(folds.SECTIONS)
            else folds.block(section.blocks[0])
        )
        assert body.split("</h2>")[1].lstrip().startswith(f"<details><summary>{first}<") == bool(first)
    assert (
        folds.contents(Section("provenance", "P", (Table("What ran", ("a",), ()), Listing("x.yaml", ""))))
        == "What ran, x.yaml"
    )
    long = Table("Long", ("a",), tuple((Entry(str(i)),) for i in range(30)))
    assert folds.block(long) == "Long: 30 rows" and not folds.block(Table("Short", ("a",), long.rows[:5]))
    assert folds.block(Contradiction("T", "w", (Reading("a"), Reading("b")), "why")) == "T: 2 readings"
    assert "<details open" not in shown and shown.count("<details>") == shown.count(
        "<summary>"
    ) == shown.count("</details>")


def test_the_contents_stay_in_view_and_lead_to_every_section(built):
    shown = Markup(html(built))
    targets = [tag["href"] for tag in shown.all("a")][: len(built.sections) + 1]
    assert targets == ["#top", *(f"#{section.id}" for section in built.sections)]
    assert (
        re.search(r"nav \{[^}]*position: sticky; top: 0", shown.style) and "scroll-margin-top" in shown.style
    )
    assert re.search(r"@media print.*nav \{ position: static", shown.style, re.S)


def test_a_cell_has_one_colour_in_every_part_of_the_page(tmp_path):
    """Also where a metric is not there for all of them, and beyond the palette's end."""
    store = metrics_store.store(tmp_path, "mine", cells=CELLS, seeds=(1, 2))
    results = read(store, "mine")
    made = {figure.name: figure for figure in figures(page.build(results))}
    colours = {cell: style.look(place).colour for place, cell in enumerate(results.cells)}
    bars = re.findall(r'<rect [^>]*fill="(#[0-9A-F]{6})"', made["all-reduction"].svg.decode())
    assert bars == [colours[cell] for cell in results.cells if cell.endswith("A")]
    for name, cells in (
        ("nodes-packets-sent-l5", ("L5", "L5A", "L10", "L10A")),
        ("all-delay-distribution-2", ("L5", "L5A", "L10", "L10A")),
    ):
        figure_ = next(
            figure
            for each, figure in made.items()
            if each.startswith(name[:18])
            and figure.name != "all-delay-distribution-1"
            and {row[0] for row in figure.drawing.rows} <= set(results.cells[6:])
        )
        drawn = {
            colour
            for colour in re.findall(r'stroke="(#[0-9A-F]{6})"', figure_.svg.decode())
            if colour in style.SERIES
        }
        assert drawn == {colours[row[0]] for row in figure_.drawing.rows}, (name, cells)
