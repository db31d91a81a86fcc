# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from types import SimpleNamespace

import pytest
from orchestrate_testbed.virtual.server import NotStarted, sshd

from tests.features.testbed.lab.beds import bed, two_gateways  # noqa: F401 - fixtures
from tests.features.testbed.lab.real_servers import RealServer
from tests.features.testbed.lab.ssh_servers import Server, keypair


@pytest.fixture
def servers(tmp_path):
    """Makes SSH servers by name; `known_hosts` has the keys of those that were made with known=True."""
    yield from _servers(tmp_path, lambda key, name: Server(tmp_path / "home" / name, key, name))


@pytest.fixture
def real_servers(tmp_path):
    """The same with OpenSSH's sshd."""
    try:
        sshd()
    except NotStarted as error:
        pytest.skip(str(error))
    yield from _servers(tmp_path, lambda key, name: RealServer(tmp_path, key, name))


def _servers(tmp_path, started):
    path, key = keypair(tmp_path)
    known_hosts = tmp_path / "known_hosts"
    made: list[Server | RealServer] = []

    def make(name: str = "G1", known: bool = True) -> Server | RealServer:
        server = started(key, name)
        made.append(server)
        if known:
            with known_hosts.open("a") as file:
                file.write(server.known())
        return server

    yield SimpleNamespace(make=make, key=path, known_hosts=known_hosts)
    for server in made:
        server.close()
