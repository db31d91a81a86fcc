# SPDX-License-Identifier: Apache-2.0
"""Tables at the widths that terminals have: no number is broken, no column is lost, the key columns stand in
every block.
"""

from __future__ import annotations

import random
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from orchestrator.cli import reproduce as cli_reproduce
from orchestrator.cli import runs, validate
from orchestrator.cli.numbers import count, decimal, measured, shown
from orchestrator.cli.tables import Column, Table
from orchestrator.execution.reproduce import DIFFERS, NOT_MADE, Part, Reproduced
from orchestrator.runs.model import Outcome

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
    assert shown("−1\u202f063.7 and B − A") == "-1,063.7 and B − A"


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


def test_cells_that_just_fit_the_terminal_are_not_wrapped(monkeypatch):
    cells = [
        {
            "name": f"cell{number}",
            "motes": 10 * number,
            "resolved": {"radio.range": "50 m", "rate": "low " * 9},
        }
        for number in (1, 2)
    ]

    def shown_at(width: int | None) -> list[str]:
        monkeypatch.setattr("orchestrator.console.width", lambda: width)
        return validate._cells(cells, {"radio.range": "50 m"})

    free = shown_at(None)
    indented = 2 + max(map(len, free))
    assert shown_at(indented) == free
    assert all(2 + len(line) < indented for line in shown_at(indented - 1))


def test_what_was_made_again_stands_beside_what_it_was():
    manifest = SimpleNamespace(experiment="e", cell="H", seed=1, run_id="0" * 64)
    parts = (Part("log", "a" * 64, "b" * 64, DIFFERS), Part("firmware", "c" * 64, "", NOT_MADE))
    table, *_ = cli_reproduce._of_one(Reproduced(Path("e"), manifest, parts, "", None))
    log, firmware = table.rows
    assert [set(text) for text, _ in log[2:]] == [{"a"}, {"b"}]
    assert set(firmware[2][0]) == {"c"} and firmware[3][0] == "–"


def test_a_list_of_runs_wraps_why_they_failed_and_names_the_engine_once(monkeypatch):
    def listed(*more):
        shown = []
        monkeypatch.setattr("orchestrator.console.show", shown.append)
        one = SimpleNamespace(
            run_id="0123456789abcdef", cell="H5", seed=3, outcome=Outcome.CRASH,
            finished="2026-05-04T12:00:00Z",
            statistics=SimpleNamespace(sim_us=90_000_000, wall_s=1.25), evidence=["mote 4 read " * 9],
            engine=SimpleNamespace(name="embedded", rules="5.0"),
        )  # fmt: skip
        runs._list_runs([one, *(SimpleNamespace(**{**vars(one), **of}) for of in more)])
        return drawn(shown[0], 120)

    first, heading, _, *rows = listed()
    assert first == "engine and rules: embedded 5.0" and heading.split()[-1] == "why"
    assert [line.split()[0] for line in rows if line] == ["0123456789ab", "mote", "mote"]
    assert {line.index("mote 4") for line in rows if "mote 4" in line} == {heading.index("why")}
    heading, _, *rows = listed({"engine": SimpleNamespace(name="cooja", rules="5.0"), "evidence": []})
    assert "engine" in heading.split()
    assert ["embedded 5.0" in line for line in rows if line.startswith("0123")] == [True, False]
    assert ["cooja 5.0" in line for line in rows if line.startswith("0123")] == [False, True]
