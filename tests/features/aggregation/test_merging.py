# SPDX-License-Identifier: Apache-2.0
"""What merging costs is executed on an emulated Tmote Sky, not modelled."""

from __future__ import annotations

import pytest

from orchestrator.build import msp430
from orchestrator.errors import MissingTool
from orchestrator.features.aggregation.paper import merging
from tests import needs


def test_a_merge_costs_more_than_storing_and_grows_with_what_is_held():
    needs.a_compiler()
    try:
        msp430.tools()
    except MissingTool as missing:
        pytest.skip(str(missing))
    costs = merging.measured()
    assert set(costs) == set(merging.FUNCTIONS)
    for cost in costs.values():
        few, some, many = (cost.merged[count] for count in merging.HELD)
        assert 0 < cost.function < few < some < many and 0 < cost.stored < few
    assert max(costs, key=lambda name: costs[name].function) == "mean"  # it divides
    (table,) = merging.tables({})
    assert len(table.rows) == len(costs)


def test_without_clang_nothing_is_claimed(monkeypatch):
    monkeypatch.setattr(merging, "measured", dict)
    (section,) = merging.sections({})
    assert merging.tables({}) == [] and "nothing was executed" in str(section.blocks[0])
