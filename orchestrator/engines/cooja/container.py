# SPDX-License-Identifier: Apache-2.0
"""Starts Cooja in a container: the image's Java, and the user's own Cooja, which is mounted read-only.

The container sees Cooja and the folders of the present runs under the names that they have on this machine,
so that command line and staged .csc are the same as without a container.
"""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from orchestrator.build import docker_container, docker_engine
from orchestrator.build.docker_container import Container, Limits
from orchestrator.engines.cooja.find import Place
from orchestrator.engines.cooja.launcher import memory_of
from orchestrator.errors import Unsupported

JAVA = "java"  # on the image's PATH
_BESIDE_HEAP = 1 << 30  # bytes for the JVM itself and the libraries of motes
_LOOK_EVERY_S = 0.2
_ORPHANED_S = 86_400.0  # ends a container whose owner was killed; runs have limits of their own


@dataclass(frozen=True)
class Inside:
    """The engine and the image of all runs; a tag that moves while they run has no effect."""

    engine: docker_engine.Engine
    image: docker_engine.Image


def inside(image: str, place: Place, say: Callable[[str], None] = lambda _: None) -> Inside:
    """Find the engine and the image before any run; `say` gets the progress of a pull.

    Raises Unsupported for a Cooja that is no jar, and what the engine raises.
    """
    if place.jar is None:
        raise Unsupported(
            f"{place} is a program of this machine, which an image does not run\n    name Cooja's folder or "
            "its jar"
        )
    engine = docker_engine.connect()
    return Inside(engine, engine.image(image, say))


class ContainerProcess:
    """A Cooja in a container (a launcher.Running)."""

    def __init__(self, where: Inside, place: Place, command: list[str], folder: Path, heap: int):
        """Start it. Raises what engine and container raise."""
        limits = Limits(memory=heap + _BESIDE_HEAP, processes=2048, seconds=_ORPHANED_S)
        mounts = {path: (str(path), True) for path in {place.folder.resolve(), place.jar.resolve().parent}}
        mounts |= {
            path: (str(path), False)
            for path in (folder, *(link.resolve() for link in folder.iterdir() if link.is_symlink()))
        }
        call = docker_container.Command(command, str(folder), mounts)
        given = docker_container.settings(where.engine, where.image, call, limits)
        self._container = Container(where.engine, "Cooja", given, limits)
        self._status: int | None = None
        self.output, self._writing = os.pipe()
        os.set_blocking(self._writing, False)
        self._unread = threading.Event()
        self._pump = threading.Thread(target=self._copy, name="cooja-output", daemon=True)
        self._pump.start()

    def wait(self, timeout_s: float | None) -> int | None:
        """See launcher.Running."""
        self._pump.join(timeout_s)
        if self._pump.is_alive():
            return None
        if self._status is None:
            self._status, _, _ = self._container.wait()
            os.close(self.output)
        return self._status

    def kill(self) -> None:
        """See launcher.Running."""
        self._unread.set()
        self._container.kill()

    def peak_memory(self) -> int:
        """See launcher.Running."""
        return memory_of(self._container.process())

    def _copy(self) -> None:
        """Copy output until the container ends.

        After kill() it is dropped: the container does not end before all that it printed was read.
        """
        try:
            for chunk in self._container.chunks:
                while chunk and not self._unread.is_set():
                    if select.select([], [self._writing], [], _LOOK_EVERY_S)[1]:
                        chunk = chunk[os.write(self._writing, chunk) :]  # noqa: PLW2901
        except OSError:
            pass  # the connection to the engine is gone, so there is no more output
        finally:
            os.close(self._writing)
