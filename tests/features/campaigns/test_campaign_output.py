# SPDX-License-Identifier: Apache-2.0
"""All that the commands and the page of a campaign say of rounds that were made without a simulation.

They are recorded (tests/recorded.py); the clock is set to the day of the last round.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from orchestrator import __version__
from orchestrator.cli.app import main
from orchestrator.features.campaigns.judging import files, page
from orchestrator.features.campaigns.model import Quarantined, State
from orchestrator.runs.model import Outcome
from tests import page_in_words, recorded
from tests.features.campaigns.nights_store import Nights

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
    "quarantine": [
        {},
        {
            "code": "b",
            "quarantine": (
                Quarantined("chain", "merged", None, "2026-12-01", "it hangs"),
                Quarantined("chain", "plain", 10, "2026-11-01", "too <noisy> | odd"),
            ),
            "notes": ("this machine's clock is behind", "round 1 stays as it is: interrupted"),
            "host": "there",
            "version": "9.9",
        },
    ],
    "better": [{}, {"code": "b", "loss": 0.02, "delay": 60.0}, {"code": "b", "loss": 0.02, "delay": 60.0}],
    "many": [
        {},
        {"code": "b", "cells": [f"cell {number}" for number in range(25)], "ran": lambda run: False},
    ],
}
ACTIONS = (
    ["status"],
    ["status", "--rounds", "1", "--json"],
    ["verdict"],
    ["promote", "--reason", "so"],
    ["promote", "--reason", "so", "--by", "me", "--json"],
    ["blame"],
    ["blame", "--json"],
    ["watch"],
    ["seeds"],
    ["seeds", "--json", "--metrics", "event_loss_rate,events_published", "--change", "10%", "--half", "5%"],
    ["prune", "--rounds", "1", "--dry-run"],
    ["prune", "--quota", "1kB", "--dry-run"],
    ["prune", "--quota", "1kB", "--dry-run", "--json"],
)


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


def test_what_is_said_of_a_round_that_is_red(nights, capsys):
    found = made(nights, "red")
    said = [page_in_words.told(page.page(nights.store, found)), files.summary(found)]
    said.append(files.junit_xml(found).decode())
    for words in ACTIONS:
        code = main(["campaign", *words[:1], "nights.yaml", *words[1:], "--store", "store"])
        told = capsys.readouterr()
        said.append(f"--- {' '.join(words)}: {code}\n{told.out or told.err}")
        if words[0] == "prune" and told.out:
            said.append(told.err)
    text = "\n".join(said).replace(str(nights.store.parent), "HERE")
    text = re.sub(r"[0-9]+ (?:day|hour)s? ago", "AGO", text).replace(__version__, "VERSION")
    recorded.same(recorded.rounded(text), RECORDED / "red.txt")
