# SPDX-License-Identifier: Apache-2.0
"""`metrics:` of a scenario: files seen from its folder or entry points, read and not run."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from orchestrator.errors import FaultyInput
from orchestrator.scenario.load import load
from orchestrator.scenario.schema import schema

SCENARIO = """experiment: e
topology: {shape: chain}
application: {name: probe-app}
duration: 1 min
seeds: 1
metrics: METRICS
"""


def scenario(folder: Path, metrics: str) -> Path:
    (folder / "s.yaml").write_text(SCENARIO.replace("METRICS", metrics))
    return folder / "s.yaml"


@pytest.mark.parametrize("written", ["./mine.py", "mine.py", "[mine.py]", "[./sub/../mine.py]"])
def test_a_file_is_seen_from_the_scenarios_folder_and_not_run(tmp_path, written):
    (tmp_path / "mine.py").write_text("raise SystemExit\nFAMILY = None\n")
    assert load(scenario(tmp_path, written)).metrics == (str(tmp_path / "mine.py"),)


def test_beside_the_working_folder_it_is_still_a_path(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text("FAMILY = None\n")
    scenario(tmp_path, "mine.py")
    monkeypatch.chdir(tmp_path)
    assert load(Path("s.yaml")).metrics == ("./mine.py",)


def test_every_fault_has_its_line(tmp_path):
    (tmp_path / "cut.py").write_text("x = 1\ndef f(:\n")
    (tmp_path / "none.py").write_text("x = 1\n")
    with pytest.raises(FaultyInput) as failed:
        load(scenario(tmp_path, "[gone.py, ./cut.py, none.py, nosuch, none.py, [], {a: b}]"))
    told = [
        (Path(fault.file).name, fault.line, fault.what.replace(str(tmp_path), ""))
        for fault in failed.value.faults
    ]
    assert told == [
        ("s.yaml", 6, "metrics: /gone.py: cannot be read: No such file or directory"),
        ("s.yaml", 6, "metrics: /none.py: defines no FAMILY"),
        ("s.yaml", 6, "metrics: entry point nosuch: no installed package has a metric of that name"),
        ("s.yaml", 6, "metrics: 'none.py' appears twice"),
        ("s.yaml", 6, "metrics: not a metric"),
        ("cut.py", 2, "not Python: invalid syntax"),
    ]


def test_the_schema_knows_it():
    validator = jsonschema.Draft202012Validator(json.loads(json.dumps(schema())))
    base = {
        "experiment": "e",
        "seeds": 1,
        "topology": {"shape": "chain"},
        "application": {"name": "probe-app"},
        "duration": "1 min",
    }
    for metrics, valid in (
        ("./mine.py", True),
        (["./mine.py", "latency"], True),
        ([5], False),
        ({"a": "b"}, False),
    ):
        assert validator.is_valid({**base, "metrics": metrics}) is valid
