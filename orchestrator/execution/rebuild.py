# SPDX-License-Identifier: Apache-2.0
"""Builds a stored run's firmware again from the source, tree and image that its manifest names.

The tree is looked for in $CONTIKI_NG and where it was when the runs were made. It is used only if its content
is the same as then.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from orchestrator.build import contiki_ng, firmware
from orchestrator.csc.model import MoteType, Simulation
from orchestrator.csc.mote_type import MspType
from orchestrator.errors import NoSuchThing
from orchestrator.execution import simulated
from orchestrator.execution.library import BuildOptions, library
from orchestrator.runs import run_list as run_lists
from orchestrator.runs.manifest import Manifest
from orchestrator.scenario.model import (
    AS_IS,
    CONTIKI_NG,
    DOCKER,
    HOST,
    TREE_IN_IMAGE,
    FirmwareOptions,
    SimulationCell,
)

_OF_IMAGE = "of the image"  # in place of the digest of a tree that is in the image


def options(manifest: Manifest, experiment: Path) -> FirmwareOptions:
    """Return the options that a run's firmware was built with. Raises NoSuchThing if the tree isn't found."""
    built = manifest.built  # empty in old manifests: then it was the embedded Contiki, built on the host
    builder = built.builder or HOST
    image = built.image if builder == DOCKER else None
    if built.source != CONTIKI_NG:
        return FirmwareOptions(builder=builder, image=image)
    if not built.tree:  # a mote type's own Makefile found what it was built on
        return FirmwareOptions(CONTIKI_NG, builder, image, compile=built.compile or AS_IS)
    tree = TREE_IN_IMAGE if built.tree == _OF_IMAGE else str(_tree(manifest, experiment))
    return FirmwareOptions(CONTIKI_NG, builder, image, tree, compile=built.compile or AS_IS)


def libraries(
    manifest: Manifest,
    experiment: Path,
    simulation: Simulation,
    *,
    cflags: str = "",
    say: Callable[[str], None] = lambda _: None,
) -> dict[str, Path]:
    """Build the firmware of each mote type, by its identifier. Raises what `options` and builds raise."""
    wanted = options(manifest, experiment)
    if isinstance(manifest.resolved, SimulationCell):
        tree = simulated.builder(wanted).tree
        folder, of_tree = simulation.config_dir, simulated.of_tree(manifest.resolved)
        return {
            one.identifier: simulated.compiled(
                simulated.Type(wanted, cflags, _to_build(one), folder, of_tree), tree, say
            )
            for one in simulation.mote_types
        }
    builder = firmware.builder(wanted, say=say)
    how = BuildOptions(cflags=cflags, builder=builder)
    return {one.identifier: library(one, simulation.config_dir, how, say) for one in simulation.mote_types}


def _to_build(mote_type: MoteType | MspType) -> MoteType | MspType:
    """Return a stored mote type; it has a source only if its firmware was built."""
    if isinstance(mote_type, MspType) and mote_type.source:
        return mote_type._replace(must_build=True)
    return mote_type


def _tree(manifest: Manifest, experiment: Path) -> Path:
    wanted = manifest.built.tree
    seen = []
    for where, folder in (
        ("$CONTIKI_NG", os.environ.get("CONTIKI_NG")),
        ("where it was", run_lists.readable(experiment).contiki_ng),
    ):
        if not folder:
            continue
        try:
            tree = contiki_ng.tree(folder)
        except NoSuchThing:
            seen.append(f"{folder} ({where}) is not a Contiki-NG tree")
            continue
        if tree.digest == wanted:
            return tree.folder
        seen.append(f"{folder} ({where}) has other files: {tree.digest}")
    raise NoSuchThing(
        "\n    ".join(
            [
                f"the firmware of run {manifest.run_id[:12]} was built on a Contiki-NG tree that is not "
                f"here: {wanted}",
                *seen,
                "set CONTIKI_NG to that tree, with the same files as then, or run the scenario again and "
                "look into that run",
            ]
        )
    )
