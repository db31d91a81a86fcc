# SPDX-License-Identifier: Apache-2.0
"""What a user reads of the blackboard paper, of what plain models wrote: its page (tests/recorded.py)."""

from __future__ import annotations

from dataclasses import replace
from math import ceil

import pytest

from orchestrator.papers.blackboard import (
    contradictions,
    figure_2,
    measured,
    storage,
)
from orchestrator.papers.blackboard.definitions import bits
from orchestrator.papers.check import FAILS, HOLDS


def compiled(more: int) -> dict[measured.Setting, measured.Bytes]:
    """Bytes of every setting: those of the definitions, and more of each concept's own."""
    found = {}
    for setting in measured.settings():
        concept, n = setting.concept, setting.subscribers
        array = (
            setting.events * ceil(bits(concept, n, setting.values) / 8 - 7)
            + more * (1 + n % 3)
            + more * setting.events // 8
        )
        names = {"static": "flags", "dynamic": "containers", "mixed": "frames"}
        stored_ = {"blackboard_array": array, f"blackboard_{names[concept]}": 7 * setting.events + more}
        found[setting] = measured.Bytes(stored_, {"marks": 9 + more, "blackboard_deadlines": 4 * n})
    return found


@pytest.fixture
def compilers(monkeypatch):
    """What the compilers found that are here."""

    def there(*names: str) -> None:
        known = {name: compiled(more) for name, more in (("avr", 0), ("cortex-m3", 3), ("host", 90))}
        found = {name: known[name] for name in names}
        missing = [f"no compiler for {name}" for name in known if name not in names]
        monkeypatch.setattr(storage, "_available", lambda: (found, missing))
        monkeypatch.setattr(measured, "pointer_size", lambda machine: 2 if machine.name == "avr" else 8)

    # "x86_64, here" is another machine's name elsewhere.
    here = replace(measured.HOST, title="this machine")
    for module in (measured, storage, contradictions):
        monkeypatch.setattr(module, "EVERY", (*measured.EVERY[:2], here))
    return there


def test_storages_that_contradict_the_paper(monkeypatch, compilers):
    compilers("avr")
    known, swapped = compiled(0), {"static": "dynamic", "dynamic": "static", "mixed": "mixed"}
    of = {setting: known[replace(setting, concept=swapped[setting.concept])] for setting in known}
    eight = measured.Setting("mixed", 8, 6)
    of[eight] = replace(of[eight], stored={"blackboard_array": 900})
    monkeypatch.setattr(storage, "_available", lambda: ({"avr": of}, []))
    told_of = {check.id: check.verdict for check in (*storage.checks({}), *figure_2.checks({}))}
    assert told_of["order-avr"] == told_of["within"] == told_of["figure-2-ours"] == FAILS
    assert told_of["figure-2-paper"] == told_of["working-area"] == told_of["sum-static"] == HOLDS


def test_nothing_is_measured_without_compilers_and_runs(compilers):
    compilers()
    told_of = {name: of({}) for name, of in contradictions.OURS.items()}
    of_headers = {"thread-table", "queue"}
    assert {name for name, said in told_of.items() if said != "not measured"} == of_headers
