# SPDX-License-Identifier: Apache-2.0
"""orchestrate distribution check: the content of a system's file, and all its faults."""

from __future__ import annotations

import argparse
import json

DESCRIPTION = """Read the file of a system and list every fault at once, with its line: objects
without a source or with two, periods that aren't shorter than the validity,
targets that get no data, nodes that have more to do than time. Without faults,
print what there is and how much of each node and network it uses."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`check` has no options of its own."""


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate distribution check`; return the exit code."""
    from orchestrator.cli.tables import Column, Table, numbers
    from orchestrator.console import show
    from orchestrator.features.distribution.commands.distribution_common import us, used_table
    from orchestrator.features.distribution.load import load
    from orchestrator.features.distribution.readings import Reading
    from orchestrator.features.distribution.tasks import tasks
    from orchestrator.features.distribution.utilisation import utilisation

    system = load(args.file)
    nominal = {
        distribution.name: system.source(distribution).timing.period
        for distribution in system.distributions.values()
    }
    used = utilisation(tasks(system, Reading(), nominal))
    objects = [
        {
            "object": name,
            "validity": validity,
            "source": system.source_of(name).name,
            "period": system.source_of(name).timing.period,
            "targets": [target.name for target in system.targets.values() if target.object == name],
        }
        for name, validity in system.objects.items()
    ]
    if args.json:
        shares = {name: float(share) for name, share in used.items()}
        print(json.dumps({"system": system.name, "objects": objects, "utilisation": shares}, indent=2))
        return 0
    rows = [
        (
            entry["object"],
            us(entry["validity"]),
            entry["source"],
            us(entry["period"]),
            ", ".join(entry["targets"]),
        )
        for entry in objects
    ]
    targets = Column("targets", prose=True)
    columns = ["object", *numbers("valid for, us"), "source", *numbers("period, us"), targets]
    show(Table(system.name, columns, rows), used_table(used))
    return 0
