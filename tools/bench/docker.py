# SPDX-License-Identifier: Apache-2.0
"""What containers add, where an engine and the image of contiki-apps/docker are: the best of a few."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import docker

from orchestrator.applications import descriptor
from orchestrator.build import docker_build, docker_container, docker_engine, host, recipe
from orchestrator.engines import protocol as engines
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import run_one
from orchestrator.errors import MissingTool, OrchestrateError
from orchestrator.runs.model import Outcome
from orchestrator.scenario.load import loads
from orchestrator.scenario.model import EngineOptions
from tests.placed import simulation as simulation_of
from tools.bench.row import Row, Skipped

BUILD, UNCHANGED = "build in a container, more than on the host", "build in a container that nothing changed"
START, RUN = "start and end of a container", "run of Cooja in a container, more than here"
SCENARIO = (
    "experiment: bench\ntopology: {shape: chain, publishers: 3, spacing: 40 m}\n"
    "application: {name: pubsub-hello, interval: 2 s}\nduration: 5 s\ndrain: 1 s\nseeds: 1\n"
)
IMAGE = os.environ.get("ORCHESTRATE_TEST_IMAGE", "orchestrate-contiki-ng")


def rows(folder: Path, seeds: str) -> Iterator[Row | Skipped]:
    try:
        engine = docker_engine.connect()
        image = docker_engine.Engine.image(engine, engine.client.images.get(IMAGE).id)
    except (MissingTool, docker.errors.ImageNotFound) as missing:
        why = (
            str(missing).split("\n")[0]
            if isinstance(missing, MissingTool)
            else f"no image {IMAGE} (contiki-apps/docker)"
        )
        yield from (Skipped(what, why) for what in (BUILD, UNCHANGED, START, RUN))
        return
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
    yield Row(BUILD, inside - outside, "s", 3.0)
    yield Row(UNCHANGED, unchanged, "s", 3.0)
    yield Row(START, start, "s", 3.0)
    yield _run_of_cooja(folder)


def _run_of_cooja(folder: Path) -> Row | Skipped:
    """One short run in Cooja, in a container and on this machine, the JVM's start in both."""
    path, there = os.environ.get("COOJA"), os.environ.get("ORCHESTRATE_TEST_COOJA_IMAGE")
    if not path or not there:
        return Skipped(
            RUN, "set COOJA to a Cooja's folder and ORCHESTRATE_TEST_COOJA_IMAGE to an image with its Java"
        )
    cell = loads(SCENARIO, "bench.yaml").cells[0]
    app = descriptor.load(cell.application.name)
    simulation = simulation_of(cell, 1)
    built = host.firmware(app, app.variant(cell.application.parameters)).path
    firmware = {one.identifier: built for one in simulation.mote_types}
    seconds = []
    try:
        for options in (EngineOptions(path=path, image=there), EngineOptions(path=path)):
            engine = engines.engine("cooja", options)
            engine.prepare()

            def run(engine=engine) -> None:
                result = run_one(engine, Job(simulation, 1, firmware, folder / "COOJA.testlog"))
                assert result.outcome is Outcome.OK, result.evidence

            seconds.append(_best(run))
    except OrchestrateError as missing:
        return Skipped(RUN, str(missing).split("\n")[0])
    return Row(RUN, seconds[0] - seconds[1], "s", 3.0)


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
