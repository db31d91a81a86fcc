# SPDX-License-Identifier: Apache-2.0
"""The names and settings of a scenario's cells, and what `validate` shows of a radio medium."""

from __future__ import annotations

import json

import pytest

from orchestrator.cli.app import main
from orchestrator.errors import FaultyInput
from orchestrator.scenario.load import loads
from orchestrator.scenario.matrix import MatrixReader
from orchestrator.vocabulary import document
from orchestrator.vocabulary.faults import Faults
from tests.scenario.conftest import APPLICATIONS
from tests.scenario.probe_scenario import BASE


def told(text: str) -> str:
    try:
        loads(text, "x.yaml")
    except FaultyInput as faulty:
        return "\n".join(map(str, faulty.faults)).replace(f"{APPLICATIONS}/", "")
    return "no fault"


def drafts(text: str):
    faults = Faults("x")
    reader = MatrixReader(faults, lambda path: path in ("a.x", "b.x", "b.y", "c"), ["a.x"])
    made = reader.drafts(document.parse(text, faults))
    assert len(faults) == 0
    return made


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("c: [1]", ["1"]),
        ("c: [x]", ["c=x"]),
        ("a.x: [1]\nb.x: [2]", ["a.x=1,b.x=2"]),
        ("a.x: [1]\nb.y: [2]", ["x=1,y=2"]),
        ("a.x: [{label: A, value: 1}]\nb.y: [2, 10]", ["A2", "A10"]),
        ("a.x: [1]\nload: [{label: H, b.y: 5}, {label: '', b.y: 6}]\nc: [7]", None),
        ("a.x: [-1.5, +2]", ["-1.5", "+2"]),
        ("load: [{label: '', b.y: 5}]", ["base"]),
        ("c: [1 0]", ["c=10"]),
        ("include: [{label: A, c: 5 s}, {c: 5 s, a.x: 1}]", ["A", "c=5s,a.x=1"]),
        ("c: [1]\ninclude: [{label: A, c: 5}]", ["1", "A"]),
        ("c: [1, 2, 3]\nexclude: [{c: 2}]", ["1", "3"]),
        ("c: [{label: A, value: 1}, {label: B, value: 2}]\nexclude: [{c: A}]", ["B"]),
        ("c: [{label: A, value: 1}, {label: B, value: 2}]\nexclude: [{c: 2}]", ["A"]),
        (
            "load: [{label: H, b.y: 5}, {label: L, b.y: 6}]\nc: [1, 2]\nexclude: [{b.y: 5, c: 1}]",
            ["H2", "L1", "L2"],
        ),
    ],
)
def test_names_of_cells(text, names):
    made = [draft.name for draft in drafts(text)]
    assert made == (names or ["x=1,load=H,c=7", "x=1,load=,c=7"])


@pytest.mark.parametrize(
    ("radio", "shown"),
    [
        (
            "range: 60 m, tx: 90 %",
            {"medium": "udgm", "range": "60 m", "interference": "100 m", "tx": "90 %", "rx": "100 %"},
        ),
        (
            "medium: log-distance, capture: 4",
            {
                "medium": "log-distance",
                "reference": "-40.0",
                "exponent": "3.0",
                "shadowing": "0.0",
                "asymmetry": "0.0",
                "sensitivity": "-90.0",
                "width": "1.0",
                "capture": "4.0",
            },
        ),
        ("medium: directed-graph, links: l.csv", {"medium": "directed-graph", "links": "l.csv"}),
    ],
)
def test_validate_tells_a_medium_s_own_settings(tmp_path, capsys, monkeypatch, radio, shown):
    monkeypatch.chdir(tmp_path)
    motes = [*"SC", "P1"]
    links = [f"{one},{other},1" for one in motes for other in motes if one != other]
    (tmp_path / "l.csv").write_text("from,to,ratio\n" + "\n".join(links))
    (tmp_path / "x.yaml").write_text(BASE.replace("publishers: 5", "publishers: 1") + f"radio: {{{radio}}}\n")
    assert main(["validate", "x.yaml", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    resolved = told["cells"][0]["resolved"]
    assert {path.removeprefix("radio."): text for path, text in resolved.items() if "radio." in path} == shown
    assert told["cells"][0]["simulated_at_most"] is False and told["seeds"] == 3
