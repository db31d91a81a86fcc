# SPDX-License-Identifier: Apache-2.0
"""Chooses the builder of firmware: embedded Contiki or a Contiki-NG tree, on the host or in a container."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from orchestrator.build import contiki_ng, docker_build, docker_container, docker_engine, host
from orchestrator.build import recipe as recipes
from orchestrator.build.cache import Built
from orchestrator.build.contiki_ng import Tree
from orchestrator.build.docker_build import DockerBuilder
from orchestrator.errors import NoSuchThing, WrongUsage
from orchestrator.scenario.model import CONTIKI_NG, DOCKER, FAST, TREE_IN_IMAGE, FirmwareOptions


@dataclass(frozen=True)
class Builder:
    """The resolved choice: its tree and image are known. There is one for each planning."""

    tree: Tree | None
    docker: DockerBuilder | None
    in_image: bool = False
    fast: bool = True

    def firmware(
        self,
        application: object,
        variant: dict[str, str] | None = None,
        *,
        target: str = recipes.COOJA,
        cc: str | None = None,
        cflags: str = "",
    ) -> Built:
        """As host.firmware. Raises what the builders raise."""
        from_image = self.docker.digest() if self.in_image else ""
        recipe = recipes.recipe(
            application,
            variant,
            target=target,
            cflags=cflags,
            tree=self.tree,
            from_image=from_image,
            fast=self.fast,
        )
        return host.build(recipe, cc=cc) if self.docker is None else self.docker.firmware(recipe)

    def described(self) -> dict[str, str]:
        """For manifests: source, builder, the tree's and the image's digest, and whether our way was used."""
        description = {"source": "embedded"}
        if self.tree is not None:
            description = {"source": CONTIKI_NG, "tree": self.tree.digest}
        elif self.in_image:
            description = {"source": CONTIKI_NG, "tree": "of the image"}
        if self.fast and description["source"] == CONTIKI_NG:
            description["compile"] = FAST
        return description | ({"builder": "host"} if self.docker is None else self.docker.described())


def builder(
    options: FirmwareOptions,
    *,
    say: Callable[[str], None] = lambda _: None,
    show: Callable[[str], None] = lambda _: None,
) -> Builder:
    """`say` gets what happens (an image is pulled), `show` each line that a container prints.

    Raises NoSuchThing or WrongUsage for settings that don't fit together; engine and image are asked when
    they are needed.
    """
    docker = None
    if options.builder == DOCKER:
        limits = docker_container.Limits()
        limits = docker_container.Limits(
            options.memory or limits.memory, seconds=options.seconds or limits.seconds
        )
        docker = docker_build.DockerBuilder(
            options.image or docker_engine.IMAGE, limits=limits, say=say, show=show
        )
    elif options.image:
        raise WrongUsage(
            "an image was named, but the builder is the host\n    also set the builder to docker"
        )
    if options.source != CONTIKI_NG:
        return Builder(None, docker)
    if options.tree == TREE_IN_IMAGE:
        if docker is None:
            raise WrongUsage(
                "the tree is to be the image's, but the builder is the host\n    name the builder as well: "
                "docker"
            )
        return Builder(None, docker, in_image=True, fast=options.compile == FAST)
    tree = contiki_ng.tree(options.tree)
    if tree is None:
        raise NoSuchThing(
            "no Contiki-NG tree was named\n    name its folder with --contiki-ng, `firmware: {tree: ...}` or "
            "$CONTIKI_NG" + ("; `image` for the one that the image holds" if docker else "")
        )
    return Builder(tree, docker, fast=options.compile == FAST)
