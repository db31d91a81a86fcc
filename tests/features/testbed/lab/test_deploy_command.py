# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from orchestrator.cli import app
from orchestrator.features.testbed import reservation
from tests.features.testbed.lab.boards import Boards

LAB = """\
lab: tiny
known-hosts: {hosts}
gateways:
  G1: {{host: 127.0.0.1, port: {port}, user: lab, key: {key}, python: {python}}}
motes:
  M1: {{gateway: G1, eui64: 0000000000000001, platform: sky, device: dev/M1, tool: command,
       flash: '{flash} {{firmware}} {{device}} {{image}}'}}
"""


@pytest.fixture
def lab(servers, tmp_path):
    boards = Boards(servers, {"G1": ["M1"]})
    server = boards.servers["G1"]
    path = tmp_path / "lab.yaml"
    path.write_text(
        LAB.format(
            hosts=servers.known_hosts,
            key=servers.key,
            python=sys.executable,
            port=server.port,
            flash=server.home / "flash",
        )
    )
    yield str(path), boards
    boards.end()


def test_reserve_deploy_release(lab, tmp_path, capsys, monkeypatch):
    path, boards = lab
    firmware = tmp_path / "a.hex"
    firmware.write_text("one")
    monkeypatch.setattr(reservation, "me", lambda: "ann@here")
    assert app.main(["testbed", "reserve", path, "--for", "2h", "--purpose", "a thesis"]) == 0
    monkeypatch.setattr(reservation, "me", lambda: "bob@there")
    capsys.readouterr()
    assert app.main(["testbed", "deploy", path, str(firmware), "--json"]) == 7
    (mote,) = json.loads(capsys.readouterr().out)["motes"]
    assert "reserved by ann@here for a thesis" in mote["why"] and boards.flashed() == []
    assert app.main(["testbed", "reserve", path]) == 7
    monkeypatch.setattr(reservation, "me", lambda: "ann@here")
    assert app.main(["testbed", "deploy", path, str(firmware)]) == 0
    assert boards.flashed() == ["M1 one "]
    capsys.readouterr()
    assert app.main(["testbed", "deploy", path, str(firmware)]) == 0
    assert "0 bytes sent; 1 ran it already" in capsys.readouterr().out
    assert app.main(["testbed", "release", path]) == 0
    monkeypatch.setattr(reservation, "me", lambda: "bob@there")
    assert app.main(["testbed", "reserve", path, "--for", "1h"]) == 0


def test_a_gateway_that_turns_out_to_have_no_python_is_used_by_its_shell_and_named(lab, tmp_path, capsys):
    path, boards = lab
    Path(path).write_text(Path(path).read_text().replace(sys.executable, "/nowhere/python3"))
    firmware = tmp_path / "a.hex"
    firmware.write_text("one")
    assert app.main(["testbed", "deploy", path, str(firmware)]) == 0
    assert "G1 has no Python: " in capsys.readouterr().out
    assert [line.strip() for line in boards.flashed()] == ["M1 one"]
    assert not (boards.servers["G1"].home / ".orchestrate-testbed" / "daemon").exists()
    assert app.main(["testbed", "deploy", path, str(firmware), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["sent_bytes"] == 0 and told["without_python"] == ["G1"]


def test_what_is_asked_for_has_to_be_there(lab, tmp_path):
    path, _ = lab
    assert app.main(["testbed", "deploy", path, str(tmp_path / "none.hex")]) == 9
    assert app.main(["testbed", "deploy", path, __file__, "--layout", "none"]) == 2
    assert app.main(["testbed", "deploy", path, __file__, "--motes", "M9"]) == 2
    assert app.main(["testbed", "reserve", path, "--for", "90 days"]) == 2
