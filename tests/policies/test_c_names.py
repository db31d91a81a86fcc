# SPDX-License-Identifier: Apache-2.0
"""The names that policies' parts have in C: no two are alike, and none is one that C has."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from orchestrator.policies.c_code.names import Names


def names() -> Names:
    policies = [SimpleNamespace(name=name, handlers=[]) for name in ("TempForFireAlarm", "tempForFireAlarm")]
    application = SimpleNamespace(policies=policies, topics=["door"], shared=[SimpleNamespace(name="limit")])
    called = SimpleNamespace(c="own_average")
    library = SimpleNamespace(
        functions={"average": (called,)}, constants={"most": SimpleNamespace(c="own_most")}
    )
    return Names(application, library)


def test_policies_that_are_alike_in_c_are_told_apart():
    found = names()
    assert found.policies == {
        "TempForFireAlarm": "temp_for_fire_alarm",
        "tempForFireAlarm": "temp_for_fire_alarm_2",
    }
    assert found.topics == {"door": "POLICY_TOPIC_DOOR"} and found.shared == {"limit": "limit"}


@pytest.mark.parametrize(
    ("name", "in_c"),
    [
        ("own_average", "own_average_"),  # a function that policies call
        ("own_most", "own_most_"),
        ("temp_for_fire_alarm", "temp_for_fire_alarm_"),  # the policy itself
        ("temp_for_fire_alarm_2", "temp_for_fire_alarm_2"),  # another one
        ("limit", "limit_"),  # what policies share
        ("int", "int_"),
        ("threshold", "threshold"),
    ],
)
def test_a_parameter_hides_nothing_that_its_policy_uses(name, in_c):
    assert names().parameter("TempForFireAlarm", name) == in_c
