# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.testbed.lab.ssh_servers import Server, keypair


@pytest.fixture
def servers(tmp_path):
    """Makes SSH servers by name; `known_hosts` has the keys of those that were made with known=True."""
    path, key = keypair(tmp_path)
    known_hosts = tmp_path / "known_hosts"
    made: list[Server] = []

    def make(name: str = "G1", known: bool = True) -> Server:
        server = Server(tmp_path / "home" / name, key, name)
        made.append(server)
        if known:
            with known_hosts.open("a") as file:
                file.write(server.known())
        return server

    yield SimpleNamespace(make=make, key=path, known_hosts=known_hosts)
    for server in made:
        server.close()
