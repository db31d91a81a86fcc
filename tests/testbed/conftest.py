# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from orchestrate_testbed import zipapp

from tests.testbed.daemons import Gateway, Mote


@pytest.fixture(scope="session")
def pyz(tmp_path_factory):
    return zipapp.packed(tmp_path_factory.mktemp("zipapp"))


@pytest.fixture
def gateway(tmp_path, pyz):
    """A daemon of this machine that runs."""
    found = Gateway(tmp_path / "root", pyz)
    found.start()
    yield found
    found.end()


@pytest.fixture
def plugged(tmp_path):
    """Makes motes by name."""
    motes: list[Mote] = []

    def make(name: str) -> Mote:
        motes.append(Mote(tmp_path / "dev" / "serial" / "by-id" / name))
        return motes[-1]

    return make
