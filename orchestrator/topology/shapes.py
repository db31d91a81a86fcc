# SPDX-License-Identifier: Apache-2.0
"""Lists the shapes: a file in this folder and its name in orchestrator/core.py, or a feature's."""

from __future__ import annotations

from functools import cache

from orchestrator import feature
from orchestrator.errors import NoSuchThing
from orchestrator.scenario.model import OwnTopologySpec, TopologySpec
from orchestrator.topology.model import Layout
from orchestrator.topology.shape import Shape
from orchestrator.words import did_you_mean


@cache
def known_shapes() -> dict[str, Shape]:
    """Return the installed shapes by name."""
    return {module.SHAPE.name: module.SHAPE for module in feature.listed("shapes")}


def layout(spec: TopologySpec, range_m: float) -> Layout:
    """Return the layout of a checked topology; parameters that are not set take their defaults.

    Users' own shapes were laid out when they were read (own.py).

    Raises NoSuchThing for an unknown shape, ValueError where the parameters do not go together.
    """
    if isinstance(spec, OwnTopologySpec):
        return Layout(spec.shape, spec.nodes)
    if spec.shape not in known_shapes():
        raise NoSuchThing(f"no topology named {spec.shape!r}; {did_you_mean(spec.shape, known_shapes())}")
    shape = known_shapes()[spec.shape]
    values = {parameter.name: parameter.default for parameter in shape.parameters} | dict(spec.parameters)
    return shape.layout(values, range_m)
