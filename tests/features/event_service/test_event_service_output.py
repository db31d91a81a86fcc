# SPDX-License-Identifier: Apache-2.0
"""What a user reads of the event service thesis, of made-up counts: pages and tables (tests/recorded.py)."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from orchestrator.features.event_service import paper as event_service
from orchestrator.features.event_service.paper import conclusions, frequency, real_time, variants
from orchestrator.features.event_service.paper.received import (
    COLUMNS,
    Received,
    data,
    intervals,
    received,
    split,
)
from orchestrator.papers.check import FAILS, HOLDS, MISSING
from orchestrator.report.data import Results
from orchestrator.report.model import Table
from orchestrator.runs.model import Outcome
from orchestrator.scenario.load import loads
from tests import page_in_words, recorded
from tests.manifests import manifest

LOCAL, REMOTE = frequency.LOCAL, frequency.REMOTE_CONSUMERS
Row = tuple[str, int, int, str, int, int]  # COLUMNS


def counts(rows: list[Row], spreads_s: dict[int, float | None] | None = None) -> Received:
    """`spreads_s`: how far apart motes started in a run of each interval; None of one that failed."""
    made = Received.__new__(Received)
    made.frame = pd.DataFrame(rows, columns=COLUMNS)
    made.manifests = [
        SimpleNamespace(
            cell=f"N1-{interval}",
            testbed=SimpleNamespace(lab="a lab" if spread else "", boot_spread_us=1e6 * (spread or 99)),
        )
        for interval, spread in (spreads_s or {}).items()
    ]
    return made


def readings(
    case: str, interval: int, seeds: int, consumers: dict[str, float], most: int, twice: int = 0
) -> Iterator[Row]:
    """Counts about each consumer's own; `twice`: of the events came again."""
    for seed in range(1, seeds + 1):
        for consumer, about in consumers.items():
            draw = random.Random(f"{case} {interval} {seed} {consumer}")
            events = min(most, max(0, round(about + draw.uniform(-6, 6))))
            yield case, interval, seed, consumer, events, events + twice * (seed + 1)


def otherwise() -> dict[str, Received]:
    """One or two readings of some cases, which contradict what the thesis says of them."""
    single = [*readings("one", 200, 2, {"B": 290.0}, 300), *readings("two", 500, 1, {"B": 120.0}, 300)]
    remote = list(readings("N1", 100, 2, {REMOTE[0]: 40.0}, 100))
    both = list(readings("N1", 100, 2, {LOCAL: 88.0, REMOTE[0]: 77.0}, 100))
    board = [
        row
        for case, about in (
            ("gateway", 250.0),
            ("base-station", 100.0),
            ("uncrossed", 50.0),
            ("crossed", 150.0),
        )
        for row in readings(case, 200, 1, {"B": about}, 300)
    ]
    return {
        frequency.SINGLE.experiment: counts(single),
        frequency.REMOTE.experiment: counts(remote),
        frequency.BOTH.experiment: counts(both),
        variants.SINGLE_BOARD: counts(board),
        variants.ABLATION: counts([*readings("buffer-8", 50, 1, {REMOTE[1]: 50.0}, 100)]),
        real_time.REAL: counts([*readings("N1", 1000, 1, {REMOTE[0]: 60.0}, 100)]),
    }


@pytest.fixture
def said(monkeypatch) -> Callable[[dict[str, Received]], str]:
    for module in (frequency, variants, conclusions, real_time):
        monkeypatch.setattr(module, "received", lambda counted: counted)

    def of(found: dict[str, Received]) -> str:
        results = event_service.results()
        lines = [
            f"{one.name} ({'always' if one.asked else 'if asked for'}): {one.summary}" for one in results
        ]
        lines += [page_in_words.told(one.sections(found), page_in_words.in_brief) for one in results]
        return recorded.rounded("\n".join(lines))

    return of


def test_the_terminal_shows_what_the_page_shows(said):
    found = otherwise()
    for result in event_service.results():
        (section,) = result.sections(found)
        tables = [block for block in section.blocks if isinstance(block, Table)]
        if result.name not in ("table-6-1-of-100", "readings"):  # they have no runs here
            assert tables[0] in result.tables(found)
            assert [one.entries for one in result.checks(found)] == [
                row for table in tables[1:] for row in table.rows
            ]


def test_each_case_that_is_shown_is_run_and_each_that_is_run_is_shown():
    def ran(file: str) -> set[str]:
        return {split(cell.name)[0] for cell in loads(data.text(file), file).cells}

    assert ran("ablation.yaml") == set(variants.CHANGES)
    assert ran("readings.yaml") == set(variants.ALTERNATIVES)
    assert ran("single-board.yaml") == {"gateway", "base-station", "uncrossed", "crossed"}
    for table, file in (
        (frequency.SINGLE, "table-6-1.yaml"),
        (frequency.SINGLE_OF_100, "table-6-1-of-100.yaml"),
        (frequency.REMOTE, "table-6-2.yaml"),
        (frequency.BOTH, "table-6-3.yaml"),
    ):
        scenario = loads(data.text(file), file)
        assert scenario.experiment == table.experiment
        wanted = {(column.case, interval) for column in table.columns for interval in intervals()}
        assert {split(cell.name) for cell in scenario.cells} == wanted


def test_the_calibrated_variant_stands_beside_the_ideal_one_and_is_no_claim_that_holds(said):
    """Its one number was fitted to the thesis's level, so its verdicts don't count among the result's."""
    ideal = counts([("N1", 100, seed, REMOTE[0], 100, 100) for seed in (1, 2, 3)])
    fitted = counts([("N1", 100, seed, REMOTE[0], 77, 77) for seed in (1, 2, 3)])
    found = {frequency.REMOTE.experiment: ideal, frequency.REMOTE.calibrated.experiment: fitted}
    (result,) = [one for one in event_service.results() if one.name == "table-6-2"]
    assert [check.verdict for check in result.checks(found)] == [FAILS]
    (section,) = result.sections(found)
    first, second, claims, of_fitted = [block for block in section.blocks if isinstance(block, Table)]
    assert (first.rows[6][2].text, second.rows[6][2].text) == ("100.0", "77.0")
    assert "calibrated" in second.title and "calibrated" in of_fitted.title
    assert (claims.rows[0][1].text, of_fitted.rows[0][1].text) == (FAILS, HOLDS)
    assert frequency.CALIBRATED in section.blocks[1].paragraphs[0]


@pytest.mark.parametrize("name", ["table-6-1", "table-6-2", "table-6-3", "single-board"])
def test_the_calibrated_variant_differs_in_the_reception_alone(name):
    ideal, fitted = (loads(data.text(f"{name}{end}.yaml"), name) for end in ("", "-calibrated"))
    assert fitted.experiment == f"{ideal.experiment}-calibrated"
    assert [cell.radio for cell in fitted.cells] == [
        replace(cell.radio, rx_ratio=0.92) for cell in ideal.cells
    ]
    assert {cell.radio.rx_ratio for cell in ideal.cells} == {1.0}
    without = [[replace(cell, radio=None) for cell in scenario.cells] for scenario in (ideal, fitted)]
    assert without[0] == without[1]


def test_tables_on_the_base_station_are_judged_where_something_is_lost(said):
    """At an interval at which every event comes nothing can be gained."""
    of = {50: (185, 168), 100: (286, 268), 200: (299, 300)}
    rows = [
        (case, interval, 1, "B", count, count)
        for interval, both in of.items()
        for case, count in zip(("base-station", "gateway"), both, strict=True)
    ]
    check = conclusions.single_board({variants.SINGLE_BOARD: counts(rows)})[0]
    assert check.verdict == HOLDS
    assert "185.0 against 168.0 at 50 ms; 286.0 against 268.0 at 100 ms" in check.evidence
    whole = counts([row for row in rows if row[1] == 200])
    assert conclusions.single_board({variants.SINGLE_BOARD: whole})[0].verdict == MISSING
    intervals_run = {split(cell.name)[1] for cell in loads(data.text("single-board.yaml"), "x").cells}
    assert {50, 100} <= intervals_run


@pytest.mark.parametrize("cell", ["N1", "-5", "N1-", "N1-a", "N1-5-"])
def test_names_that_are_no_cell_of_a_sweep_over_the_interval(cell):
    with pytest.raises(ValueError, match="is no cell of a sweep over the interval"):
        split(cell)


def test_what_each_consumer_got_is_read_from_the_runs_that_ended_well(tmp_path):
    """An event that came twice is one event; a run that failed has none, and a consumer may have got none."""
    motes = [
        {"mote": 1, "name": "S", "role": "control", "x": 0.0, "y": 0.0, "parent": 0},
        {"mote": 2, "name": "P1", "role": "subscriber", "x": 0.0, "y": 0.0, "parent": 1},
        {"mote": 3, "name": "P2", "role": "publisher", "also": "subscriber", "x": 0.0, "y": 0.0, "parent": 1},
        {"mote": 4, "name": "P3", "role": "publisher", "x": 0.0, "y": 0.0, "parent": 1},
    ]
    came = [
        ("good", 2, "dlv", 4, 1),
        ("good", 2, "dlv", 4, 1),
        ("good", 2, "dlv", 4, 2),
        ("good", 2, "dlv", 3, 2),
        ("good", 2, "snd", 4, 3),
        ("good", 4, "dlv", 3, 1),
        ("failed", 2, "dlv", 4, 1),
        ("other", 3, "dlv", 4, 7),
        ("older", 3, "dlv", 4, 8),
    ]
    rows = [
        {"run_id": run, "mote": mote, "kind": kind, "events": [{"publisher": of, "sequence": number}]}
        for run, mote, kind, of, number in came
    ]
    (tmp_path / "tables" / "events").mkdir(parents=True)
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "tables" / "events" / "x.parquet")
    runs = (
        manifest("good", cell="two-b-50", seed=4, motes=motes),
        manifest("failed", cell="two-b-50", seed=5, motes=motes, outcome=Outcome.CRASH.value),
        manifest("other", cell="one-100", seed=6, motes=motes),
    )
    results = Results("x", tmp_path, pd.DataFrame(), runs, "", ("two-b-50", "one-100"))
    found = received(results)
    assert [tuple(row) for row in found.frame.itertuples(index=False)] == [
        ("two-b", 50, 4, "P1", 3, 4),
        ("two-b", 50, 4, "P2", 0, 0),
        ("one", 100, 6, "P1", 0, 0),
        ("one", 100, 6, "P2", 1, 1),
    ]
    assert received(results) is found and received(None) is None
    assert found.cases == ["two-b", "one"] and found.intervals("one") == [100]
    assert found.mean("two-b", 50).values == (1.5,) and found.total("two-b", 50).values == (3.0,)
    assert found.mean("two-b", 50, ("P1",), "arrivals").values == (4.0,)
    assert found.mean("two-b", 100) is found.total("one", 50) is found.mean("one", 100, ("P9",)) is None
