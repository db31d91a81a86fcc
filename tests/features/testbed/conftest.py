# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from orchestrate_testbed import zipapp

from tests.features.testbed.daemons import Gateway, Mote


@pytest.fixture(autouse=True)
def copies_of_logs(tmp_path, monkeypatch):
    """Copies of logs that a run leaves, as a gateway was silent, are no later test's."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture(scope="session")
def pyz(tmp_path_factory):
    return zipapp.packed(tmp_path_factory.mktemp("zipapp"))


@pytest.fixture(scope="module")
def lasting(tmp_path_factory, pyz):
    found = Gateway(tmp_path_factory.mktemp("gateway") / "root", pyz)
    found.start()
    yield found
    found.end()


@pytest.fixture
def gateway(lasting):
    """A daemon of this machine that runs and has no run. The tests of a module follow each other on it."""
    yield lasting
    daemon = lasting.ask()
    for run in daemon.status()["runs"]:
        daemon.remove(run)
    lasting.hang_up()


@pytest.fixture
def own(tmp_path, pyz):
    """A daemon for a test that kills or stops it."""
    found = Gateway(tmp_path / "own", pyz)
    found.start()
    yield found
    found.end()


@pytest.fixture
def plugged(tmp_path):
    """Makes motes by name. No name is left, by which a daemon would open a terminal of a later test."""
    motes: list[Mote] = []

    def make(name: str) -> Mote:
        motes.append(Mote(tmp_path / "dev" / "serial" / "by-id" / name))
        return motes[-1]

    yield make
    for mote in motes:
        mote.link.unlink(missing_ok=True)
