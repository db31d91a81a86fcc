# SPDX-License-Identifier: Apache-2.0
"""The modelled networks of a cell's deployment, from the system that its motes run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orchestrator.applications.course import CellCourse
from orchestrator.applications.model import Application
from orchestrator.applications.tasks import network_motes, system_of, tables
from orchestrator.gateways.model import Networks
from orchestrator.topology.model import Layout


def networks(
    app: Application, placed: Layout, parameters: Mapping[str, Any], times: CellCourse
) -> Networks | None:
    """None where the motes' radio carries the values. Raises FaultyInput."""
    values = app.complete(parameters)
    if values["network"] == "radio":
        return None
    made = tables(app, values)
    return Networks(
        delays=system_of(app, values).networks,
        links={
            link.to: (link.network, link.priority) for table in made for link in table.links if link.network
        },
        motes=tuple(node.mote for node in network_motes(placed)[: len(made)]),
        success_line=app.success_line or "",
        timeout_us=times.ends_us,
    )
