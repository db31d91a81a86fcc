# SPDX-License-Identifier: Apache-2.0
"""All that the commands and the page of a campaign say of rounds that were made without a simulation.

They are recorded (tests/recorded.py); the clock is set to the day of the last round.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from orchestrator import __version__
from orchestrator.campaign.judging import page
from orchestrator.campaign.model import State
from orchestrator.cli.app import main
from orchestrator.runs.model import Outcome
from tests import page_in_words, recorded
from tests.campaign.nights_store import Nights

RECORDED = Path(__file__).with_name("recorded_output")
FILE = """\
campaign: nights
seeds: 1..2
verdict: {effect: 2 %, false-alarms: 1 %}
parts:
  - paper: blackboard-test-case
"""


def failed(run) -> Outcome:
    return Outcome.NO_VERDICT if run.seed % 8 == 5 else Outcome.OK


ROUNDS = {
    "first": [],
    "red": [{}, {"code": "b", "loss": 0.16, "delay": 70.0}],
    "failed": [{}, {"code": "b", "outcome": failed}],
    "incomplete": [{}, {"code": "b", "shards": 2, "came": 1}],
    "missing": [{}, {"ran": lambda run: run.seed % 3, "state": State.INTERRUPTED}],
    "unmeasured": [
        {},
        {"code": "b", "measured": lambda run: run.seed % 2, "cells": ("plain", "merged", "new")},
    ],
}


@pytest.fixture
def nights(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    Path("nights.yaml").write_text(FILE)
    return Nights(tmp_path / "store", 8)


def made(nights: Nights, name: str):
    """The last round's verdict, after the first one was promoted."""
    for number, how in enumerate(ROUNDS[name] or [{}]):
        nights.night(**how)
        found = nights.verdict()
        if number == 0 and ROUNDS[name]:
            nights.promote()
    return found


@pytest.mark.parametrize("name", ROUNDS)
def test_what_is_said_of_a_round(name, nights, capsys):
    found = made(nights, name)
    said = [page_in_words.told(page.page(nights.store, found))]
    for words in (["status"], ["verdict"], ["promote", "--reason", "so"], ["blame"]):
        code = main(["campaign", *words[:1], "nights.yaml", *words[1:], "--store", "store"])
        told = capsys.readouterr()
        said.append(f"--- {' '.join(words)}: {code}\n{told.out or told.err}")
    text = "\n".join(said).replace(str(nights.store.parent), "HERE")
    text = re.sub(r"[0-9]+ (?:day|hour)s? ago", "AGO", text).replace(__version__, "VERSION")
    recorded.same(recorded.rounded(text), RECORDED / f"{name}.txt")
