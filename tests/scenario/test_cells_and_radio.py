# SPDX-License-Identifier: Apache-2.0
"""The names and settings of a scenario's cells, and what `validate` shows of a radio medium."""

from __future__ import annotations

import json

import pytest

from orchestrator.cli.app import main
from orchestrator.errors import FaultyInput
from orchestrator.scenario.load import loads
from tests.scenario.conftest import APPLICATIONS
from tests.scenario.probe_scenario import BASE


def told(text: str) -> str:
    try:
        loads(text, "x.yaml")
    except FaultyInput as faulty:
        return "\n".join(map(str, faulty.faults)).replace(f"{APPLICATIONS}/", "")
    return "no fault"


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
