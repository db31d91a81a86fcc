# SPDX-License-Identifier: Apache-2.0
"""The container engine of this machine (Docker's API: Docker, rootless or not, and Podman), and its images.

An image is resolved to its digest once, when it is first needed: pulled if it isn't there. From then on the
digest says what builds; a tag that moves later changes nothing until the user pulls it.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.build import docker_errors
from orchestrator.build.docker_pull import Pull
from orchestrator.errors import MissingTool, WrongUsage

if TYPE_CHECKING:
    from docker import DockerClient

IMAGE = "contiker/contiki-ng"
LABEL = "org.orchestrate.process"  # on our containers: HOST PID
_TIMEOUT_S = 60  # of an answer; streams and waits have none


@dataclass(frozen=True)
class Image:
    """`digest`: NAME@sha256:... as its registry has it, or sha256:... of an image that is only here.

    `environment`: its own.
    """

    reference: str
    id: str
    digest: str
    environment: dict[str, str]


class Engine:
    """A connected engine.

    `user`: the user as which containers run, so that files they write belong to the caller.
    """

    def __init__(self, client: DockerClient, address: str, info: dict):
        self.client = client
        self.address = address
        self.folder = str(info.get("DockerRootDir", "?"))
        self.version = str(info.get("ServerVersion", "?"))
        options = [str(option) for option in info.get("SecurityOptions") or ()]
        self.rootless = any("name=rootless" in option for option in options)
        # In that case user 0 of the container is the caller.
        self.user = "0:0" if self.rootless else f"{os.getuid()}:{os.getgid()}"
        # If the engine maps users in another way, the caller's number would not be the caller.
        self.userns = "host" if any("name=userns" in option for option in options) else ""

    def image(self, reference: str, say: Callable[[str], None] = lambda _: None) -> Image:
        """Return the image of that name, pulled if it isn't here.

        Raises MissingTool, StorageFailed or WrongUsage.
        """
        from docker import errors

        try:
            image_ = self.client.images.get(reference)
        except errors.ImageNotFound:
            self._pull(reference, say)
            image_ = self.client.images.get(reference)
        except errors.DockerException as error:
            raise WrongUsage(
                f"{reference!r} is not the name of an image: {getattr(error, 'explanation', None) or error}"
            ) from None
        listed = sorted(image_.attrs.get("RepoDigests") or ())
        name = repository(reference)
        digest = next(
            (entry for entry in listed if repository(entry) == name), listed[0] if listed else image_.id
        )
        variables = (image_.attrs.get("Config") or {}).get("Env") or ()
        return Image(
            reference,
            image_.id,
            digest,
            dict(variable.split("=", 1) for variable in variables if "=" in variable),
        )

    def _pull(self, reference: str, say: Callable[[str], None]) -> None:
        from docker import errors

        pull = Pull(reference, say)
        name, tag = _split(reference)
        try:
            for event in self.client.api.pull(name, tag=tag, stream=True, decode=True):
                if "error" in event:
                    raise docker_errors.no_image(reference, str(event["error"]), self.folder)
                pull.event(event)
        except errors.APIError as error:
            raise docker_errors.no_image(reference, str(error.explanation), self.folder) from None
        pull.end()

    def sweep(self) -> None:
        """Remove containers whose process on this machine is gone (kill -9)."""
        from docker import errors

        for container in self.client.containers.list(all=True, filters={"label": LABEL}, ignore_removed=True):
            host, _, process = container.labels.get(LABEL, "").partition(" ")
            if host == socket.gethostname() and process.isdigit() and not Path(f"/proc/{process}").exists():
                try:
                    container.remove(force=True, v=True)
                except errors.APIError:
                    pass  # another process was faster

    def label(self) -> dict[str, str]:
        return {LABEL: f"{socket.gethostname()} {os.getpid()}"}


def connect() -> Engine:
    """Return the engine of $DOCKER_HOST, of Docker's current context, or at the usual places.

    Raises MissingTool.
    """
    import docker

    address = _address()
    try:
        client = docker.DockerClient(base_url=address, version="auto", timeout=_TIMEOUT_S, tls=_tls(address))
        return Engine(client, address, client.info())
    except (docker.errors.DockerException, OSError, ValueError) as error:
        raise docker_errors.no_connection(error, address) from None


def repository(reference: str) -> str:
    """Return a reference's repository as Docker Hub's short names mean it, without tag and digest."""
    name = _split(reference)[0]
    first, _, rest = name.partition("/")
    if not rest:
        return f"docker.io/library/{name}"
    return name if "." in first or ":" in first or first == "localhost" else f"docker.io/{name}"


def _split(reference: str) -> tuple[str, str]:
    from docker.utils import parse_repository_tag

    name, tag = parse_repository_tag(reference)
    return name, tag or "latest"


def _tls(address: str):
    from docker.utils import kwargs_from_env

    return kwargs_from_env().get("tls", False) if address.startswith(("tcp:", "https:")) else False


def _address() -> str:
    if named := os.environ.get("DOCKER_HOST"):
        return named
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}")
    usual = Path("/var/run/docker.sock")
    if context := _context():
        return context
    for place in (usual, runtime / "docker.sock", runtime / "podman" / "podman.sock"):
        if place.exists():
            return f"unix://{place}"
    return f"unix://{usual}"


def _context() -> str | None:
    """Return the address of $DOCKER_CONTEXT's or the chosen context; None for the default one."""
    from docker import errors
    from docker.context import ContextAPI

    named = os.environ.get("DOCKER_CONTEXT")
    try:
        current = ContextAPI.get_context(named) if named else ContextAPI.get_current_context()
    except (errors.DockerException, OSError, ValueError) as error:
        raise MissingTool(
            f"Docker's context is broken: {error}\n    choose another with `docker context use default`"
        ) from None
    if current is None:
        raise MissingTool(
            f"Docker has no context {named or 'as its settings name it'}\n    `docker context ls` lists them"
        )
    return None if current.Name == "default" else current.Host
