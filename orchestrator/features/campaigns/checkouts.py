# SPDX-License-Identifier: Apache-2.0
"""The commits of a round: those of the checkouts that hold orchestrate, applications and Contiki-NG."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from orchestrator import git
from orchestrator.build import contiki_ng
from orchestrator.errors import NoSuchThing
from orchestrator.features.campaigns.model import Checkout
from orchestrator.resources import contiki_apps
from orchestrator.scenario.model import CONTIKI_NG, TREE_IN_IMAGE, Scenario

TOOL, TREE = "orchestrate", "Contiki-NG"
OWN = (
    "orchestrator",
    "spark",
    "testbed",
    "contiki-apps",
    "csc-templates",
)  # of its folders: what decides about runs
_PACKAGE = Path(__file__).resolve().parents[1]


def of(scenarios: Iterable[Scenario]) -> tuple[Checkout, ...]:
    """Return the checkouts; an installed package and a copied folder are in none."""
    scenarios = list(scenarios)
    checkouts = [_checkout(TOOL, _PACKAGE, "__init__.py", OWN)]
    for folder in sorted(
        {cell.application.folder for scenario in scenarios for cell in scenario.cells} - {""}
    ):
        if not Path(folder).resolve().is_relative_to(contiki_apps().resolve()):
            checkouts.append(_checkout(folder, Path(folder), "application.yaml"))
    checkouts += [_checkout(TREE, tree, "Makefile.include") for tree in sorted(_trees(scenarios))]
    return tuple(checkout for checkout in checkouts if checkout is not None)


def _trees(scenarios: Iterable[Scenario]) -> set[Path]:
    folders = set()
    for scenario in scenarios:
        for cell in scenario.cells:
            options = scenario.firmware_of(cell)
            if options.source == CONTIKI_NG and options.tree != TREE_IN_IMAGE:
                try:
                    tree = contiki_ng.tree(options.tree)
                except NoSuchThing:
                    continue  # planning says so
                folders |= set() if tree is None else {tree.folder}
    return folders


def _checkout(what: str, folder: Path, marker: str, paths: tuple[str, ...] = (".",)) -> Checkout | None:
    top = git.top(folder, marker)
    commit = None if top is None else git.commit(top)
    if top is None or commit is None:
        return None
    where = top if what == TOOL else folder
    there = tuple(path for path in paths if (where / path).exists())
    return Checkout(what, str(top), commit, git.described(top), git.changed(where, there))
