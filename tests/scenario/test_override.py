# SPDX-License-Identifier: Apache-2.0
"""Settings that replace a scenario's before it is checked."""

import pytest

from orchestrator.errors import FaultyInput
from orchestrator.scenario.override import overridden, without
from orchestrator.vocabulary.document import Mapping, parse
from orchestrator.vocabulary.faults import Faults

SCENARIO = """\
radio: {medium: udgm, range: 50 m}
engine: cooja
duration: 1 min
matrix:
  application.rate: [low, high]
"""


def plain(node):
    return {key.text: plain(value) for key, value in node} if isinstance(node, Mapping) else node.text


def after(given: str) -> dict:
    faults = Faults("campaign.yaml")
    scenario = without(parse(SCENARIO, faults), "matrix")
    made = overridden(scenario, parse(given, faults), faults)
    faults.raise_any()
    return plain(made)


@pytest.mark.parametrize(
    ("given", "changed"),
    [
        ("radio.range: 30 m", {"radio": {"medium": "udgm", "range": "30 m"}}),
        ("radio.tx: 90 %", {"radio": {"medium": "udgm", "range": "50 m", "tx": "90 %"}}),
        ("radio: {medium: silent}", {"radio": {"medium": "silent"}}),
        ("duration: 5 s\nradio.range: 1 m", {"duration": "5 s", "radio": {"medium": "udgm", "range": "1 m"}}),
        ("engine.rules: '5.0'", {"engine": {"name": "cooja", "rules": "5.0"}}),
        ("topology.shape: star", {"topology": {"shape": "star"}}),
        ("duration.x: 1", {"duration": {"x": "1"}}),  # its own check refuses it
    ],
)
def test_what_is_given_stands_in_place_of_the_scenario_s(given, changed):
    before = {"radio": {"medium": "udgm", "range": "50 m"}, "engine": "cooja", "duration": "1 min"}
    assert after(given) == before | changed
    assert list(after(given))[:3] == list(before), "each in its place"


def test_what_can_t_be_given_is_said_at_its_line():
    faults = Faults("campaign.yaml")
    given = parse("\nseeds: 1..3\nradoi.range: 1 m\napplication.rate: low\nduration: 2 s\n", faults)
    assert overridden(parse(SCENARIO, faults), given, faults).get("duration").text == "2 s"
    with pytest.raises(FaultyInput) as raised:
        faults.raise_any()
    assert [(fault.line, fault.what) for fault in raised.value.faults] == [
        (2, "'seeds' can't be set"),
        (3, "'radoi.range' is unknown"),
        (
            4,
            "the scenario's matrix sets application.rate in its cells, which would hide this value",
        ),
    ]
    assert "beside `set:`" in raised.value.faults[0].remedy and "radio" in raised.value.faults[1].remedy
