# SPDX-License-Identifier: Apache-2.0
"""A run's cell, read back from its manifest, so that the run can be made again without its scenario.

This is the inverse of identity.plain. No code that the scenario named runs: of a topology of the user's own
the manifest has the nodes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from orchestrator.applications.extension import spec_of
from orchestrator.media import declared
from orchestrator.runs.from_plain import from_plain
from orchestrator.scenario.model import (
    ApplicationSpec,
    Cell,
    Link,
    LinkedRadioSpec,
    OwnTopologySpec,
    RadioSpec,
    SimulationCell,
    TopologySpec,
)
from orchestrator.topology.model import Node


def as_cell(parameters: Mapping[str, Any]) -> Cell:
    """Return the cell that a manifest's parameters describe. Raises ValueError with everything that is wrong.

    The parameters of topology and application are not checked here; the topology and the application do that.
    """
    kind = SimulationCell if isinstance(parameters, Mapping) and "subject" in parameters else Cell
    parts, faults = {}, []
    for name, part in (("topology", _topology), ("radio", _radio), ("application", _application)):
        try:
            parts[name] = part(parameters.get(name))
        except ValueError as error:
            parts[name] = None
            faults.append(f"{name}: {error}")
    try:
        made = from_plain(kind, parameters, **parts)
    except ValueError as error:
        faults.append(str(error))
    if faults:
        raise ValueError("; ".join(faults))
    return made


def _topology(given: Any) -> TopologySpec:
    if isinstance(given, Mapping) and "source_sha256" in given:
        return from_plain(OwnTopologySpec, given, nodes=_each(Node, given, "nodes"))
    made = from_plain(TopologySpec, given)
    if "nodes" not in made.parameters:
        return made
    from orchestrator.topology.positions import Position

    return replace(made, parameters={**made.parameters, "nodes": _each(Position, made.parameters, "nodes")})


def _radio(given: Any) -> RadioSpec:
    if isinstance(given, Mapping) and "links" in given:
        return from_plain(LinkedRadioSpec, given, links=_each(Link, given, "links"))
    if isinstance(given, Mapping) and isinstance(given.get("medium"), str) and given["medium"] in declared():
        return from_plain(declared()[given["medium"]].radio_spec, given)
    return from_plain(RadioSpec, given)


def _application(given: Any) -> ApplicationSpec:
    if isinstance(given, Mapping) and "folder" in given:
        raise ValueError("folder is unknown")  # identity.plain leaves it out
    return from_plain(spec_of(given if isinstance(given, Mapping) else {}), given)


def _each(kind: type, given: Mapping, name: str) -> tuple:
    rows = given.get(name)
    if not isinstance(rows, list):
        raise ValueError(f"{name} is {rows!r}")  # noqa: TRY004 - of a file's content
    return tuple(from_plain(kind, row) for row in rows)
