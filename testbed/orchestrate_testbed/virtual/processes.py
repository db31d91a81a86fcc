# SPDX-License-Identifier: Apache-2.0
"""Finds the processes of a virtual testbed by a mark in their environment, which their children inherit.

So no process is missed that a gateway's software started, even if it is detached, and even after the
testbed's starter has crashed. Only sshd overwrites its environment; it is known by its log, which it has
open.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

MARK = "ORCHESTRATE_VIRTUAL"
SSHD = "sshd"  # newer versions have sshd-session beside it
_KILL_S = 60.0  # in which killed processes have to be gone: on a busy machine they take their time
_PAUSE_S = 0.02


def mark(folder: Path, part: str) -> dict[str, str]:
    """Return the environment that marks a process as this part's (a server's name, or "motes")."""
    return {MARK: f"{part}:{folder}"}


def of_part(folder: Path, part: str | None = None) -> list[int]:
    """Return the processes of a part of the testbed, or of all of it, and their descendants."""
    logs = log_of(folder, part or "")
    parents: dict[int, int] = {}
    found: set[int] = set()
    for pid in _all():
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            if fields[0] == "Z":
                continue
            parents[pid] = int(fields[1])
        with contextlib.suppress(OSError):
            if is_sshd(pid) and any(str(each).startswith(logs) for each in _files(pid)):
                found.add(pid)
        with contextlib.suppress(OSError):
            variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            if any(_is_mark(each, folder, part) for each in variables):
                found.add(pid)
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return sorted(found - {os.getpid()})


def log_of(folder: Path, server: str) -> str:
    """Return the path of a server's log; without a server, what the logs of all begin with."""
    return f"{folder / 'servers'}/{server}/sshd.log" if server else f"{folder / 'servers'}/"


def _is_mark(variable: bytes, folder: Path, part: str | None) -> bool:
    name, _, value = os.fsdecode(variable).partition("=")
    of, _, where = value.partition(":")
    return name == MARK and where == str(folder) and part in (None, of)


def is_sshd(pid: int) -> bool:
    """Return whether a process runs that program; one that has ended doesn't."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().startswith(SSHD)
    return False


def _files(pid: int) -> list[str]:
    return [os.readlink(each.path) for each in os.scandir(f"/proc/{pid}/fd")]


def send(pids: list[int], number: signal.Signals) -> None:
    """Send a signal to those processes that still exist."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def kill(folder: Path, part: str | None = None) -> list[int]:
    """Kill the processes of a part, or of all; return those that withstood."""
    until = time.monotonic() + _KILL_S
    # Again and again, because a process may start another one before it is killed.
    while (left := of_part(folder, part)) and time.monotonic() < until:
        send(left, signal.SIGKILL)
        time.sleep(_PAUSE_S)
    return left


def _all() -> list[int]:
    return [int(each) for each in os.listdir("/proc") if each.isdigit()]
