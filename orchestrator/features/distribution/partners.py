# SPDX-License-Identifier: Apache-2.0
"""Modelled networks and gateways beside the motes that run a system's tasks. Times are in us."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from orchestrate_testbed.gateway.distribution.table import NodeTable

from orchestrator.engines.deployment import Partners


@dataclass(frozen=True)
class Processes:
    """The nodes of a system that distributes data which are gateways; times in us.

    `tables`: of each, by its place (from 0 on). `begins`: when the system begins, reference time; jobs are
    released for `duration`. `ends`: when the first node ends the run, from the begin. `shortest`: an
    execution takes between this share of its worst case and all of it. `asks`: between two questions for the
    reference time. `boots`: gateways boot at random times before that.
    """

    tables: Mapping[int, NodeTable]
    begins: int
    duration: int
    ends: int
    shortest: float
    asks: int
    boots: int


@dataclass(frozen=True)
class Networks(Partners):
    """Modelled networks between the nodes of a system that distributes data, and the nodes that are gateways.

    `delays`: of a transmission, by network. `links`: number of the task that gets a value -> network and
    priority of its transmission, larger is more urgent. `motes`: of the nodes; a gateway has the number of
    the mote in its place, which does nothing. `success_line`: what the first node says at the end.
    """

    simulated_by: ClassVar[str] = "orchestrator.features.distribution.network_simulation:NetworkSimulation"
    runs_on_gateways: ClassVar[bool] = False
    why_not: ClassVar[tuple[str, str]] = (
        "a modelled network",
        "use `engine: embedded`, or the motes' own (`network: radio`)",
    )

    delays: Mapping[str, int]
    links: Mapping[int, tuple[str, int]]
    motes: tuple[int, ...]
    success_line: str
    timeout_us: int
    gateways: Processes | None = None
