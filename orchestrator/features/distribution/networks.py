# SPDX-License-Identifier: Apache-2.0
"""The modelled networks of a cell's deployment and its nodes that are gateways, from the system it runs."""

from __future__ import annotations

from pathlib import Path

from orchestrate_testbed.gateway import distribution

from orchestrator.applications.course import CellCourse
from orchestrator.applications.model import Application
from orchestrator.features.distribution.partners import Networks, Processes
from orchestrator.features.distribution.placed_tasks import gateway_nodes, network_motes, system_of, tables
from orchestrator.partners import sources
from orchestrator.scenario.model import Cell
from orchestrator.topology.model import Layout

_OTHERS_END_US = 3_000_000  # OTHERS_DUMP of contiki-apps/apps/distribution: the first node ends the run


def version() -> str:
    """Return a digest of the code that runs beside the motes."""
    return sources.digest(Path(distribution.__file__).parent, Path(__file__).parent)


def partners(app: Application, placed: Layout, cell: Cell, times: CellCourse) -> Networks | None:
    """None where the motes' radio carries the values. Raises FaultyInput."""
    values = app.complete(cell.application.parameters)
    node_tables_ = tables(app, values)
    there = gateway_nodes(app, values, node_tables_)
    if values["network"] == "radio":
        return None
    return Networks(
        delays=system_of(app, values).networks,
        links={
            link.to: (link.network, link.priority)
            for table in node_tables_
            for link in table.links
            if link.network
        },
        motes=tuple(node.mote for node in network_motes(placed)[: len(node_tables_)]),
        success_line=app.success_line or "",
        timeout_us=times.ends_us,
        gateways=Processes(
            tables={place: table for place, table in enumerate(node_tables_) if table.name in there},
            begins=values["warm-up"],
            duration=cell.duration_us,
            ends=cell.duration_us + cell.drain_us + _OTHERS_END_US,
            shortest=values["shortest"],
            asks=values["clock-interval"],
            boots=cell.start_delay_us,
        )
        if there
        else None,
    )
