# SPDX-License-Identifier: Apache-2.0
"""Changes a scenario that is loaded, as options of commands ask for it; None leaves it as its file says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from orchestrator.errors import WrongUsage
from orchestrator.scenario import seeds
from orchestrator.scenario.model import CONTIKI_NG, DOCKER, Scenario
from orchestrator.vocabulary.document import Scalar, Sequence
from orchestrator.vocabulary.faults import Faults


def with_engine(
    scenario: Scenario,
    name: str | None = None,
    path: str | None = None,
    heap: int | None = None,
    image: str | None = None,
    plain: bool = False,
) -> Scenario:
    """Return the scenario with every cell on this engine with these options (None: as the scenario says)."""
    options = _with(scenario.engine, path=path, heap=heap, image=image, plain=plain)
    cells = scenario.cells
    if name is not None:  # the default rule set is the embedded engine's; a real Cooja has its own
        cells = tuple(
            cell if cell.engine == name else replace(cell, engine=name, ruleset=None) for cell in cells
        )
    return replace(scenario, engine=options, cells=cells)


def with_firmware(
    scenario: Scenario,
    builder: str | None = None,
    image: str | None = None,
    tree: str | None = None,
    compile: str | None = None,
) -> Scenario:
    """Return the scenario with its firmware built with these options (None: as the scenario says).

    An image implies a container, a tree implies Contiki-NG. If the source is an axis, it stays one, and the
    tree is for the cells with Contiki-NG.
    """
    builder = builder or (DOCKER if image else None)
    cells = tuple(replace(cell, builder=None) for cell in scenario.cells) if builder else scenario.cells
    axis = any(cell.source for cell in cells)
    source = CONTIKI_NG if tree and not axis else None
    options = _with(
        scenario.firmware, builder=builder, image=image, source=source, tree=tree, compile=compile
    )
    used = any(DOCKER in (options.builder, cell.builder) for cell in cells)
    return replace(scenario, cells=cells, firmware=options if used else replace(options, image=None))


def with_rules(scenario: Scenario, ruleset: str | None) -> Scenario:
    """Return the scenario with every cell under this rule set (None: as the scenario says)."""
    if ruleset is None:
        return scenario
    return replace(scenario, cells=tuple(replace(cell, ruleset=ruleset) for cell in scenario.cells))


def with_lab(scenario: Scenario, inventory: Path | None, layout: str | None) -> Scenario:
    """Return the scenario with the testbed that the options name. Raises WrongUsage."""
    on_testbed = any(cell.engine == "testbed" for cell in scenario.cells)
    if on_testbed and inventory is None:
        raise WrongUsage("the engine testbed needs a lab: --inventory LAB.yaml")
    if (inventory or layout) and not on_testbed:
        raise WrongUsage("--inventory and --layout apply to the engine testbed only: add --engine testbed")
    return scenario if inventory is None else on_lab(scenario, inventory, layout)


def on_lab(scenario: Scenario, inventory: Path, layout: str | None) -> Scenario:
    """Return the scenario with the testbed of this inventory for its cells of the engine testbed."""
    return replace(scenario, engine=replace(scenario.engine, inventory=str(inventory), layout=layout))


def with_seeds(scenario: Scenario, text: str | None) -> Scenario:
    """Return the scenario with the seeds that the option --seeds names. Raises WrongUsage."""
    return scenario if text is None else replace(scenario, seeds=seeds_of(text))


def seeds_of(text: str) -> tuple[int, ...]:
    """Return the seeds that the option --seeds names. Raises WrongUsage."""
    faults = Faults("--seeds")
    found = seeds.read(Sequence(tuple(Scalar(part.strip(), 0) for part in text.split(",")), 0), faults)
    faults.raise_usage()
    return found


def _with(options: Any, **given: Any) -> Any:
    """Return the options with what is given; what is None, 0 or false stays as it is."""
    return replace(options, **{name: value for name, value in given.items() if value})
