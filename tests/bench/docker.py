# SPDX-License-Identifier: Apache-2.0
"""What containers add, where an engine and the image of contiki-apps/docker are: the best of a few."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import docker

from orchestrator.build import docker_build, docker_container, docker_engine, host, recipe
from orchestrator.errors import MissingTool
from tests.bench.row import Row

IMAGE = os.environ.get("ORCHESTRATE_TEST_IMAGE", "orchestrate-contiki-ng")


def rows(folder: Path, seeds: str) -> Iterator[Row]:
    try:
        engine = docker_engine.connect()
        image = docker_engine.Engine.image(engine, engine.client.images.get(IMAGE).id)
    except (MissingTool, docker.errors.ImageNotFound):
        return  # nothing to measure here
    before = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = str(folder / "docker-cache")
    try:
        application = recipe.recipe("hello-nullnet")
        inside = _best(lambda: docker_build.DockerBuilder(IMAGE).firmware(application), fresh=True)
        outside = _best(lambda: host.build(application), fresh=True)
        docker_build.DockerBuilder(IMAGE).firmware(application)
        unchanged = _best(lambda: docker_build.DockerBuilder(IMAGE).firmware(application))
        start = _best(lambda: docker_container.run(engine, image, ["true"], "/tmp", {}, {}, what="nothing"))
    finally:
        if before is None:
            del os.environ["XDG_CACHE_HOME"]
        else:
            os.environ["XDG_CACHE_HOME"] = before
    yield Row("build in a container, more than on the host", inside - outside, "s", 3.0)
    yield Row("build in a container that nothing changed", unchanged, "s", 3.0)
    yield Row("start and end of a container", start, "s", 3.0)


def _best(what: Callable[[], object], fresh: bool = False) -> float:
    """Seconds, the best of three; `fresh`: with an empty cache each time."""
    seconds = []
    for _ in range(3):
        if fresh:
            shutil.rmtree(os.environ["XDG_CACHE_HOME"], ignore_errors=True)
        started = time.monotonic()
        what()
        seconds.append(time.monotonic() - started)
    return min(seconds)
