# SPDX-License-Identifier: Apache-2.0
"""Tables 6-1 to 6-3 of the event service: our counts beside the thesis's, by column and interval."""

from __future__ import annotations

import pandas as pd
import pytest

from orchestrator.features.event_service.paper import frequency
from orchestrator.features.event_service.paper.received import COLUMNS, Received

LOCAL, REMOTE = frequency.LOCAL, frequency.REMOTE_CONSUMERS[0]


@pytest.fixture
def table(monkeypatch):
    """The table's part of the page, of (case, interval, seed, consumer, events)."""

    def made(which: frequency.FrequencyTable, rows):
        ours = Received.__new__(Received)
        ours.frame = pd.DataFrame([(*row, row[-1]) for row in rows], columns=COLUMNS)
        monkeypatch.setattr(frequency, "received", lambda found: ours)
        (section,) = which.sections({})
        return section.blocks

    return made


def texts(row) -> list[str]:
    return [entry.text for entry in row]


def test_each_column_has_the_thesiss_number_and_both_means_of_ours(table):
    rows = [("one", 5, seed, "P2", events) for seed, events in enumerate((10, 20, 60, 40), 1)]
    note, gallery, shown = table(frequency.SINGLE, [*rows, ("two", 5, 1, "P2", 7)])
    assert shown.columns[:5] == (
        "Interval, ms",
        "1 supplier, 1 consumer: thesis",
        "ours",
        "of all",
        "1 supplier, 2 consumers: thesis",
    )
    assert texts(shown.rows[0])[:4] == ["1", "6", "–", "–"]
    assert texts(shown.rows[1]) == [
        "5",
        "24",
        "30.0",
        "32.5",
        "18",
        "7.0",
        "7.0",
        "18",
        "–",
        "–",
        "21",
        "–",
        "–",
    ]
    assert len(gallery.figures) == 4 and "1 to 4 readings" in shown.note


def test_a_hundred_pushes_count_three_times_where_the_thesis_has_three_hundred(table):
    *_, shown = table(frequency.SINGLE_OF_100, [("one", 1, seed, "P2", 4) for seed in (1, 2, 3)])
    assert texts(shown.rows[0])[:4] == ["1", "6", "12.0", "12.0"]
    assert "of 100 pushes, times 3; 3 readings: without the least and the most" in shown.note


def test_local_and_remote_consumers_are_columns_of_their_own(table):
    *_, shown = table(frequency.BOTH, [("N1", 1, 1, LOCAL, 90), ("N1", 1, 1, REMOTE, 5)])
    assert texts(shown.rows[0])[2:7:3] == ["90.0", "5.0"]
