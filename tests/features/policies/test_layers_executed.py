# SPDX-License-Identifier: Apache-2.0
"""Figure 28 on emulated Tmote Skys: the lorry's cycles by layer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.build import msp430
from orchestrator.errors import MissingTool
from orchestrator.features.policies.paper import data, figure_28
from orchestrator.features.policies.paper.layers import LAYERS, profile
from orchestrator.scenario.load import loads
from tests import needs


def test_every_layer_of_the_lorry_takes_cycles_and_none_is_unknown():
    needs.a_compiler()
    try:
        msp430.addr2line()
    except MissingTool as missing:
        pytest.skip(str(missing))
    cells = loads(data.text(figure_28.FILE), figure_28.FILE).cells
    (cell,) = (one for one in cells if one.name == "1%-5")
    found = profile(replace(cell, duration_us=4_000_000), figure_28.cycles)
    assert all(found.layers[layer] > 0 for layer in LAYERS)
    # Of a processor of 3.93 MHz, all layers together have less than it has.
    assert sum(found.each(layer) for layer in LAYERS) < figure_28.HZ
