# SPDX-License-Identifier: Apache-2.0
"""A star: the subscriber in the middle, publishers evenly on a circle, every one a single hop away."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from orchestrator.topology.model import Layout
from orchestrator.topology.shape import MOST_MOTES, Shape, publisher, spacing, subscriber
from orchestrator.vocabulary.parameters import Parameter


def layout(parameters: Mapping[str, Any], range_m: float) -> Layout:
    """Place the publishers on a circle round the subscriber."""
    count, radius = parameters["publishers"], parameters["spacing"]
    angles = (2 * math.pi * n / count for n in range(count))
    publishers = (
        publisher(n, radius * math.cos(angle), radius * math.sin(angle), parent=1)
        for n, angle in enumerate(angles, 1)
    )
    return Layout("star", (subscriber(), *publishers))


SHAPE = Shape(
    "star",
    "the subscriber in the middle, every publisher one hop away",
    (
        Parameter("publishers", "int", 5, 1, MOST_MOTES - 1, help="how many"),
        spacing(20.0, "distance of every publisher from the subscriber"),
    ),
    layout,
)
