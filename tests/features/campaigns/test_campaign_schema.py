# SPDX-License-Identifier: Apache-2.0
"""What loads is valid by the schema of campaign files; what is plainly wrong isn't."""

import json
import re
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from orchestrator.cli.app import main
from orchestrator.errors import FaultyInput
from orchestrator.features.campaigns.load import load
from orchestrator.features.campaigns.schema import schema
from tests.features.campaigns.conftest import SCENARIO

ROOT = Path(__file__).parents[3]
WHOLE = """\
campaign: nights
seeds: {fixed: 1..3, fresh: 2}
time-budget: 6 h
shards: 4
retries: 5
wall-limit: 2 min
retention: {rounds: 30, quota: 5 GB}
verdict: {effect: 1 %, false-alarms: 5 %}
quarantine:
  - {experiment: nights-trial, cell: A, seed: 2, until: "2026-12-01", reason: it hangs}
parts:
  - scenario: mine.yaml
  - scenario: ./mine.yaml
    experiment: short
    seeds: [7, 9..11]
    cells: ["A*"]
    set: {duration: 5 s}
"""
MUTATIONS = (
    ("campaign: nights", "campaign: two words"),
    ("shards: 4", "shards: 4.5"),
    ("shards: 4", "shard: 4"),
    ("time-budget: 6 h", "time-budget: 6"),
    ("fresh: 2", "fresh: some"),
    ("{fixed: 1..3, fresh: 2}", "{}"),
    ("{fixed: 1..3, fresh: 2}", "{fix: 1..3}"),
    ("quota: 5 GB", "quota: 5 h"),
    ("effect: 1 %", "effect: 1 s"),
    ("reason: it hangs", "cause: it hangs"),
    ('until: "2026-12-01", ', ""),
    ("  - scenario: mine.yaml\n", "  - {scenario: mine.yaml, paper: aggregation-paper}\n"),
    ("  - scenario: mine.yaml\n", "  - {experiment: mine}\n"),
    ("experiment: short", "experiment: ''"),
    ('cells: ["A*"]', "cells: []"),
    ("set: {duration: 5 s}", "set: duration"),
)


def valid(text: str) -> bool:
    return Draft202012Validator(schema()).is_valid(json.loads(json.dumps(yaml.safe_load(text), default=str)))


def loads(folder: Path, text: str) -> bool:
    (folder / "mine.yaml").write_text(SCENARIO)
    (folder / "nights.yaml").write_text(text)
    try:
        load(folder / "nights.yaml")
    except FaultyInput:
        return False
    return True


def test_the_schema_is_one_and_what_loads_is_valid(tmp_path):
    Draft202012Validator.check_schema(schema())
    assert loads(tmp_path, WHOLE) and valid(WHOLE)
    in_docs = re.findall(r"```yaml\n(campaign:.*?)```", (ROOT / "docs/campaigns.md").read_text(), re.DOTALL)
    files = [(ROOT / name).read_text() for name in ("nightly.yaml", "nightly-short.yaml")]
    assert in_docs and all(valid(text) for text in (*files, *in_docs))


@pytest.mark.parametrize(("old", "new"), MUTATIONS)
def test_what_is_plainly_wrong_is_neither_loaded_nor_valid(tmp_path, old, new):
    assert WHOLE.count(old) == 1
    broken = WHOLE.replace(old, new)
    assert not loads(tmp_path, broken) and not valid(broken)


def test_the_command_prints_it(capsys):
    assert main(["schema", "campaign"]) == 0
    assert json.loads(capsys.readouterr().out) == schema()
