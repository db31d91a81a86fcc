# SPDX-License-Identifier: Apache-2.0
"""A run's cell from its manifest: the inverse of what identity.plain writes, so that a run can be made again
without reading its scenario. Nothing that the scenario named is run: a topology of the user's own left its
nodes in the manifest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from orchestrator.errors import StorageFailed
from orchestrator.runs.from_plain import from_plain
from orchestrator.runs.identity import plain
from orchestrator.scenario.model import (
    ApplicationSpec,
    Cell,
    Link,
    LinkedRadioSpec,
    OwnTopologySpec,
    RadioSpec,
    TopologySpec,
)
from orchestrator.topology.model import Layout, Node

if TYPE_CHECKING:
    from orchestrator.runs.manifest import Manifest


def as_cell(parameters: Mapping[str, Any]) -> Cell:
    """The cell that a manifest's parameters say. Raises ValueError with what is wrong.

    The parameters of topology and application are as they were written; only who declares them can check
    them."""
    parts, faults = {}, []
    for name, part in (("topology", _topology), ("radio", _radio), ("application", _application)):
        try:
            parts[name] = part(parameters.get(name))
        except ValueError as error:
            parts[name] = None
            faults.append(f"{name}: {error}")
    try:
        made = from_plain(Cell, parameters, **parts)
    except ValueError as error:
        faults.append(str(error))
    if faults:
        raise ValueError("; ".join(faults))
    return made


def cell(manifest: Manifest, folder: str = "") -> Cell:
    """The cell as it was, to be made again; `folder`: where its application is, if it is one of the user's
    own. Raises StorageFailed."""
    from orchestrator.topology.own import wrong

    try:
        found = as_cell(manifest.parameters)
    except ValueError as error:
        raise unusable(manifest) from error
    topology = found.topology
    if plain(found) != manifest.parameters or (
        isinstance(topology, OwnTopologySpec) and wrong(Layout(topology.shape, topology.nodes))
    ):
        raise unusable(manifest)
    return replace(found, application=replace(found.application, folder=folder))


def unusable(manifest: Manifest) -> StorageFailed:
    """What to raise where the cell turns out to be none."""
    return StorageFailed(
        f"the manifest of run {manifest.run_id} holds no cell that can be simulated\n"
        "    `orchestrate runs verify` says whether it was changed since"
    )


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
    return from_plain(RadioSpec, given)


def _application(given: Any) -> ApplicationSpec:
    if isinstance(given, Mapping) and "folder" in given:
        raise ValueError("folder is unknown")  # no part of what a run is
    return from_plain(ApplicationSpec, given)


def _each(kind: type, given: Mapping, name: str) -> tuple:
    """The `kind`s of a list."""
    rows = given.get(name)
    if not isinstance(rows, list):
        raise ValueError(f"{name} is {rows!r}")  # noqa: TRY004 - of a file's content
    return tuple(from_plain(kind, row) for row in rows)
