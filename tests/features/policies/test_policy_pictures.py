# SPDX-License-Identifier: Apache-2.0
"""State machines as SVG, and what the overview page says of topics."""

from __future__ import annotations

import itertools
from xml.etree import ElementTree

import pytest
from random_policies import policies

from orchestrator.features.policies.application import sound, together
from orchestrator.features.policies.overview import page, uses
from orchestrator.features.policies.parse import parse
from orchestrator.features.policies.picture import picture, transitions
from orchestrator.resources import contiki_apps

SVG = "{http://www.w3.org/2000/svg}"
FOLDER = contiki_apps() / "policies"


def drawn(number: str) -> tuple:
    (policy,) = sound([FOLDER / f"figure-{number}.escape"])[0].policies
    return policy, ElementTree.fromstring(picture(policy).svg())


@pytest.mark.parametrize(("number", "states", "arcs"), [("03", 3, 4), ("15", 4, 4), ("20", 1, 1)])
def test_a_picture_has_each_state_and_one_arc_between_two(number, states, arcs):
    policy, root = drawn(number)
    circles = list(root.iter(f"{SVG}circle"))
    assert len(circles) == states + 1  # and the place where it begins
    assert len(list(root.iter(f"{SVG}polygon"))) == arcs + 1
    texts = [one.text for one in root.iter(f"{SVG}text")]
    assert all(name in texts for name in policy.states)
    assert picture(policy).svg() == picture(policy).svg()


@pytest.mark.parametrize("number", ["03", "15", "20"])
def test_states_stand_evenly_over_the_width_of_the_picture(number):
    policy, root = drawn(number)
    at = [float(one.get("cx")) for one in root.iter(f"{SVG}circle") if float(one.get("r")) > 5]
    width = float(root.get("viewBox").split()[2])
    assert len(at) == len(policy.states) and at[0] == pytest.approx(width - at[-1])
    gaps = [right - left for left, right in itertools.pairwise(at)]
    assert all(gap == pytest.approx(gaps[0]) for gap in gaps)
    assert at[-1] - at[0] > 0.7 * width if len(at) > 1 else at == [pytest.approx(width / 2)]


def test_transitions_are_said_as_in_figure_4():
    policy, _ = drawn("03")
    assert list(transitions(policy))[2] == (
        "1-1: [abs(prevValue, h_value) > threshold] C-B notify Humidity(h_value) "
        "{prevValue = h_value; notify Excess; accept;}"
    )


def test_the_overview_says_who_does_what_and_what_is_encrypted():
    application, _ = sound([FOLDER / f"figure-{number}.escape" for number in ("15", "16", "19", "20")])
    said = {(one.topic, one.column, one.text) for one in uses(application)}
    assert ("FireAlarm", "subscribed by", "component, seen by SprinklerPolicy") in said
    assert ("FireAlarm", "advertised by", "SprinklerPolicy") in said
    assert ("Smoke", "notified by", "SmokePolicy with ReliableCPC, PushDPC") in said
    assert ("GetSmokeReading", "received at", "SmokePolicy (B-C)") in said
    encrypted = {one for one in said if one[1] == "encrypted"}
    assert encrypted == {("PackageTemperature", "encrypted", "by SecureGroupPolicy (B-extB)")}
    assert page(application).count("<svg") == 4


def test_policies_by_chance_can_be_drawn():
    source, _ = parse(policies(2, 4), "x.escape")
    application, _ = together([source])
    for policy in application.policies:
        ElementTree.fromstring(picture(policy).svg())
