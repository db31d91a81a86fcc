# SPDX-License-Identifier: Apache-2.0
"""A build cache of a test's own that holds what the session's does: for tests that are not about building."""

from __future__ import annotations

import shutil
from pathlib import Path

from orchestrator.applications import descriptor
from orchestrator.build import cache, host, kernel
from orchestrator.scenario.load import loads


def seed(home: Path, scenario: str = "") -> Path:
    """Put the engine's kernel, and the firmware of a scenario's cells if there is one, into the cache of an
    $XDG_CACHE_HOME; return that. What the session has not built yet is built in its own cache.
    """
    built = [("kernel", kernel.built())]
    for cell in loads(scenario, "built-before.yaml").cells if scenario else ():
        application = descriptor.load(cell.application.name)
        variant = application.variant(cell.application.parameters)
        built.append(("firmware", host.firmware(application, variant)))
    ours, theirs = cache.cache_folder(), home / "orchestrate"
    for kind, one in built:
        shutil.copytree(one.path.parent, theirs / kind / one.key, dirs_exist_ok=True)
    for known in ("compilers", "sources"):  # what building the kernel has kept
        shutil.copytree(ours / known, theirs / known, dirs_exist_ok=True)
    return home
