# SPDX-License-Identifier: Apache-2.0
"""Starts and removes virtual testbeds: the folder with all that one has, and its processes."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from orchestrate_testbed.errors import LabError
from orchestrate_testbed.model import Lab
from orchestrate_testbed.virtual import disk, namespaces, processes, server
from orchestrate_testbed.virtual.server import NotStarted, Server

STATE = "virtual-testbed.json"  # a folder with this file may be removed
MOTES = "motes"  # the part that simulates all motes
KEY = "key"
LONGEST_SOCKET = 107  # bytes of a Unix socket's path
_ANSWER_S = 60.0  # seconds in which the mote host answers
_PER_NET = 250  # loopback addresses that differ in their last number


class NoTestbed(LabError):
    """Nothing was started in that folder."""


@dataclass(frozen=True)
class VirtualTestbed:
    """A virtual testbed that was started in a folder."""

    folder: Path
    servers: tuple[Server, ...]

    @property
    def mote_host(self) -> Path:
        """The socket at which the motes' process takes requests."""
        return self.folder / MOTES / "socket"

    @property
    def known_hosts(self) -> Path:
        """The file with the keys of all servers."""
        return self.folder / "known_hosts"

    @property
    def key(self) -> Path:
        """The private key for all servers."""
        return self.folder / KEY

    def server(self, name: str) -> Server:
        """Return the server of that name. Raises LabError."""
        for each in self.servers:
            if each.name == name:
                return each
        raise LabError(f"no gateway {name!r}\n    there are {', '.join(each.name for each in self.servers)}")

    def ask(self, **request: object) -> dict:
        """Ask the process of the motes. Raises LabError."""
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(_ANSWER_S)
                connection.connect(os.fspath(self.mote_host))
                connection.sendall(json.dumps(request).encode() + b"\n")
                answer = json.loads(connection.makefile("rb").readline())
        except (OSError, ValueError) as error:
            raise LabError(
                f"the process of the virtual motes does not answer ({error})"
                f"\n    see {self.folder / MOTES / 'errors'}; start again: orchestrate testbed up"
            ) from None
        if "error" in answer:
            raise LabError(str(answer["error"]))
        return answer


def up(
    lab: Lab,
    folder: Path,
    mote_host: Callable[[VirtualTestbed], list[str]],
    zipapp: Path,
    disk_size: int | None = None,
    own_networks: bool = False,
) -> VirtualTestbed:
    """Start servers and motes; what an earlier one left in the folder goes first.

    `mote_host`: the command of the process of the motes, which is to listen at the testbed's socket.
    `disk_size`: each server's home is a file system of so many bytes; None: a folder. `own_networks`: each
    has a network namespace; else loopback addresses.
    """
    server.sshd()
    if len(os.fsencode(VirtualTestbed(folder, ()).mote_host)) > LONGEST_SOCKET:
        raise NotStarted(
            f"the path {folder} is too long for a socket in it"
            "\n    put the inventory into a folder with a shorter one"
        )
    if folder.exists():
        down(folder)
    folder.mkdir(parents=True)
    names = [each.name for each in lab.endpoints()]
    made = VirtualTestbed(folder, _servers(folder, names, own_networks))
    servers = made.servers
    _write(made)
    try:
        if own_networks:
            namespaces.make(folder, len(names))
        server.make_key(made.key, "virtual testbed")
        authorized = made.key.with_suffix(".pub").read_text()
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda each: server.prepare(each, authorized, made.mote_host, zipapp), servers))
            for each in servers if disk_size is not None else ():
                disk.mount(each.home, disk_size)
            made.known_hosts.write_text("".join(f"{each.known_as()}\n" for each in servers))
            _start_motes(made, mote_host(made))
            list(pool.map(server.start, servers))
    except BaseException:
        down(folder)
        raise
    return made


def _servers(folder: Path, names: list[str], own_networks: bool) -> tuple[Server, ...]:
    if own_networks:
        ports = [server.FIRST_PORT] * len(names)
        addresses, own = namespaces.addresses(folder, len(names)), namespaces.names(folder, len(names))
    else:
        addresses, own = _addresses(folder, len(names)), [""] * len(names)
        ports = [server.free_port(address) for address in addresses]
    return tuple(map(partial(_server, folder), names, addresses, ports, own))


def _server(folder: Path, name: str, address: str, port: int, namespace: str = "") -> Server:
    return Server(name, address, port, folder / "servers" / name, folder, namespace)


def _addresses(folder: Path, count: int) -> list[str]:
    """Return loopback addresses that other testbeds of this machine are unlikely to have."""
    digest = hashlib.sha256(os.fsencode(folder)).digest()
    second, third = 16 + digest[0] % 200, digest[1] % 128
    return [f"127.{second}.{third + at // _PER_NET}.{at % _PER_NET + 1}" for at in range(count)]


def _start_motes(made: VirtualTestbed, command: list[str]) -> None:
    folder = made.folder / MOTES
    folder.mkdir(exist_ok=True)

    def answers() -> bool:
        try:
            made.ask(status=True)
        except LabError:
            return False
        return True

    environment, log = processes.mark(made.folder, MOTES), folder / "errors"
    with log.open("wb") as errors:
        server.run(command, environment, errors, log, answers, "the process of the motes doesn't start")


def _write(made: VirtualTestbed) -> None:
    servers = [
        {"name": each.name, "address": each.address, "port": each.port, "namespace": each.namespace}
        for each in made.servers
    ]
    (made.folder / STATE).write_text(json.dumps({"servers": servers}, indent=1))


def find(folder: Path) -> VirtualTestbed:
    """Return the testbed that was started in the folder. Raises NoTestbed."""
    try:
        state = json.loads((folder / STATE).read_text())
    except (OSError, ValueError):
        raise NoTestbed(
            f"no virtual testbed in {folder}\n    start it with `orchestrate testbed up --virtual`"
        ) from None
    return VirtualTestbed(folder, tuple(_server(folder, **each) for each in state["servers"]))


def down(folder: Path) -> None:
    """Kill every process of the testbed, and remove its folder. Raises LabError."""
    if not (folder / STATE).exists():
        if any(folder.iterdir()):
            raise LabError(f"{folder} is no folder of a virtual testbed\n    remove it, or name another one")
    left = processes.kill(folder)
    if left:
        raise LabError(f"processes of the virtual testbed can't be killed: {left}")
    for home in folder.glob("servers/*/home"):
        if disk.is_mounted(home):
            disk.unmount(home)
    if (folder / STATE).exists() and any(each.namespace for each in find(folder).servers):
        namespaces.remove(folder)
    shutil.rmtree(folder)
