# SPDX-License-Identifier: Apache-2.0
"""Defines shapes: declared parameters, and a function that makes a layout of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.topology.model import Layout, Node
from orchestrator.vocabulary.parameters import Parameter

MOST_MOTES = 10_000
FAR = 100_000.0  # metres, the largest spacing or coordinate; a larger one is taken for a mistake


@dataclass(frozen=True)
class Shape:
    """A kind of topology.

    `layout(parameters, range_m)` takes every parameter's inner value by name and returns the Layout.
    `range_m` (the radio's range in metres, or measured links) matters only where next hops are searched
    (grid, mesh, positions) or the nodes must be connected (random-geometric). It raises ValueError with a
    sentence for parameters that are right alone but not together (too many motes).
    """

    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    layout: Callable[[Mapping[str, Any], float], Layout]


def spacing(default: float, help: str) -> Parameter:
    """Declare the parameter `spacing`: a length from 1 cm."""
    return Parameter("spacing", "length", default, 0.01, FAR, help=help)


def choice(name: str, *choices: str, help: str) -> Parameter:
    """Declare a parameter that is one of these words; the first is the default."""
    return Parameter(name, "choice", choices[0], choices=choices, help=help)


def subscriber(x: float = 0.0, y: float = 0.0) -> Node:
    """Make the node S, which is mote 1."""
    return Node(1, "S", "subscriber", millimetres(x), millimetres(y))


def publisher(number: int, x: float, y: float, parent: int = 0) -> Node:
    """Return the node of a publisher: P1 is mote 2, and so on."""
    return Node(number + 1, f"P{number}", "publisher", millimetres(x), millimetres(y), parent)


def relay(mote: int, number: int, x: float, y: float, parent: int = 0) -> Node:
    """Make the node R`number`, which publishes nothing and forwards events."""
    return Node(mote, f"R{number}", "relay", millimetres(x), millimetres(y), parent)


def millimetres(metres: float) -> float:
    """Return metres cut (not rounded) to whole millimetres.

    Cut coordinates don't depend on the last bit of sin and cos, and no node lies farther out than it should.
    The tiny addend keeps 0.3 (slightly less in binary) from becoming 0.299. A value that isn't finite is
    returned as it is, so that the check of layouts can name it.
    """
    if not math.isfinite(metres):
        return metres
    return math.copysign(math.floor(abs(metres) * 1000 + 1e-6), metres) / 1000 + 0.0


def limit_motes(count: int) -> None:
    """Raise a ValueError if there are too many motes."""
    if count > MOST_MOTES:
        many = count if count < 10**12 else f"10^{len(str(count)) - 1}"
        raise ValueError(f"this makes {many} motes; at most {MOST_MOTES} are simulated")
