# SPDX-License-Identifier: Apache-2.0
"""The table that section 6.2.1 of the policies paper adds to `orchestrate sizes`."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.build.machines import Machine
from orchestrator.build.sizes import Part
from orchestrator.cli.numbers import count
from orchestrator.cli.tables import Table, numbers
from orchestrator.console import show
from orchestrator.features.policies.paper import figure_23


def table(machine: Machine, parts: Sequence[Part]) -> None:
    """Print the paper's two sums of bytes beside ours in both readings, for the paper's processor."""
    if machine.name != "msp430":
        return
    print()
    modules = {part.name: part for part in parts}
    rows = []
    for name, mine in figure_23.both_readings(modules["policies"], modules["push-dpc"]).items():
        limit = figure_23.PRINTED[name.removesuffix(", wide reading")]
        verdict = ("held", "green") if mine <= limit else (f"over by {count(mine - limit)}", "red")
        rows.append((name, count(mine), count(limit), verdict))
    show(Table("", ("policies paper, 6.2.1", *numbers("ours", "the paper's"), "limits"), rows))
    print(
        "Flash and RAM together. The manager loads policies, decides by Figure 8's procedure and by "
        "conflicts; in the wide reading it\n"
        "also has the enforcement points, operations of actions, values on air and time-outs.\n"
    )
