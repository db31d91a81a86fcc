# SPDX-License-Identifier: Apache-2.0
"""What a test module needs of the machine; without it the module is skipped, saying why."""

from __future__ import annotations

import os
import shutil

import pytest

from orchestrator.build import compiler
from orchestrator.errors import MissingTool


def a_compiler() -> None:
    """A C compiler and make, and the time for them, which `make quick` has not. Called while the module is
    loaded.
    """
    if os.environ.get("ORCHESTRATE_QUICK"):
        pytest.skip("make quick compiles nothing", allow_module_level=True)
    try:
        compiler.find()
        compiler.make()
    except MissingTool as missing:
        pytest.skip(str(missing), allow_module_level=True)


def a_program(name: str) -> None:
    """A program on the PATH."""
    if shutil.which(name) is None:
        pytest.skip(f"no {name} here", allow_module_level=True)


TEST_IMAGE = os.environ.get("ORCHESTRATE_TEST_IMAGE", "orchestrate-contiki-ng")


def an_engine_and_image() -> None:
    """A container engine that answers, and the image of contiki-apps/docker. Called while the module is
    loaded.
    """
    import docker

    from orchestrator.build import docker_engine

    try:
        docker_engine.connect().client.images.get(TEST_IMAGE)
    except MissingTool as missing:
        pytest.skip(str(missing), allow_module_level=True)
    except docker.errors.ImageNotFound:
        pytest.skip(
            f"no image {TEST_IMAGE}: docker build -t {TEST_IMAGE} contiki-apps/docker (or set "
            "ORCHESTRATE_TEST_IMAGE)",
            allow_module_level=True,
        )
