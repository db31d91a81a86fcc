# SPDX-License-Identifier: Apache-2.0
"""A mesh: a grid whose nodes are moved at random, by a seed that all runs of a scenario share."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from orchestrator.topology.connectivity import routed
from orchestrator.topology.grid import PARAMETERS, nodes_at, points
from orchestrator.topology.model import Layout
from orchestrator.topology.shape import FAR, Shape
from orchestrator.vocabulary.parameters import Parameter


def layout(parameters: Mapping[str, Any], range_m: float) -> Layout:
    """Place the nodes on a grid, each moved at random."""
    # random() is the one draw whose sequence Python guarantees for a seed across versions.
    draw = random.Random(parameters["jitter-seed"]).random
    jitter = parameters["jitter"]
    moved = [(x + jitter * (2 * draw() - 1), y + jitter * (2 * draw() - 1)) for x, y in points(parameters)]
    return routed(Layout("mesh", nodes_at(moved)), range_m)


SHAPE = Shape(
    "mesh",
    "a grid whose nodes are moved at random by their own seed",
    (
        *PARAMETERS,
        Parameter("jitter", "length", 5.0, 0.0, FAR, help="each coordinate moves by up to this, both ways"),
        Parameter("jitter-seed", "int", 1, 0, 2**31 - 1, help="other seed, other mesh"),
    ),
    layout,
)
