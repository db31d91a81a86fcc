# SPDX-License-Identifier: Apache-2.0
"""Makes a virtual testbed fail in the ways in which a real one can, and mends it."""

from __future__ import annotations

import resource
import signal

from orchestrate_testbed.errors import LabError
from orchestrate_testbed.virtual import clock, disk, namespaces, processes, server
from orchestrate_testbed.virtual.testbed import VirtualTestbed

ROOM = 4096  # bytes of a file on a full disk
_BLOCK = 512  # bytes, of the shell's ulimit


def stop_gateway(testbed: VirtualTestbed, name: str) -> None:
    """Cut a gateway's power: sshd and all else that it runs is killed. Its files stay."""
    if processes.kill(testbed.folder, testbed.server(name).name):
        raise LabError(f"processes of {name} can't be killed")


def start_gateway(testbed: VirtualTestbed, name: str) -> None:
    """Boot a gateway: sshd runs, and nothing else."""
    if not _listening(testbed, name):  # a server that is slow to answer runs, too
        server.start(testbed.server(name))


def cut_link(testbed: VirtualTestbed, name: str) -> None:
    """Cut a gateway off from the controller without closing connections: sshd is stopped."""
    processes.send(_sshds(testbed, name), signal.SIGSTOP)


def join_link(testbed: VirtualTestbed, name: str) -> None:
    """Let packets through again, also those of connections that survived."""
    processes.send(_sshds(testbed, name), signal.SIGCONT)


def cut_between(testbed: VirtualTestbed, one: str, other: str) -> None:
    """Cut two gateways off from each other, but not from the controller; connections hang."""
    namespaces.cut(*_ends(testbed, one, other))


def join_between(testbed: VirtualTestbed, one: str, other: str) -> None:
    """Let packets between two gateways through again."""
    namespaces.join(*_ends(testbed, one, other))


def _ends(testbed: VirtualTestbed, one: str, other: str) -> tuple[str, str, str, str]:
    first, second = testbed.server(one), testbed.server(other)
    if first is second:
        raise LabError(f"{one} has no link to itself\n    name another gateway by --to")
    if not (first.namespace and second.namespace):
        raise LabError(
            "the gateways of this testbed share the network of this machine: no link between two can be cut"
            "\n    start it with `orchestrate testbed up --virtual --namespaces`"
        )
    return first.namespace, first.address, second.namespace, second.address


def drop_connections(testbed: VirtualTestbed, name: str) -> None:
    """Break off connections, as after a reset of a router; new ones are possible at once."""
    listening = _listening(testbed, name)
    sessions = [pid for pid in _sshds(testbed, name) if pid not in listening]
    processes.send(sessions, signal.SIGKILL)
    start_gateway(testbed, name)


def fill_disk(testbed: VirtualTestbed, name: str, room: int = ROOM) -> bool:
    """Fill the gateway's disk up to `room` bytes, so that writes fail with ENOSPC.

    Without a disk of its own, none of its files can grow beyond so many bytes: its processes' writes fail
    with EFBIG. Return whether it has one.
    """
    gateway = testbed.server(name)
    if disk.is_mounted(gateway.home):
        disk.fill(gateway.home, room)
        return True
    gateway.file_limit.write_text(str(-(-room // _BLOCK)))
    _limit_files(testbed, name, room)
    return False


def free_disk(testbed: VirtualTestbed, name: str) -> None:
    """Let files grow again."""
    if disk.is_mounted(testbed.server(name).home):
        disk.free(testbed.server(name).home)
        return
    testbed.server(name).file_limit.unlink(missing_ok=True)
    _limit_files(testbed, name, resource.RLIM_INFINITY)


def set_clock(testbed: VirtualTestbed, name: str, jump_s: float, drift_ppm: float | None) -> None:
    """Let a gateway's wall clock jump, and its clocks run fast or slow from now on."""
    clock.write(testbed.server(name).clock, round(jump_s * 1e6), drift_ppm)


def _sshds(testbed: VirtualTestbed, name: str) -> list[int]:
    gateway = testbed.server(name)
    return [pid for pid in processes.of_part(testbed.folder, gateway.name) if processes.is_sshd(pid)]


def _listening(testbed: VirtualTestbed, name: str) -> list[int]:
    return [pid for pid in _sshds(testbed, name) if _parent_is_no_sshd(pid)]


def _parent_is_no_sshd(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            parent = int(file.read().rpartition(")")[2].split()[1])
    except (OSError, IndexError):
        return False
    return not processes.is_sshd(parent)


def _limit_files(testbed: VirtualTestbed, name: str, room: int) -> None:
    for pid in processes.of_part(testbed.folder, testbed.server(name).name):
        if not processes.is_sshd(pid):
            try:
                _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (room, most))
            except ProcessLookupError:
                pass
