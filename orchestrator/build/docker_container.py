# SPDX-License-Identifier: Apache-2.0
"""Runs one command in a container, on a read-only system with limits and without network and privileges.

It runs as the caller's user.

It sees the folders that it is given, and nothing else of the machine.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.build import docker_errors
from orchestrator.build.docker_engine import Engine, Image

TMP = "/tmp"  # of the container: memory, not a disk
_KILLED = 137  # 128 + SIGKILL
_OUT_OF_TIME = 124  # of timeout(1)
_MARGIN_S = 10.0  # timeout(1) inside goes first; it also ends a container whose owner was killed


@dataclass(frozen=True)
class Limits:
    """`memory` and `tmp` in bytes (swap and tmp included in memory), wall-clock `seconds`."""

    memory: int = 2 << 30
    processes: int = 512
    tmp: int = 512 << 20
    seconds: float = 900.0


@dataclass(frozen=True)
class Ended:
    """How it ended: exit code (128 + N for signal N), all that it printed, and which limit it met, if any."""

    code: int
    output: str
    out_of_memory: bool = False
    out_of_time: bool = False


@dataclass(frozen=True)
class Command:
    """The command of a container: its words, in this folder of the container.

    `mounts`: folder of this machine -> (place in the container, whether read-only).
    """

    words: Sequence[str]
    folder: str
    mounts: Mapping[Path, tuple[str, bool]] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)


def settings(engine: Engine, image: Image, command: Command, limits: Limits) -> dict:
    """Return the arguments of docker-py's create()."""
    from docker.types import LogConfig, Mount

    return {
        "image": image.id,
        # The image's own entry point would change users, which needs privileges.
        "entrypoint": ["timeout", "-k", "5", f"{limits.seconds:.3f}"],
        "command": list(command.words),
        "working_dir": command.folder,
        "environment": {"HOME": TMP, "TMPDIR": TMP, **command.environment},
        "user": engine.user,
        "userns_mode": engine.userns,
        "mounts": [
            Mount(place, str(source), type="bind", read_only=sealed)
            for source, (place, sealed) in command.mounts.items()
        ],
        "tmpfs": {TMP: f"rw,nosuid,nodev,exec,mode=1777,size={limits.tmp}"},
        "read_only": True,
        "network_mode": "none",
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "mem_limit": limits.memory,
        "memswap_limit": limits.memory,
        "pids_limit": limits.processes,
        # Its output is read as it comes, so the engine's disk needs no copy.
        "log_config": LogConfig(type="none"),
        "labels": engine.label(),
        "detach": True,
        "stdin_open": False,
        "tty": False,
    }


class Container:
    """A started command. `kill` may be called from another thread; `wait` once."""

    def __init__(self, engine: Engine, what: str, given: dict, limits: Limits):
        """Start the container. Raises MissingTool, StorageFailed or BuildFailed if it can't be started."""
        from docker import errors

        self._limits = limits
        self._lock = threading.Lock()
        self._ended = self._late = False
        self._started = time.monotonic()
        self._process: int | None = None
        engine.sweep()
        try:
            self._container = engine.client.containers.create(**given)
        except errors.APIError as error:
            raise docker_errors.no_container(error, what, engine.folder) from None
        try:
            self.chunks = self._container.attach(stream=True, stdout=True, stderr=True, logs=False)
            self._container.start()
        except errors.APIError as error:
            self._remove()
            raise docker_errors.no_container(error, what, engine.folder) from None
        except BaseException:
            self._remove()
            raise
        self._timer = threading.Timer(limits.seconds + _MARGIN_S, self._stop_late)
        self._timer.daemon = True
        self._timer.start()

    def wait(self) -> tuple[int, bool, bool]:
        """After its output has ended: exit code, whether it was out of memory, out of time. Removes it."""
        try:
            code = int(self._container.wait(timeout=None)["StatusCode"])
            self._container.reload()
            out_of_memory = bool(self._container.attrs["State"].get("OOMKilled")) and code != 0
            killed_late = (
                code == _KILLED
                and not out_of_memory
                and time.monotonic() - self._started >= self._limits.seconds
            )
            return code, out_of_memory, self._late or killed_late or code == _OUT_OF_TIME
        finally:
            self._remove()

    def process(self) -> int:
        """Return this machine's number of its first process; 0 if the engine is elsewhere or it has ended."""
        from docker import errors

        if self._process is None:
            try:
                self._container.reload()
                self._process = int(self._container.attrs["State"].get("Pid") or 0)
            except errors.APIError:
                return 0
        return self._process

    def kill(self) -> None:
        from docker import errors

        with self._lock:
            if self._ended:
                return
            try:
                self._container.kill()
            except errors.APIError:
                pass  # it has ended

    def _stop_late(self) -> None:
        self._late = True
        self.kill()

    def _remove(self) -> None:
        from docker import errors

        with self._lock:
            self._ended = True
            if getattr(self, "_timer", None) is not None:
                self._timer.cancel()
            try:
                self._container.remove(force=True, v=True)
            except errors.APIError:
                pass  # the engine is gone, or another process was faster


def run(
    engine: Engine,
    image: Image,
    command: Command,
    *,
    what: str,
    limits: Limits | None = None,
    show: Callable[[str], None] = lambda _: None,
) -> Ended:
    """Run a container to its end; `show` gets each line as it is printed.

    Ctrl-C ends it. Raises what Container raises.
    """
    limits = limits or Limits()
    running = Container(engine, what, settings(engine, image, command, limits), limits)
    chunks: list[bytes] = []
    try:
        for line in lines(running.chunks):
            chunks.append(line)
            show(line.decode(errors="replace"))
    except BaseException:
        threading.Thread(target=running.kill, daemon=True).start()
        for _ in running.chunks:  # it does not end before all that it printed was taken
            pass
        running.wait()
        raise
    code, out_of_memory, out_of_time = running.wait()
    return Ended(code, b"\n".join(chunks).decode(errors="replace"), out_of_memory, out_of_time)


def lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Whole lines, without their ends, of pieces of text."""
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        yield from (line.rstrip(b"\r") for line in whole)
    if rest:
        yield rest.rstrip(b"\r")
