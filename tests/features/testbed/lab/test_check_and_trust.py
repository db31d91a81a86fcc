# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os

import paramiko
import pytest

from orchestrator.cli import app

LAB = """\
lab: tiny
known-hosts: {hosts}
defaults:
  gateway: {{user: lab, key: {key}}}
  mote: {{platform: sky}}
gateways:
  G1: {{host: 127.0.0.1, port: {port}}}
motes:
  M1: {{gateway: G1, eui64: 0012740000000001, device: dev/mote-1}}
  M2: {{gateway: G1, eui64: 0012740000000002, device: dev/mote-2}}
"""


@pytest.fixture
def lab(servers, tmp_path):
    """A lab with one gateway, whose key nobody has recorded, with one of two motes plugged in."""
    gateway = servers.make(known=False)
    (gateway.home / "dev").mkdir()
    motherside, moteside = os.openpty()
    (gateway.home / "dev" / "mote-1").symlink_to(os.ttyname(moteside))
    path = tmp_path / "lab.yaml"
    path.write_text(LAB.format(hosts=servers.known_hosts, key=servers.key, port=gateway.port))
    yield path, gateway
    os.close(motherside)
    os.close(moteside)


def test_trust_shows_then_records_then_refuses_another_key(lab, capsys, servers):
    path, gateway = lab
    assert app.main(["testbed", "trust", str(path)]) == 7
    out, err = capsys.readouterr()
    assert gateway.key.fingerprint in out and "new" in out and "--record" in err
    assert not servers.known_hosts.exists(), "nothing is recorded that nobody asked for"
    assert app.main(["testbed", "check", str(path)]) == 7, "and so nothing is asked"
    assert gateway.commands == []
    capsys.readouterr()

    assert app.main(["testbed", "trust", str(path), "--record"]) == 0
    assert app.main(["testbed", "trust", str(path)]) == 0
    capsys.readouterr()

    old, gateway.key = gateway.key, paramiko.ECDSAKey.generate()
    assert app.main(["testbed", "trust", str(path), "--record"]) == 7, "--record replaces nothing"
    out, err = capsys.readouterr()
    assert "changed" in out and old.fingerprint in out and "--replace G1" in err
    assert app.main(["testbed", "trust", str(path), "--replace", "G2"]) == 2
    assert app.main(["testbed", "trust", str(path), "--replace", "G1"]) == 0
    assert servers.known_hosts.read_text().count("\n") == 1, "the old key is gone"
    assert app.main(["testbed", "trust", str(path)]) == 0


def test_check_tells_what_is_plugged_in(lab, capsys, servers):
    path, gateway = lab
    servers.known_hosts.write_text(gateway.known())
    assert app.main(["testbed", "check", str(path), "--devices", "--json"]) == 7
    (found,) = json.loads(capsys.readouterr().out)["gateways"]
    assert [mote["asked"] for mote in found["motes"]] == [None, None]
    assert {mote["mote"]: mote["state"] for mote in found["motes"]} == {"M1": "present", "M2": "absent"}
    assert found["lacks"] == [] and found["python"] and abs(found["clock_s"]) < 600
    assert len(gateway.commands) == 1, "one round trip"
    assert app.main(["testbed", "check", str(path), "--devices"]) == 7
    assert "1 of 2 motes are plugged in, which doesn't show that they are alive" in " ".join(
        capsys.readouterr().out.split()
    )
    assert app.main(["testbed", "check", str(path), "--motes"]) == 7
    out = capsys.readouterr().out
    assert "1 of 2 motes are plugged in; 1 are in use." in out and "is in use by process" in " ".join(
        out.split()
    )


def test_a_mote_that_failed_too_often_is_out_until_it_is_readmitted(lab, capsys, servers, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    path, gateway = lab
    servers.known_hosts.write_text(gateway.known())
    state = gateway.home / ".orchestrate-testbed" / "state"
    for kind, text in (("failed", {"count": 3, "why": "no answer"}), ("flashed", {"firmware": "ab" * 32})):
        (state / kind).mkdir(parents=True)
        (state / kind / "M1").write_text(json.dumps(text) + "\n")
    app.main(["testbed", "check", str(path), "--devices", "--json"])
    first, second = json.loads(capsys.readouterr().out)["gateways"][0]["motes"]
    assert first["out_of_the_pool"] == "it failed 3 times in a row, the last time: no answer"
    assert (first["flashed"], second["out_of_the_pool"], second["flashed"]) == ("ab" * 32, None, "")
    app.main(["testbed", "check", str(path), "--devices"])
    out = capsys.readouterr().out
    assert "out of the pool" in out and "no answer" in out and "abababababab" in out

    assert app.main(["testbed", "readmit", str(path), "M3"]) == 2
    assert app.main(["testbed", "readmit", str(path), "M1"]) == 0
    assert not (state / "failed" / "M1").exists() and (state / "flashed" / "M1").exists()


def test_a_silent_gateway_and_its_motes(lab, capsys, servers):
    path, gateway = lab
    servers.known_hosts.write_text(gateway.known())
    gateway.close()
    assert app.main(["testbed", "check", str(path), "--json"]) == 7
    (found,) = json.loads(capsys.readouterr().out)["gateways"]
    assert "does not answer" in found["lacks"][0]
    assert [mote["state"] for mote in found["motes"]] == ["gateway silent"] * 2


def test_a_folder_of_ours_that_is_a_link_is_told(lab, capsys, servers):
    path, gateway = lab
    servers.known_hosts.write_text(gateway.known())
    (gateway.home / ".orchestrate-testbed").symlink_to("/etc")
    app.main(["testbed", "check", str(path), "--json"])
    (found,) = json.loads(capsys.readouterr().out)["gateways"]
    assert found["lacks"] == [".orchestrate-testbed is a symbolic link: remove it"]


def test_init_writes_an_inventory_once(tmp_path, capsys):
    path = tmp_path / "mine.yaml"
    assert app.main(["testbed", "init", str(path), "--boards", "2", "--platform", "z1"]) == 0
    assert app.main(["testbed", "init", str(path)]) == 2
    assert app.main(["testbed", "init", str(tmp_path / "a b.yaml")]) == 2
    assert app.main(["testbed", "check", str(tmp_path / "none.yaml")]) == 9
