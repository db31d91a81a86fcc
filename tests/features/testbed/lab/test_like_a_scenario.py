# SPDX-License-Identifier: Apache-2.0
"""`orchestrate testbed init --like`, and what `testbed route` refuses."""

from __future__ import annotations

import pytest

from orchestrator.cli import app
from orchestrator.features.testbed.inventory import load

SCENARIO = """\
experiment: two-boards
topology: {shape: boards, boards: 2}
radio: {range: 2.54 m, interference: 5.08 m}
application: {name: event-service, suppliers: P1, consumers: P5}
duration: 1 min
seeds: 1
"""


@pytest.fixture
def lab(tmp_path):
    (tmp_path / "scenario.yaml").write_text(SCENARIO)
    path = tmp_path / "lab.yaml"
    assert app.main(["testbed", "init", str(path), "--like", str(tmp_path / "scenario.yaml")]) == 0
    return path


def test_motes_stand_as_in_the_scenario_each_board_behind_its_gateway(lab):
    found = load(lab)
    assert [gateway.name for gateway in found.gateways] == ["G1", "G2"]
    assert [mote.gateway for mote in found.motes] == ["G1"] * 7 + ["G2"] * 8, "the instructor is the last"
    assert [spot.mote for spot in found.layout("all").spots] == [f"M{number}" for number in range(1, 16)]
    spots = {spot.mote: (spot.x, spot.y) for spot in found.layout("all").spots}
    assert spots["M1"] == (0, 0) and spots["M2"] == (0.228, 0) and spots["M8"] == (1.5, 0)
    assert len({mote.eui64 for mote in found.motes}) == 15


@pytest.mark.parametrize(
    ("tree", "bases", "code", "said"),
    [
        ("2\n1 2\n2 1\n", ("M1", "M8"), 3, "a cycle"),
        ("2\n1 2\n", ("M1", "M99"), 9, "no mote 'M99'"),
        ("2\n1 2\n", ("M1", "M2"), 7, "a gateway of its own"),
        ("1\n", ("M1", "M8"), 7, "the tree has 1 gateways"),
        (None, ("M1",), 9, "No such file"),
    ],
)
def test_what_can_not_be_routed_is_refused_before_any_gateway_is_asked(lab, capsys, tree, bases, code, said):
    path = lab.parent / "tree.txt"
    if tree is not None:
        path.write_text(tree)
    assert app.main(["testbed", "route", str(lab), str(path), *bases, "--port", "0"]) == code
    assert said in capsys.readouterr().err
