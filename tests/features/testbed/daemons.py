# SPDX-License-Identifier: Apache-2.0
"""Gateway daemons of this machine, and motes that are pseudo-terminals: no SSH, no hardware."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys
import tty
from pathlib import Path
from typing import BinaryIO

from orchestrate_testbed.client import Daemon

from tests.waiting import wait_until


class Mote:
    """A pseudo-terminal; its device is a link, as in /dev/serial/by-id."""

    def __init__(self, link: Path):
        self.link = link
        link.parent.mkdir(parents=True, exist_ok=True)
        self.plug()

    def plug(self) -> None:
        self.master, slave = os.openpty()
        tty.setraw(slave)
        self.link.unlink(missing_ok=True)
        self.link.symlink_to(os.ttyname(slave))
        # The terminal stays alive without a reader, and this process is none.
        self._slave = os.open(os.ttyname(slave), os.O_WRONLY | os.O_NOCTTY)
        os.close(slave)

    def say(self, content: bytes) -> None:
        while content:
            content = content[os.write(self.master, content) :]

    def unplug(self) -> None:
        self.link.unlink(missing_ok=True)
        os.close(self._slave)
        os.close(self.master)


class Gateway:
    """A folder with a daemon."""

    def __init__(self, root: Path, pyz: Path, python: str = sys.executable, environment: dict | None = None):
        self.root = root
        self.command = [python, str(pyz)]
        self.environment = {**os.environ, **(environment or {})}
        self._bridges: list[subprocess.Popen] = []
        self._streams: list[BinaryIO] = []

    def start(self, *options: str, **how) -> subprocess.CompletedProcess:
        if "--patience" not in options:
            options += ("--patience", "3600")  # it ends even where the tests are killed
        return subprocess.run(
            [*self.command, "start", *options, str(self.root)],
            env=self.environment,
            capture_output=True,
            text=True,
            check=True,
            **how,
        )

    def ask(self) -> Daemon:
        """Straight to its socket: a bridge costs the start of a Python."""
        folder = os.open(self.root, os.O_PATH)
        with socket.socket(socket.AF_UNIX) as connection:
            wait_until(lambda: not connection.connect_ex(f"/proc/self/fd/{folder}/control"))
            os.close(folder)
            streams = connection.makefile("rb"), connection.makefile("wb")
        self._streams += streams
        return Daemon(*streams, "G1")

    def bridge(self) -> Daemon:
        """As over SSH."""
        bridge = subprocess.Popen(
            [*self.command, "ask", str(self.root)],
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._bridges.append(bridge)
        self._streams += [bridge.stdin, bridge.stdout]
        return Daemon(bridge.stdout, bridge.stdin, "G1")

    @property
    def runs(self) -> bool:
        """A daemon holds its lock as long as it lives."""
        with open(self.root / "daemon.lock", "a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    @property
    def pid(self) -> int:
        return int((self.root / "daemon.lock").read_text())

    def kill(self) -> None:
        """As by the kernel: without a word."""
        pid = self.pid
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: has_ended(pid))

    def hang_up(self) -> None:
        """The controller disappears."""
        for each in self._bridges:
            each.kill()
            each.wait()
        for stream in self._streams:
            try:
                stream.close()
            except OSError:
                pass  # what was to be sent to a daemon that is gone
        self._bridges.clear()
        self._streams.clear()

    def stop(self, *options: str) -> None:
        subprocess.run([*self.command, "stop", *options, str(self.root)], check=True)

    def end(self) -> None:
        self.hang_up()
        if self.root.exists():
            if self.runs:
                self.kill()
            shutil.rmtree(self.root)


def has_ended(pid: int) -> bool:
    """Whether a process holds nothing any more: while its files are closed, /proc shows none of them, and
    other processes still find them locked.
    """
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def fetched(daemon: Daemon, run: str, mote: str, segment: int = 1) -> bytes:
    """All of a segment."""
    content = b""
    while part := daemon.fetch(run, mote, segment, len(content)):
        content += part
    return content
