# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from orchestrate_testbed.errors import Lied, NoConnection, RemoteFailed
from orchestrate_testbed.ssh import Network
from orchestrate_testbed.transfer import _kept, blob, deliver, look

ROOT = ".orchestrate-testbed"


@pytest.fixture
def at(servers):
    """One gateway's server, and a function that gives the connection to it."""
    server = servers.make()
    with Network(servers.known_hosts) as network:
        endpoint = server.endpoint(servers.key)
        yield server, lambda: network.host(endpoint)


@pytest.fixture
def files(tmp_path):
    def write(name: str, content: bytes):
        path = tmp_path / name
        path.write_bytes(content)
        return blob(path)

    return write


def test_a_file_is_sent_once(at, files):
    server, host = at
    firmware, image = files("a.cooja", bytes(range(256)) * 400), files("image", b"")
    done = deliver(host(), ROOT, [firmware, image])
    assert done.sent == firmware.size + 1
    assert (server.home / ROOT / "store" / firmware.name).read_bytes() == firmware.path.read_bytes()
    assert (server.home / ROOT).stat().st_mode & 0o077 == 0
    before, commands = server.received, len(server.commands)
    again = deliver(host(), ROOT, [firmware, image])
    assert (again.sent, server.received, len(server.commands)) == (0, before, commands + 1), "one round trip"


def test_a_transfer_that_was_cut_goes_on(at, files):
    server, host = at
    firmware = files("a.cooja", bytes(range(256)) * 12_000)
    server.cut_after = 1_000_000
    with pytest.raises(NoConnection):
        deliver(host(), ROOT, [firmware])
    part = server.home / ROOT / "store" / f"{firmware.name}.part"
    arrived = part.stat().st_size
    assert 0 < arrived < firmware.size
    assert deliver(host(), ROOT, [firmware]).sent <= firmware.size - arrived
    assert (server.home / ROOT / "store" / firmware.name).read_bytes() == firmware.path.read_bytes()


def test_a_part_that_is_damaged_is_sent_again(at, files):
    server, host = at
    firmware = files("a.cooja", b"good" * 1000)
    store = server.home / ROOT / "store"
    store.mkdir(parents=True)
    (store / f"{firmware.name}.part").write_bytes(b"bad!" * 10)
    assert deliver(host(), ROOT, [firmware]).sent == firmware.size
    (store / firmware.name).write_bytes(b"bad!" * 1000)
    assert deliver(host(), ROOT, [firmware]).sent == firmware.size
    assert (store / firmware.name).read_bytes() == b"good" * 1000


def test_a_gateway_that_lies_about_checksums_is_found_out(at, files):
    server, host = at
    firmware = files("a.cooja", b"good" * 1000)
    lying = server.home / "bin"
    lying.mkdir()
    # It says of every file what the sender wants to hear: the checksum of the content, which it was told.
    (lying / "sha256sum").write_text(f"#!/bin/sh\ncat >/dev/null\necho '{firmware.sha256}  -'\n")
    (lying / "sha256sum").chmod(0o755)
    server.path = str(lying)
    with pytest.raises(Lied, match="^G1: it says that it has a.cooja"):
        deliver(host(), ROOT, [firmware])
    assert not (server.home / ROOT / "store" / firmware.name).exists()


def test_our_folder_is_no_link(at, files, tmp_path):
    server, host = at
    (tmp_path / "elsewhere").mkdir()
    (server.home / ROOT).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RemoteFailed, match="symbolic link"):
        deliver(host(), ROOT, [files("a", b"x")])
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_disk_that_takes_nothing(at, files):
    server, host = at
    (server.home / ROOT).write_text("a file in the folder's place")
    with pytest.raises(RemoteFailed, match="can't be used"):
        deliver(host(), ROOT, [files("a", b"x")])


def test_what_a_gateway_keeps_may_be_anything():
    said = (
        b"home relative\nclock x\nreserved {\nflashed M1 [1]\n"
        b'failed M1 {"why": "\\u001b[2J", "x": [1]}\n'
        b"part a b c\nhave\n\xff\xfe\n"
    )
    kept = _kept(said)
    assert (kept.home, kept.clock_s, kept.reserved, kept.flashed) == ("", 0, {}, {"M1": {}})
    assert kept.failed == {"M1": {"why": "\\x1b[2J"}}
    assert kept.part == {"a": (0, "c")}


def test_look_alone_moves_nothing(at):
    server, host = at
    kept = look(host(), ROOT)
    assert kept.home == str(server.home) and kept.clock_s > 0 and kept.reserved is None
    assert server.received == 0
