# SPDX-License-Identifier: Apache-2.0
"""Lists the shapes.

A new shape is one file in this folder, or in papers/shapes/ if a paper draws it, and one line here.
"""

from __future__ import annotations

from orchestrator.errors import NoSuchThing
from orchestrator.papers.shapes import figure_2, figure_3, figure_4, figure_6, lorry
from orchestrator.scenario.model import OwnTopologySpec, TopologySpec
from orchestrator.topology import (
    boards,
    chain,
    folded_chain,
    grid,
    mesh,
    positions,
    random_geometric,
    star,
    tree,
)
from orchestrator.topology.model import Layout
from orchestrator.topology.shape import Shape
from orchestrator.words import did_you_mean

SHAPES: dict[str, Shape] = {
    module.SHAPE.name: module.SHAPE
    for module in (
        chain,
        folded_chain,
        star,
        tree,
        grid,
        mesh,
        random_geometric,
        figure_2,
        figure_3,
        figure_4,
        figure_6,
        lorry,
        boards,
        positions,
    )
}


def layout(spec: TopologySpec, range_m: float) -> Layout:
    """Return the layout of a checked topology; parameters that are not set take their defaults.

    Users' own shapes were laid out when they were read (own.py).

    Raises NoSuchThing for an unknown shape, ValueError where the parameters do not go together.
    """
    if isinstance(spec, OwnTopologySpec):
        return Layout(spec.shape, spec.nodes)
    if spec.shape not in SHAPES:
        raise NoSuchThing(f"no topology named {spec.shape!r}; {did_you_mean(spec.shape, SHAPES)}")
    shape = SHAPES[spec.shape]
    values = {parameter.name: parameter.default for parameter in shape.parameters} | dict(spec.parameters)
    return shape.layout(values, range_m)
