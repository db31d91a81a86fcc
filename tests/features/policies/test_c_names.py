# SPDX-License-Identifier: Apache-2.0
"""The names that policies' parts have in C: no two are alike, and none is one that C has."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from orchestrator.features.policies.c_code.names import Names
from orchestrator.features.policies.model import Timeout


def names(*parameters: str) -> Names:
    """The names of two policies; the first has a handler with these parameters."""
    slots = [SimpleNamespace(name=name) for name in parameters]
    handler = SimpleNamespace(trigger=Timeout(5, False), parameters=slots)
    policies = [
        SimpleNamespace(name="TempForFireAlarm", handlers=[handler]),
        SimpleNamespace(name="tempForFireAlarm", handlers=[]),
    ]
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
    assert names(name).parameter("TempForFireAlarm", name) == in_c


def test_parameters_that_would_be_alike_in_c_are_told_apart():
    found = names("int", "int_", "int__")
    assert [found.parameter("TempForFireAlarm", name) for name in ("int", "int_", "int__")] == [
        "int_",
        "int__",
        "int___",
    ]
