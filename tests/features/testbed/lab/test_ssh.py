# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import dataclasses
import socket
import subprocess
import sys
from types import SimpleNamespace

import paramiko
import pytest
from orchestrate_testbed.errors import HostKeyChanged, HostKeyUnknown, NoConnection, RemoteFailed
from orchestrate_testbed.host_keys import recorded_keys
from orchestrate_testbed.ssh import Host, Network, connect, together


def test_a_command_with_input_output_errors_and_exit_code(servers):
    gateway = servers.make()
    with Network(servers.known_hosts) as network:
        host = network.host(gateway.endpoint(servers.key))
        ran = host.script('cat; echo "$1 $2" >&2; exit 7', "a b", "$c", given=b"\x00\xff" * 50_000)
        assert (ran.code, ran.out, ran.said) == (7, b"\x00\xff" * 50_000, "a b $c")
        assert network.host(gateway.endpoint(servers.key)) is host, "one connection to a server"


def test_what_a_server_says_is_shown_without_its_control_characters(servers):
    gateway = servers.make()
    with Network(servers.known_hosts) as network:
        ran = network.host(gateway.endpoint(servers.key)).script("printf 'a\\033[2Jb' >&2")
    assert ran.said == "a\\x1b[2Jb"


def test_output_is_bounded_and_silence_ends(servers):
    gateway = servers.make()
    with Network(servers.known_hosts) as network:
        host = network.host(gateway.endpoint(servers.key))
        with pytest.raises(RemoteFailed, match="printed more than 1,000 bytes"):
            host.script("yes", most=1000)
        with pytest.raises(RemoteFailed, match="said nothing for 0.2 s"):
            host.run(["sleep", "60"], timeout_s=0.2)
        with pytest.raises(RemoteFailed, match="did not end within 1.5 s"):
            host.script("while echo; do sleep 0.1; done", timeout_s=0.5)


def test_much_on_standard_error_does_not_stop_a_command(servers):
    gateway = servers.make()
    with Network(servers.known_hosts) as network:
        ran = network.host(gateway.endpoint(servers.key)).script(
            "head -c 4000000 /dev/zero >&2; echo done", most=10_000
        )
    assert ran.out == b"done\n" and len(ran.err) == 10_000


def test_an_unknown_host_key_is_refused_before_any_login(servers):
    gateway = servers.make(known=False)
    with pytest.raises(HostKeyUnknown, match="nobody has recorded") as refused:
        connect(gateway.endpoint(servers.key), servers.known_hosts)
    assert f" {gateway.key.fingerprint}\n" in str(refused.value)
    assert gateway.commands == []


def test_a_changed_host_key_is_refused_with_both_fingerprints(servers):
    gateway = servers.make()
    old, gateway.key = gateway.key, paramiko.ECDSAKey.generate()
    with pytest.raises(HostKeyChanged) as refused:
        connect(gateway.endpoint(servers.key), servers.known_hosts)
    assert old.fingerprint in str(refused.value) and gateway.key.fingerprint in str(refused.value)


def test_a_user_who_is_not_let_in_and_a_missing_key(servers, tmp_path):
    gateway = servers.make()
    gateway.allowed = paramiko.ECDSAKey.generate()
    with pytest.raises(NoConnection, match="lab isn't let in"):
        connect(gateway.endpoint(servers.key), servers.known_hosts)
    with pytest.raises(NoConnection, match="none: No such file"):
        connect(gateway.endpoint(tmp_path / "none"), servers.known_hosts)
    with pytest.raises(NoConnection, match="it isn't a private key"):
        connect(gateway.endpoint(servers.known_hosts), servers.known_hosts)


def test_a_key_with_a_passphrase_says_to_use_the_agent(servers, tmp_path, monkeypatch):
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    gateway = servers.make()
    path = tmp_path / "locked"
    paramiko.ECDSAKey.generate().write_private_key_file(str(path), password="secret words")
    with pytest.raises(NoConnection, match="has a passphrase, .*\n.*ssh-add"):
        connect(gateway.endpoint(path), servers.known_hosts)


def test_nobody_at_the_address(servers):
    with socket.socket() as silent:  # it has the port, so that nobody else gets it, and doesn't listen
        silent.bind(("127.0.0.1", 0))
        gateway = dataclasses.replace(servers.make().endpoint(servers.key), port=silent.getsockname()[1])
        with pytest.raises(NoConnection, match="does not answer: Connection refused"):
            connect(gateway, servers.known_hosts)


def test_a_gateway_behind_a_jump_host(servers):
    gate, inner = servers.make("gate"), servers.make("G1")
    endpoint = inner.endpoint(servers.key, jump=gate.endpoint(servers.key))
    with Network(servers.known_hosts) as network:
        assert network.host(endpoint).run(["pwd"]).out.decode().strip() == str(inner.home)
        assert network.shown_key(endpoint).fingerprint == inner.key.fingerprint
    assert gate.commands == [], "the jump host forwards and runs nothing"


def test_a_jump_host_is_as_strictly_judged(servers):
    gate, inner = servers.make("gate", known=False), servers.make("G1")
    with Network(servers.known_hosts) as network, pytest.raises(HostKeyUnknown, match="^gate "):
        network.host(inner.endpoint(servers.key, jump=gate.endpoint(servers.key)))


def test_a_lost_connection_is_opened_again(servers):
    gateway = servers.make()
    with Network(servers.known_hosts) as network:
        first = network.host(gateway.endpoint(servers.key))
        first.close()
        with pytest.raises(NoConnection, match="connection was lost"):
            first.run(["true"])
        assert network.host(gateway.endpoint(servers.key)).run(["true"]).code == 0


@pytest.mark.parametrize("found", [[None], [True, None], [False]])
def test_a_client_that_is_closed_has_lost_its_connection(found):
    """Another thread may close it; `found`: what each question for its transport finds."""
    active = [None if one is None else SimpleNamespace(is_active=lambda one=one: one) for one in found]
    client = SimpleNamespace(get_transport=lambda: active.pop(0))
    if len(found) > 1:
        assert Host("G1", client).alive
    with pytest.raises(NoConnection, match="it was closed"):
        Host("G1", client).run(["true"])


def test_streams_of_a_command_that_goes_on(servers):
    gateway = servers.make()
    with Network(servers.known_hosts) as network:
        streams = network.host(gateway.endpoint(servers.key)).streams(["cat"])
        streams.stdin.write(b"one\n")
        streams.stdin.flush()
        assert streams.stdout.readline() == b"one\n"
        assert streams.wait(0) is None
        streams.close()


def test_recorded_keys_are_found_by_address_and_port(servers):
    gateway = servers.make()
    endpoint = gateway.endpoint(servers.key)
    assert recorded_keys(endpoint, servers.known_hosts) == {gateway.key.get_name(): gateway.key.fingerprint}
    assert recorded_keys(dataclasses.replace(endpoint, port=22), servers.known_hosts) == {}


def test_together_keeps_the_order_and_gives_errors_in_their_place():
    def work(item):
        if item == 2:
            raise NoConnection("two")
        return item * 10

    made = together([1, 2, 3], work)
    assert (made[0], str(made[1]), made[2]) == (10, "two", 30)


def test_hashed_names_are_recorded_too_and_the_first_key_of_a_type_counts(servers):
    gateway, other = servers.make(), servers.make("G2")
    endpoint = gateway.endpoint(servers.key)
    hashed = paramiko.HostKeys.hash_host(endpoint.address)
    kind = gateway.key.get_name()
    servers.known_hosts.write_text(
        f"# a comment\n\n{hashed} {kind} {gateway.key.get_base64()}\n"
        f"{endpoint.address} {kind} {other.key.get_base64()}\n{endpoint.address} {kind} x\n"
    )
    assert recorded_keys(endpoint, servers.known_hosts) == {kind: gateway.key.fingerprint}
    with Network(servers.known_hosts) as network:
        assert network.host(endpoint).run(["true"]).code == 0


def test_ssh_loads_nothing_that_only_ssh_config_files_need():
    loaded = "import sys, orchestrate_testbed.ssh; print('invoke' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert said.stdout == "False\n"
