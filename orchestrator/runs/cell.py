# SPDX-License-Identifier: Apache-2.0
"""A run's cell from its manifest: the inverse of what identity.plain writes, so that a run can be made again
without reading its scenario. Nothing that the scenario named is run: a topology of the user's own left its
nodes in the manifest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from orchestrator.errors import StorageFailed
from orchestrator.runs.identity import plain
from orchestrator.runs.manifest import Manifest
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
from orchestrator.topology.own import wrong
from orchestrator.topology.positions import Position

_KINDS = {"str": str, "int": int, "float": (int, float), "bool": bool}


def cell(manifest: Manifest, folder: str = "") -> Cell:
    """The cell as it was; `folder`: where its application is, if it is one of the user's own. Raises
    StorageFailed.

    The parameters of topology and application are as the manifest has them; only who declares them can check
    them."""
    try:
        given = manifest.parameters
        made = _made(
            Cell,
            given,
            topology=_topology(given["topology"]),
            radio=_radio(given["radio"]),
            application=_made(ApplicationSpec, given["application"], folder=folder),
        )
        if plain(made) == given:
            return made
    except (KeyError, TypeError, ValueError):
        pass
    raise unusable(manifest)


def unusable(manifest: Manifest) -> StorageFailed:
    """What to raise where the cell turns out to be none."""
    return StorageFailed(
        f"the manifest of run {manifest.run_id} holds no cell that can be simulated\n"
        "    `orchestrate runs verify` says whether it was changed since"
    )


def _topology(given: Mapping) -> TopologySpec:
    if "source_sha256" in given:
        nodes = tuple(_made(Node, node) for node in given["nodes"])
        if wrong(Layout(given["shape"], nodes)):
            raise ValueError("no layout")
        return _made(OwnTopologySpec, given, nodes=nodes)
    parameters = given["parameters"]
    if "nodes" in parameters:  # the rows of a file of positions
        parameters = {**parameters, "nodes": tuple(_made(Position, row) for row in parameters["nodes"])}
    return _made(TopologySpec, given, parameters=parameters)


def _radio(given: Mapping) -> RadioSpec:
    if "links" in given:
        return _made(LinkedRadioSpec, given, links=tuple(_made(Link, link) for link in given["links"]))
    return _made(RadioSpec, given)


def _made(kind: type, given: Mapping, **made: Any) -> Any:
    """A dataclass of plain values, but for those that are `made` already. Raises TypeError for a value of
    another type.
    """
    values = {**given, **made}
    for field in fields(kind):
        wanted = _KINDS.get(field.type)
        value = values.get(field.name)
        if (
            wanted
            and field.name in values
            and (not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool))
        ):
            raise TypeError(f"{field.name} is {value!r}")
    return kind(**values)
