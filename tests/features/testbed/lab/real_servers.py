# SPDX-License-Identifier: Apache-2.0
"""Real sshd servers under the interface of `ssh_servers.Server`: OpenSSH's own behaviour when it is cut or
killed."""

from __future__ import annotations

import getpass
import os
from pathlib import Path
from types import SimpleNamespace

import paramiko
from orchestrate_testbed import zipapp
from orchestrate_testbed.model import Endpoint
from orchestrate_testbed.virtual import failures, processes
from orchestrate_testbed.virtual import server as virtual

NAMES = ("G1", "G2", "G3")


class RealServer:
    """One sshd on a loopback address of this process's own, below `folder`."""

    def __init__(self, folder: Path, allowed: paramiko.PKey, name: str):
        self.name, self.user = name, getpass.getuser()
        pid = os.getpid()
        address = f"127.{20 + pid // 62500 % 200}.{pid // 250 % 250}.{pid % 250 + 1}"
        place = folder / "servers" / name
        self._server = virtual.Server(name, address, 2200 + NAMES.index(name), place, folder)
        authorized = f"{allowed.get_name()} {allowed.get_base64()}\n"
        virtual.prepare(self._server, authorized, folder / "no-motes", zipapp.packed())
        self.home, self.port, self.host = self._server.home, self._server.port, address
        # what virtual.failures asks of a testbed
        self._testbed = SimpleNamespace(folder=folder, server=lambda _: self._server)
        virtual.start(self._server)

    def endpoint(self, key: Path, jump: Endpoint | None = None) -> Endpoint:
        return Endpoint(self.name, self.host, self.port, self.user, key, jump)

    def known(self) -> str:
        return f"{self._server.known_as()}\n"

    def cut(self, refused: int = 0) -> None:
        """Break all connections off. `refused`: none is; sshd takes the next one."""
        failures.drop_connections(self._testbed, self.name)

    def falls_silent(self, silent: bool = True) -> None:
        """Have no power, until it is mended."""
        if silent:
            failures.stop_gateway(self._testbed, self.name)
        else:
            failures.start_gateway(self._testbed, self.name)

    def power_fails(self) -> None:
        """End all that runs there, and boot it."""
        failures.stop_gateway(self._testbed, self.name)
        failures.start_gateway(self._testbed, self.name)

    def close(self) -> None:
        assert not processes.kill(self._testbed.folder), "processes of a server withstand"
