# SPDX-License-Identifier: Apache-2.0
"""The page of the event service's real-time result: what was measured, once, and nothing that wasn't."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from orchestrator.features.event_service.paper import real_time
from orchestrator.features.event_service.paper.received import Mean
from orchestrator.report.model import Table, Text


@pytest.fixture
def found(monkeypatch):
    """Means of two intervals in virtual time and of one in real time, which ran twice."""
    means = {real_time.REAL: {50: (70.0, 78.0)}, real_time.VIRTUAL: {50: (78.0,), 100: (97.0,)}}

    def received(name):
        known = means.get(name)
        return known and SimpleNamespace(
            mean=lambda case, interval: Mean(known[interval]) if interval in known else None
        )

    monkeypatch.setattr(real_time, "received", received)
    run = SimpleNamespace(cell="N1-50", testbed=SimpleNamespace(lab="lab", boot_spread_us=600_000))
    lost = SimpleNamespace(cell="N1-50", testbed=SimpleNamespace(lab="", boot_spread_us=9_000_000))

    class Found(dict):
        def get(self, name):
            return name

    return Found({real_time.REAL: SimpleNamespace(manifests=[run, lost])})


def test_the_table_has_what_ran_beside_the_thesis(found):
    (table,) = real_time.tables(found)
    assert [[entry.text for entry in row] for row in table.rows] == [
        ["50", "71", "78.0", "74.0", "0.6"],
        ["100", "75", "97.0", "\u2013", "\u2013"],
    ]


def test_the_page_says_its_note_once(found):
    (section,) = real_time.sections(found)
    assert [type(block) for block in section.blocks] == [Table]


def test_without_runs_it_says_so(monkeypatch):
    monkeypatch.setattr(real_time, "received", lambda name: None)
    (section,) = real_time.sections({})
    assert isinstance(section.blocks[0], Text)
