# SPDX-License-Identifier: Apache-2.0
"""A stored run's firmware built again of what it was built of: its manifest says which source, which tree,
which image.

The tree is looked for where $CONTIKI_NG says and where it was when the campaign ran; only one with the same
content will do.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from orchestrator.build import contiki_ng, firmware
from orchestrator.csc.model import Simulation
from orchestrator.errors import NoSuchThing
from orchestrator.execution.library import library
from orchestrator.runs import campaign as campaigns
from orchestrator.runs.manifest import Manifest
from orchestrator.scenario.model import AS_IS, CONTIKI_NG, DOCKER, HOST, TREE_IN_IMAGE, FirmwareOptions

_OF_IMAGE = "of the image"  # instead of a tree's digest


def options(manifest: Manifest, experiment: Path) -> FirmwareOptions:
    """What made the run's firmware; `experiment`: its folder. Raises NoSuchThing if the tree is not to be
    found.
    """
    built = manifest.built  # of old manifests nothing is known: the embedded Contiki on the host
    builder = built.builder or HOST
    image = built.image if builder == DOCKER else None
    if built.source != CONTIKI_NG:
        return FirmwareOptions(builder=builder, image=image)
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
    """Mote type -> firmware. Raises what `options` and builds raise."""
    builder = firmware.builder(options(manifest, experiment), say=say)
    return {
        one.identifier: library(one, simulation, cflags=cflags, builder=builder, say=say)
        for one in simulation.mote_types
    }


def _tree(manifest: Manifest, experiment: Path) -> Path:
    wanted = manifest.built.tree
    seen = []
    for where, folder in (
        ("$CONTIKI_NG", os.environ.get("CONTIKI_NG")),
        ("where it was", _noted(experiment)),
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


def _noted(experiment: Path) -> str | None:
    return campaigns.readable(experiment).contiki_ng
