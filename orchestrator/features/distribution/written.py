# SPDX-License-Identifier: Apache-2.0
"""A system as the text of a self-contained file, which each run keeps."""

from __future__ import annotations

from dataclasses import asdict

from orchestrator.features.distribution.model import System, Timing
from orchestrator.vocabulary import units


def written(system: System) -> str:
    """Return the text: reading it gives the same system, without a table beside it."""
    import yaml

    parts = {
        "distribution": system.name,
        "nodes": list(system.nodes),
        "networks": {name: {"delay": _us(delay)} for name, delay in system.networks.items()},
        "objects": {name: {"validity": _us(validity)} for name, validity in system.objects.items()},
        **{
            section: {
                entry.name: {"object": entry.object, "node": entry.node, **_timing(entry.timing)}
                for entry in entries.values()
            }
            for section, entries in (("sources", system.sources), ("targets", system.targets))
        },
        "steps": {
            step.name: {
                "node": step.node,
                "execution": _us(step.execution),
                **({"each-target": True} if step.each_target else {}),
            }
            for step in system.steps.values()
        },
        "distributions": {
            distribution.name: {
                "object": distribution.object,
                "targets": list(distribution.targets),
                "path": list(distribution.path),
                **({"network": distribution.network} if distribution.network else {}),
            }
            for distribution in system.distributions.values()
        },
        "loads": {load.name: {"node": load.node, **_timing(load.timing)} for load in system.loads.values()},
    }
    return yaml.safe_dump(
        {name: part for name, part in parts.items() if part}, sort_keys=False, width=110, allow_unicode=True
    )


def _us(value: int) -> str:
    return units.show(value, units.TIME)


def _timing(timing: Timing) -> dict[str, str]:
    return {name: _us(time) for name, time in asdict(timing).items()}
