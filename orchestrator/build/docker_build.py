# SPDX-License-Identifier: Apache-2.0
"""Builds firmware in a container with build.host's recipe, cache and result, and the image's compiler.

A build that nothing changed asks the engine for the image's digest at most, and starts no container.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from orchestrator.build import cache, docker_container, docker_engine, docker_errors, fast, too_large
from orchestrator.build.cache import Built
from orchestrator.build.docker_container import Limits
from orchestrator.build.recipe import Recipe
from orchestrator.build.tools import first_errors
from orchestrator.errors import BuildFailed, NoSuchThing, StorageFailed

WORK, TREE = "/orchestrate/work", "/orchestrate/contiki-ng"
_PLACE_IN_IMAGE = "CONTIKI_NG"  # the image's variable that names its tree
_FULL = "no space left on device"


@dataclass(frozen=True)
class _Ready:
    engine: docker_engine.Engine
    image: docker_engine.Image


class DockerBuilder:
    """Builds with one image.

    Thread-safe. `say` gets what happens, `show` each line that a container prints.
    """

    name = "docker"

    def __init__(
        self,
        image: str = docker_engine.IMAGE,
        *,
        limits: Limits | None = None,
        say: Callable[[str], None] = lambda _: None,
        show: Callable[[str], None] = lambda _: None,
    ):
        self.reference = image
        self._limits = limits or Limits()
        self._say, self._show = say, show
        self._lock = threading.Lock()
        self._found: _Ready | None = None

    def digest(self) -> str:
        """Return the image's digest. A reference by digest says it itself, without an engine."""
        return self.reference if "@sha256:" in self.reference else self._ready().image.digest

    def identity(self) -> dict[str, str]:
        """Return the facts about the builder that determine a firmware's bytes."""
        return {"image": self.digest().rpartition("@")[2]}

    def described(self) -> dict[str, str]:
        """For manifests."""
        return {"builder": self.name, "image": self.digest()}

    def firmware(self, recipe: Recipe) -> Built:
        """Build the firmware in the container.

        Raises MissingTool, BuildFailed, StorageFailed or NoSuchThing.
        """
        name = cache.key(recipe.key() | {"builder": self.identity()})

        def build(work: Path) -> Path:
            recipe.stage(work)
            self._make(recipe, work)
            return recipe.product(work)

        return cache.get("firmware", name, build)

    def _ready(self) -> _Ready:
        with self._lock:
            if self._found is None:
                engine = docker_engine.connect()
                self._found = _Ready(engine, engine.image(self.reference, self._say))
            return self._found

    def _make(self, recipe: Recipe, work: Path) -> None:
        ready = self._ready()
        mounts = {work: (WORK, False)}
        tree = TREE
        if recipe.tree is not None:
            mounts[recipe.tree.folder] = (TREE, True)
        elif recipe.from_image:
            tree = ready.image.environment.get(_PLACE_IN_IMAGE, "")
            if not tree:
                raise NoSuchThing(
                    f"the image {self.reference} does not say where its Contiki-NG tree is "
                    f"(${_PLACE_IN_IMAGE})\n"
                    "    name a tree of this machine with --contiki-ng"
                )
        what = f"firmware {recipe.name} for {recipe.target} in {self.reference}"
        ended = docker_container.run(
            ready.engine,
            ready.image,
            docker_container.Command(
                ["make", *recipe.arguments(WORK, tree, os.cpu_count() or 1)],
                recipe.folder(WORK, tree),
                mounts,
                recipe.environment(WORK, tree),
            ),
            what=what,
            limits=self._limits,
            show=self._show,
        )
        if recipe.from_image and ended.code != 0 and f"{tree}/Makefile.include'" in ended.output:
            raise NoSuchThing(
                f"the image {self.reference} holds no Contiki-NG tree at {tree}\n"
                "    name a tree of this machine with --contiki-ng, or an image that has one"
            )
        try:
            self._judge(ended, what, work)
        except BuildFailed as failed:
            raise (
                fast.explained(failed) if recipe.is_fast else too_large.explained(failed, recipe.name)
            ) from None

    def _judge(self, ended: docker_container.Ended, what: str, work: Path) -> None:
        if ended.out_of_memory:
            raise BuildFailed(
                f"{what}: killed, because it needed more than {self._limits.memory >> 20} MiB of memory\n"
                "    give it more with --build-memory",
                ended.output,
            )
        if ended.out_of_time:
            raise BuildFailed(
                f"{what}: not finished after {self._limits.seconds:g} s\n    give it more with --build-time",
                ended.output,
            )
        if ended.code != 0 and _FULL in ended.output.lower():
            raise StorageFailed(
                f"{what}: no space left: the disk of the build cache {work.parent.parent} is full, or the "
                f"container's /tmp ({self._limits.tmp >> 20} MiB of memory)\n{first_errors(ended.output)}\n"
                "    free space there, or set XDG_CACHE_HOME to another folder"
            )
        if ended.code != 0 and (missing := docker_errors.no_compiler(what, ended.output)):
            raise missing
        if ended.code == 127:
            raise BuildFailed(
                f"{what}: a program is missing in the image\n{first_errors(ended.output)}", ended.output
            )
        if ended.code != 0:
            raise BuildFailed(
                f"{what}: make failed (exit {ended.code})\n{first_errors(ended.output)}", ended.output
            )
