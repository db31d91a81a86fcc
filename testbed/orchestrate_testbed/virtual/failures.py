# SPDX-License-Identifier: Apache-2.0
"""What can happen to a testbed, done to a virtual one, and undone."""

from __future__ import annotations

import resource
import signal

from orchestrate_testbed.errors import LabError
from orchestrate_testbed.virtual import clock, processes, server
from orchestrate_testbed.virtual.testbed import VirtualTestbed

ROOM = 4096  # bytes of a file on a full disk
_BLOCK = 512  # bytes, of the shell's ulimit


def stop_gateway(testbed: VirtualTestbed, name: str) -> None:
    """Its power fails: sshd and all else that it runs is killed. Its files stay."""
    if processes.kill(testbed.folder, testbed.server(name).name):
        raise LabError(f"processes of {name} can't be killed")


def start_gateway(testbed: VirtualTestbed, name: str) -> None:
    """It boots: sshd runs, and nothing else."""
    gateway = testbed.server(name)
    if not server.answers(gateway):
        server.start(gateway)


def cut_link(testbed: VirtualTestbed, name: str) -> None:
    """Nothing comes through between it and the controller, and nobody is told: sshd stands still."""
    processes.send(_sshds(testbed, name), signal.SIGSTOP)


def join_link(testbed: VirtualTestbed, name: str) -> None:
    """Packets come through again, those of connections that outlived it too."""
    processes.send(_sshds(testbed, name), signal.SIGCONT)


def drop_connections(testbed: VirtualTestbed, name: str) -> None:
    """Connections break off, as after a reset of a router; new ones are possible at once."""
    gateway = testbed.server(name)
    listening = [pid for pid in _sshds(testbed, name) if _parent_is_no_sshd(pid)]
    sessions = [pid for pid in _sshds(testbed, name) if pid not in listening]
    processes.send(sessions, signal.SIGKILL)
    start_gateway(testbed, gateway.name)


def fill_disk(testbed: VirtualTestbed, name: str, room: int = ROOM) -> None:
    """No file of the gateway can grow beyond `room` bytes: its processes' writes fail (EFBIG)."""
    gateway = testbed.server(name)
    gateway.file_limit.write_text(str(-(-room // _BLOCK)))
    _limit_files(testbed, name, room)


def free_disk(testbed: VirtualTestbed, name: str) -> None:
    """Files can grow again."""
    testbed.server(name).file_limit.unlink(missing_ok=True)
    _limit_files(testbed, name, resource.RLIM_INFINITY)


def set_clock(testbed: VirtualTestbed, name: str, jump_s: float, drift_ppm: float | None) -> None:
    """Its wall clock jumps, and its clocks run fast or slow from now on."""
    clock.write(testbed.server(name).clock, round(jump_s * 1e6), drift_ppm)


def _sshds(testbed: VirtualTestbed, name: str) -> list[int]:
    gateway = testbed.server(name)
    return [pid for pid in processes.of_part(testbed.folder, gateway.name) if _is_sshd(pid)]


def _is_sshd(pid: int) -> bool:
    try:
        return processes.is_sshd(pid)
    except OSError:  # it has ended
        return False


def _parent_is_no_sshd(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            parent = int(file.read().rpartition(")")[2].split()[1])
    except (OSError, IndexError):
        return False
    return not _is_sshd(parent)


def _limit_files(testbed: VirtualTestbed, name: str, room: int) -> None:
    for pid in processes.of_part(testbed.folder, testbed.server(name).name):
        if not _is_sshd(pid):
            try:
                _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (room, most))
            except ProcessLookupError:
                pass
