# SPDX-License-Identifier: Apache-2.0
"""Writes the tasks and priorities for a run time: the configuration file of the paper's off-line analysis."""

from __future__ import annotations

from orchestrator.features.distribution.schedulability.verdict import Verdict
from orchestrator.features.distribution.tasks import TRANSMISSION


def table(judged: Verdict) -> str:
    """Return each node's tasks as YAML, with times in us and priorities from 1; larger is more urgent."""
    import yaml

    nodes: dict[str, dict] = {}
    for node in judged.system.nodes:
        mine = sorted(
            (task for task in judged.tasks if task.resource == node), key=lambda task: task.priority
        )
        nodes[node] = {
            task.name: {
                "kind": task.kind,
                "priority": place,
                "period": task.period,
                "release": task.release,
                "deadline": task.deadline,
                "execution": task.execution,
                **({"after": task.after} if task.after else {}),
            }
            for place, task in enumerate(mine, 1)
        }
    networks: dict[str, dict] = {}
    for task in sorted(judged.tasks, key=lambda task: task.priority):
        if task.kind == TRANSMISSION:
            there = networks.setdefault(task.resource, {})
            there[task.name] = {"priority": len(there) + 1, "deadline": task.deadline, "after": task.after}
    return yaml.safe_dump(
        {
            "system": judged.system.name,
            "schedulable": judged.schedulable,
            "nodes": nodes,
            "networks": networks,
        },
        sort_keys=False,
        width=110,
    )
