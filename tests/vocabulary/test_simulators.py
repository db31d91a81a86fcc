# SPDX-License-Identifier: Apache-2.0
"""The engines that a user may name."""

from importlib.util import find_spec

import pytest

from orchestrator.vocabulary import simulators


@pytest.mark.parametrize("name", simulators.engines())
def test_each_engine_has_its_module(name):
    assert find_spec(simulators.engines()[name]) is not None


def test_what_simulators_are_and_which_rules_they_follow_by_default():
    assert simulators.SIMULATORS == ("embedded", "cooja")
    assert simulators.RULES == ("5.0", "2026.07")
    assert simulators.DEFAULT_RULES == "5.0"
