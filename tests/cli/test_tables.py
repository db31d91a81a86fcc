# SPDX-License-Identifier: Apache-2.0
"""Tables at the widths that terminals have: no number is broken, no column is lost, the key columns stand in
every block.
"""

from __future__ import annotations

import random
import re

import pytest

from orchestrator.cli.numbers import count, decimal, measured, shown
from orchestrator.cli.tables import Column, Table

WIDTHS = (40, 60, 80, 120, None)


def drawn(table: Table, width: int | None) -> list[str]:
    return [line for text in table.lines(width) for line in text.plain.split("\n")]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("seed", range(5))
def test_every_entry_stands_whole_somewhere(seed, width):
    draw = random.Random(seed)
    columns = [
        Column("mote", key=True),
        *(Column(f"long heading {place}", number=True) for place in range(draw.randint(3, 14))),
    ]
    rows = [
        [f"P{row}", *(decimal(draw.uniform(-1e7, 1e7), draw.randint(0, 3)) for _ in columns[1:])]
        for row in range(4)
    ]
    lines = drawn(Table("What it is", columns, rows), width)
    words = " ".join(lines).split()
    for row in rows:
        assert all(words.count(text) >= 1 for text in row)
    if width is not None:
        assert all(len(line) <= width for line in lines)
    headings = sum(line.split()[0] == "mote" for line in lines if line.strip())
    assert sum(line.startswith("P0 ") for line in lines) == headings == (1 if width is None else headings)


def test_prose_wraps_between_words_before_a_column_goes_below():
    table = Table(
        "",
        (Column("metric", key=True, prose=True), Column("mean", number=True), Column("verdict", prose=True)),
        [
            (
                "share of the events that came merged with others",
                "1,234,567.89",
                "larger, by the same in every seed",
            )
        ],
    )
    lines = drawn(table, 60)
    assert sum(set(line) == {"─"} for line in lines) == 1 and all(len(line) <= 60 for line in lines)
    assert any("1,234,567.89" in line for line in lines)
    assert len(drawn(table, None)) == 4


def test_a_word_wider_than_the_terminal_is_not_broken():
    path = "/a/very/long/path/" + "x" * 60
    assert any(
        path in line
        for line in drawn(
            Table("", (Column("what", key=True), Column("found", prose=True)), [("a", f"see {path}")]), 40
        )
    )


def test_numbers_are_written_one_way():
    assert [count(1234567), count(None), decimal(-1234.5, 2), decimal(float("nan"), 1)] == [
        "1,234,567",
        "–",
        "-1,234.50",
        "–",
    ]
    assert [
        measured(value) for value in (0.0, 485.0, 469.4872, 1001.026, 2.5e-7, 123456789.0, -0.5, None)
    ] == ["0", "485", "469.487", "1,001.03", "2.5e-07", "123,456,789", "-0.5", "–"]
    assert shown("−1\u202f063.7 and B − A") == "-1,063.7 and B - A"


def test_a_style_does_not_change_the_text():
    plain, styled = (
        drawn(Table("", ("a", "b"), [("x", cell)]), 80) for cell in ("[bold]y", ("[bold]y", "red"))
    )
    assert plain == styled and re.search(r"x  \[bold\]y", plain[2])


@pytest.mark.parametrize("width", [30, 40, 60])
def test_prose_is_wrapped_and_keeps_its_words_in_order(width):
    words = [f"word{number}" for number in range(30)]
    table = Table("", (Column("name", key=True), Column("what", prose=True)), [("N", " ".join(words))])
    lines = drawn(table, width)
    assert len(lines) > 3 and all(len(line) <= width for line in lines)
    assert re.findall(r"word\d+", " ".join(lines)) == words
