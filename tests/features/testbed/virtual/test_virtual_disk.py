# SPDX-License-Identifier: Apache-2.0
"""A virtual gateway's own disk, which is really full when it is broken."""

from __future__ import annotations

import errno
import os

import pytest
from orchestrate_testbed.virtual import disk, failures, testbed
from orchestrate_testbed.virtual.server import Server
from orchestrate_testbed.virtual.testbed import VirtualTestbed


@pytest.fixture
def gateway(tmp_path):
    """A gateway of which nothing runs; the fixture skips where nobody may mount."""
    folder = tmp_path / "lab.virtual"
    found = Server("G1", "127.0.0.1", 2200, folder / "servers" / "G1", folder)
    found.home.mkdir(parents=True)
    (folder / testbed.STATE).write_text('{"servers": []}')
    try:
        disk.mount(found.home, 4_000_000)
    except disk.NoDisk as why:
        pytest.skip(str(why).split("\n")[0])
    yield found
    if disk.is_mounted(found.home):
        disk.unmount(found.home)


def test_a_disk_is_full_until_it_is_mended_and_goes_with_the_testbed(gateway):
    made = VirtualTestbed(gateway.testbed, (gateway,))
    (gateway.home / "before").write_bytes(bytes(10_000))
    assert failures.fill_disk(made, "G1", 8192) is True
    with pytest.raises(OSError) as full:
        (gateway.home / "after").write_bytes(bytes(100_000))
    assert full.value.errno == errno.ENOSPC and (gateway.home / "after").stat().st_size <= 8192
    found = os.statvfs(gateway.home)
    assert found.f_bavail == 0, "and df shows it"
    failures.free_disk(made, "G1")
    (gateway.home / "after").write_bytes(bytes(100_000))
    assert (gateway.home / "before").read_bytes() == bytes(10_000)
    testbed.down(gateway.testbed)
    assert not gateway.testbed.exists() and not disk.is_mounted(gateway.home)


def test_who_may_not_mount_is_told_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(disk.NoDisk, match=r"can't be mounted.*\n    leave out --disk"):
        disk.mount(tmp_path, 1_000_000)
