# SPDX-License-Identifier: Apache-2.0
"""A system as the text of its file, complete in itself: what a run keeps of it."""

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
                one.name: {"object": one.object, "node": one.node, **_timing(one.timing)}
                for one in entries.values()
            }
            for section, entries in (("sources", system.sources), ("targets", system.targets))
        },
        "steps": {
            one.name: {
                "node": one.node,
                "execution": _us(one.execution),
                **({"each-target": True} if one.each_target else {}),
            }
            for one in system.steps.values()
        },
        "distributions": {
            one.name: {
                "object": one.object,
                "targets": list(one.targets),
                "path": list(one.path),
                **({"network": one.network} if one.network else {}),
            }
            for one in system.distributions.values()
        },
        "loads": {one.name: {"node": one.node, **_timing(one.timing)} for one in system.loads.values()},
    }
    return yaml.safe_dump(
        {name: part for name, part in parts.items() if part}, sort_keys=False, width=110, allow_unicode=True
    )


def _us(value: int) -> str:
    return units.show(value, units.TIME)


def _timing(one: Timing) -> dict[str, str]:
    return {name: _us(time) for name, time in asdict(one).items()}
