# SPDX-License-Identifier: Apache-2.0
"""orchestrate validate: check a scenario and list every fault, or list the runs that it plans."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.words import counted

if TYPE_CHECKING:
    from orchestrator.applications.model import Application
    from orchestrator.scenario.model import Cell, RadioSpec, Scenario, SimulationCell

DESCRIPTION = "Check a scenario file. Every fault is listed with its line and a remedy (exit code 3)."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate validate`."""
    parser.add_argument("scenario", type=Path, help="the scenario file (YAML)")
    parser.add_argument("--json", action="store_true", help="print the result, or the faults, as JSON")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate validate`; return the exit code."""
    from orchestrator.cli import files
    from orchestrator.errors import FaultyInput
    from orchestrator.scenario.load import load

    try:
        scenario = load(files.scenario(args.scenario))
    except FaultyInput as faulty:
        count = len(faulty.faults)
        if args.json:
            print(json.dumps({"valid": False, "faults": [vars(fault) for fault in faulty.faults]}, indent=2))
        else:
            for fault in faulty.faults:
                print(fault, file=sys.stderr)
            print(f"{counted(count, 'fault')} in {args.scenario}", file=sys.stderr)
        return faulty.exit_code
    result = described(scenario)
    print(json.dumps(result, indent=2) if args.json else _text(result))
    return 0


def described(scenario: Scenario) -> dict:
    """Return the planned work as plain values: cells with settings, runs, simulated minutes."""
    from orchestrator.applications.place import place
    from orchestrator.scenario.model import SimulationCell

    cells = []
    for cell in scenario.cells:
        placed = place(cell)
        times = placed.course
        cells.append(
            {
                "name": cell.name,
                "settings": dict(cell.settings),
                "motes": len(placed.layout.nodes),
                "resolved": _of_simulation(cell)
                if isinstance(cell, SimulationCell)
                else _resolved(cell, placed.application),
                "simulated_s": times.ends_us / 1e6,
                "simulated_at_most": not times.is_known,
            }
        )
    return {
        "valid": True,
        "experiment": scenario.experiment,
        "seeds": len(scenario.seeds),
        "runs": len(cells) * len(scenario.seeds),
        "simulated_min": round(sum(cell["simulated_s"] for cell in cells) * len(scenario.seeds) / 60, 3),
        "notes": _notes(scenario),
        "cells": cells,
    }


def _notes(scenario: Scenario) -> list[str]:
    """Return warnings about settings that are valid but may be a mistake."""
    if len(scenario.seeds) == 1 and scenario.seeds[0] > 1:
        (seed,) = scenario.seeds
        return [f"`seeds: {seed}` is one seed, number {seed}; `seeds: 1..{seed}` is {seed:,} seeds"]
    return []


def _resolved(cell: Cell, app: Application) -> dict:
    """Every setting of a cell as a scenario file writes it."""
    from orchestrator.scenario.model import OwnTopologySpec
    from orchestrator.scenario.settings import FIXED
    from orchestrator.topology.shapes import known_shapes

    values = {
        "radio.medium": cell.radio.medium,
        **_radio(cell.radio),
        "duration": cell.duration_us,
        "drain": cell.drain_us,
        "start-delay": cell.start_delay_us,
        "engine.name": cell.engine,
        "engine.rules": cell.ruleset,
        "trace": cell.trace,
    }
    if isinstance(cell.topology, OwnTopologySpec):
        topology = cell.topology.written
    else:
        topology = {
            p.name: p.show(cell.topology.parameters[p.name])
            for p in known_shapes()[cell.topology.shape].parameters
        }
    return {
        "topology.shape": cell.topology.shape,
        **{f"topology.{name}": text for name, text in topology.items()},
        "application.name": app.name,
        **{
            f"application.{name}": app.parameters[name].show(value)
            for name, value in app.complete(cell.application.parameters).items()
        },
        **{
            path: "as its Cooja's" if value is None else FIXED[path].show(value)
            for path, value in values.items()
        },
    }


def _of_simulation(cell: SimulationCell) -> dict:
    """Return the settings of a cell that is a whole simulation, and what follows from them."""
    from orchestrator.scenario.settings import FIXED

    counts: dict[str, int] = {}
    for node in cell.nodes:
        counts[node.role] = counts.get(node.role, 0) + 1
    values = {
        "radio.medium": cell.radio.medium,
        **_radio(cell.radio),
        "duration": cell.duration_us,
        "start-delay": cell.start_delay_us,
        "engine.name": cell.engine,
        "engine.rules": cell.ruleset,
    }
    return {
        "topology.shape": cell.topology.shape,
        **{f"motes.{name}.count": str(count) for name, count in counts.items()},
        **{path: str(text) for path, text in cell.subject["settings"].items()},
        **cell.settings,
        **{
            path: "as its Cooja's" if value is None else FIXED[path].show(value)
            for path, value in values.items()
        },
    }


def _radio(radio: RadioSpec) -> dict:
    from orchestrator.scenario.model import DeclaredRadioSpec, LinkedRadioSpec
    from orchestrator.scenario.settings import OF_DECLARED

    if isinstance(radio, LinkedRadioSpec):
        return {"radio.links": radio.file}
    if isinstance(radio, DeclaredRadioSpec):
        return dict(zip(OF_DECLARED[radio.medium], radio.numbers(), strict=True))
    return {
        "radio.range": radio.range_m,
        "radio.interference": radio.interference_m,
        "radio.tx": radio.tx_ratio,
        "radio.rx": radio.rx_ratio,
    }


def _text(result: dict) -> str:
    cells, seeds, minutes = result["cells"], result["seeds"], result["simulated_min"]
    runs = f"{counted(len(cells), 'cell')} x {counted(seeds, 'seed')} = {counted(result['runs'], 'run')}"
    most = "at most " if any(cell["simulated_at_most"] for cell in cells) else ""
    lines = [f"{result['experiment']}: {runs}, {most}{minutes:,.1f} simulated minutes", *result["notes"]]
    common = {
        path: text
        for path, text in cells[0]["resolved"].items()
        if all(cell["resolved"].get(path) == text for cell in cells)
    }
    lines.append(
        "in every cell:" if len(cells) > 1 else f"cell {cells[0]['name']} ({cells[0]['motes']} motes):"
    )
    width = max(map(len, cells[0]["resolved"]))
    lines += [f"  {path:<{width}}  {text}" for path, text in common.items()]
    if len(cells) > 1:
        lines.append("cells:")
        lines += [f"  {line}" for line in _cells(cells, common)]
    return "\n".join(lines)


def _cells(cells: list[dict], common: dict) -> list[str]:
    from orchestrator.cli.numbers import count
    from orchestrator.cli.tables import Column, Table, numbers
    from orchestrator.console import width

    own = [
        ", ".join(f"{path}={text}" for path, text in cell["resolved"].items() if path not in common)
        for cell in cells
    ]
    rows = [(cell["name"], count(cell["motes"]), text) for cell, text in zip(cells, own, strict=True)]
    table = Table("", ("cell", *numbers("motes"), Column("what is its own", prose=True)), rows)
    limit = width()
    return [line.plain for line in table.lines(None if limit is None else limit - 2)][:-1]
