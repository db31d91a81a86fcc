# SPDX-License-Identifier: Apache-2.0
"""The radio medium of a .csc as the settings of a scenario have it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from orchestrator.csc.model import (
    DeclaredMedium,
    DirectedGraph,
    LogisticLoss,
    Medium,
    Silent,
    Simulation,
    Udgm,
    UdgmConstantLoss,
)
from orchestrator.media import declared
from orchestrator.scenario import settings
from orchestrator.scenario.model import DeclaredRadioSpec, Link, LinkedRadioSpec, RadioSpec
from orchestrator.topology.model import Node

_UNIT_DISK = {"range": "range_m", "interference": "interference_m", "tx": "tx_ratio", "rx": "rx_ratio"}


def has(medium: Medium) -> tuple[str, ...]:
    """Return the settings of the radio that a medium of a .csc has."""
    if isinstance(medium, DirectedGraph):
        return ("radio.links",)
    if isinstance(medium, LogisticLoss):
        return ("radio.range", "radio.tx")
    if isinstance(medium, DeclaredMedium):
        return tuple(sorted(settings.OF_MEDIUM[medium.name]))
    return ("radio.range", "radio.interference", "radio.tx", "radio.rx") if isinstance(medium, Udgm) else ()


def name(medium: Medium) -> str:
    """Return what messages call a medium."""
    if isinstance(medium, DeclaredMedium):
        return medium.name
    return {
        Udgm: "the unit disk graph",
        UdgmConstantLoss: "the unit disk graph with constant loss",
        DirectedGraph: "the directed graph",
        LogisticLoss: "logistic loss",
        Silent: "none",
    }[type(medium)]


def described(simulation: Simulation, nodes: tuple[Node, ...]) -> RadioSpec:
    """Return the medium of a .csc as tables and reports describe one."""
    medium = simulation.medium
    if isinstance(medium, DirectedGraph):
        by_id = {node.mote: node.name for node in nodes}
        links = tuple(
            Link(
                by_id[edge.source],
                by_id[edge.destination],
                edge.ratio,
                edge.signal_dbm,
                edge.lqi,
                edge.delay_us,
                edge.channel,
            )
            for edge in medium.edges
            if edge.source in by_id and edge.destination in by_id
        )
        return LinkedRadioSpec(links=links)
    if isinstance(medium, LogisticLoss):
        reach = medium.transmitting_range
        return RadioSpec("logistic-loss", reach, reach, medium.success_ratio_tx, 1.0)
    if isinstance(medium, DeclaredMedium):
        return medium.radio_spec.of(medium)
    if isinstance(medium, Silent):
        return RadioSpec("none", 0.0, 0.0, 0.0, 0.0)
    return RadioSpec(
        "udgm-constant-loss" if isinstance(medium, UdgmConstantLoss) else "udgm",
        medium.transmitting_range,
        medium.interference_range,
        medium.success_ratio_tx,
        medium.success_ratio_rx,
    )


def changed(radio: RadioSpec, given: dict[str, Any]) -> RadioSpec:
    """Return the radio with what is written, by the settings' paths."""
    if isinstance(radio, DeclaredRadioSpec):
        kind = declared()[radio.medium]
        values = {
            number: given.get(f"radio.{setting.name}", now)
            for number, setting, now in zip(kind.numbers(), kind.settings, radio.numbers(), strict=True)
        }
        return kind.radio_spec.of(kind(**values))
    return replace(radio, **{_UNIT_DISK[path.removeprefix("radio.")]: value for path, value in given.items()})
