# SPDX-License-Identifier: Apache-2.0
"""The versions that made an artifact's runs, and those that were installed when it was packed."""

from __future__ import annotations

import re
from importlib import metadata
from typing import Any

from orchestrator import __version__
from orchestrator.build import compiler
from orchestrator.errors import MissingTool
from orchestrator.features.export.contents import Chosen
from orchestrator.runs.store import host

DISTRIBUTION = "cooja-orchestrate"


def versions(chosen: Chosen) -> dict[str, Any]:
    """Return the versions as plain values."""
    runs = list(chosen.all())
    return {
        "runs": {
            "orchestrate": sorted({run.orchestrate for run in runs}),
            "engines": sorted({f"{run.engine.name} {run.engine.version}" for run in runs}),
            "rules": sorted({run.engine.rules for run in runs}),
            "firmware": sorted({digest for run in runs for digest in run.firmware.values()}),
            "built": _distinct([run.built.described() for run in runs]),
            "hosts": _distinct([dict(run.host) for run in runs]),
        },
        "export": {
            "orchestrate": __version__,
            "host": host(),
            "compiler": _compiler(),
            "packages": packages(),
        },
    }


def packages() -> dict[str, str]:
    """Return the versions of orchestrate's installed dependencies, direct and indirect."""
    versions: dict[str, str] = {}
    waiting = [DISTRIBUTION]
    while waiting:
        name = waiting.pop()
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        label = re.sub(r"[-_.]+", "-", distribution.metadata["Name"]).lower()
        if label in versions:
            continue
        versions[label] = distribution.version
        for needed in distribution.requires or ():
            if "extra ==" not in needed:
                waiting.append(re.match(r"[\w.-]+", needed).group())
    return dict(sorted(versions.items()))


def _compiler() -> dict[str, str] | None:
    try:
        return compiler.find().identity()
    except MissingTool:
        return None


def _distinct(values: list[dict]) -> list[dict]:
    """Return each value once, in a fixed order."""
    return [dict(pairs) for pairs in sorted({tuple(sorted(value.items())) for value in values})]
