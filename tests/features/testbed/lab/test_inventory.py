# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.errors import FaultyInput, NoSuchThing
from orchestrator.features.testbed.inventory import load
from orchestrator.features.testbed.starter import starter

SMALL = """\
lab: small
defaults:
  gateway: {user: lab, jump: gate}
  mote: {platform: sky, baud: 57600}
jump-hosts:
  gate: {host: gate.example.org, port: 2222, key: id}
gateways:
  G1: {host: 192.0.2.1}
  G2: {host: 192.0.2.2, python: none, spare: true}
boards:
  B1: {gateway: G1, size: 1 x 2, spacing: 20 cm}
  B2: {gateway: G2, size: 2 x 1, spacing: 10 cm x 30 cm}
motes:
  M1: {board: B1, place: '1, 2', eui64: '0012.7400.0000.0001', device: /dev/serial/by-id/a}
  M2: {board: B1, place: '1, 1', eui64: '00:12:74:00:00:00:00:02', device: /dev/serial/by-id/b, movable: true}
  M3: {board: B2, place: '2, 1', eui64: 0012740000000003, device: dev/serial/by-id/a,
       tool: command, flash: "tool -p {device} '{firmware}'", reset: [tool, reset], options: {part: m128}}
  X1: {gateway: G2, eui64: 0012740000000004, device: /dev/mote-x, x: 1 m, y: 2 m, spare: true}
layouts:
  rows: {boards: [B1, B2]}
  side: {boards: B1 B2, without: M1, at: {M2: '5 m, 50 cm'}}
  two: {motes: [X1, M1]}
"""


@pytest.fixture
def written(tmp_path):
    def write(text: str) -> Path:
        path = tmp_path / "lab.yaml"
        path.write_text(text)
        return path

    return write


def faults(path: Path) -> list[tuple[int, str]]:
    with pytest.raises(FaultyInput) as faulty:
        load(path)
    return [(fault.line, fault.what) for fault in faulty.value.faults]


def test_what_is_written_becomes_values(written, tmp_path):
    lab = load(written(SMALL))
    assert (lab.name, lab.known_hosts, lab.failures) == ("small", tmp_path / "small.known_hosts", 3)
    first, second = lab.gateways
    assert (first.ssh.host, first.ssh.port, first.ssh.user, first.python) == (
        "192.0.2.1",
        22,
        "lab",
        "python3",
    )
    assert (second.python, second.spare, first.spare) == (None, True, False)
    assert first.ssh.jump.address == "[gate.example.org]:2222" and first.ssh.jump.key == tmp_path / "id"
    assert [each.name for each in lab.endpoints()] == ["gate", "G1", "G2"]
    mote = lab.mote("M3")
    assert (mote.gateway, mote.eui64, mote.baud, mote.place) == ("G2", "0012740000000003", 57600, (2, 1))
    assert mote.command(mote.flash, "/home/lab/x") == ["tool", "-p", "/home/lab/x", "{firmware}"]
    assert mote.options == (("part", "m128"),)
    assert (lab.mote("M1").eui64, lab.mote("M1").x, lab.mote("M1").y) == ("0012740000000001", 0.2, 0.0)
    assert (mote.x, mote.y) == (0.0, 0.3)
    assert [each.name for each in lab.behind("G2")] == ["M3", "X1"]


def test_boards_of_a_layout_stand_side_by_side(written):
    lab = load(written(SMALL))

    def spots(name):
        return [(spot.mote, spot.x, spot.y) for spot in lab.layout(name).spots]

    assert spots("rows") == [("M2", 0.0, 0.0), ("M1", 0.2, 0.0), ("M3", 0.0, 0.5)]
    assert spots("side") == [("M2", 5.0, 0.5), ("M3", 0.4, 0.3)]
    assert spots("two") == [("X1", 1.0, 2.0), ("M1", 0.2, 0.0)]
    assert [name for name, *_ in spots("all")] == ["M2", "M1", "M3"], "spares take no part"


def test_the_starter_is_the_thesis_testbed(written):
    lab = load(written(starter("paper", 12, "sky")))
    assert (len(lab.gateways), len(lab.motes), len(lab.boards)) == (12, 96, 12)
    assert len(lab.layout("seven").spots) == 7
    mesh = lab.layout("mesh-4x12").spots
    assert len(mesh) == 48
    assert len({spot.x for spot in mesh}) == 12 and len({spot.y for spot in mesh}) == 4
    steps = sorted({spot.x for spot in mesh})
    assert {round(b - a, 4) for a, b in zip(steps, steps[1:], strict=False)} == {0.2286}, (
        "9 inches throughout"
    )


def test_a_large_lab_is_read(written):
    assert len(load(written(starter("large", 125, "sky"))).motes) == 1000


TEN = """\
lab: a lab
failures: 0
colour: red
gateways:
  G1: {host: 192.0.2.1, port: 99999, jump: gate}
  G2: {host: 192.0.2.1}
  G3: {host: "user@host"}
boards:
  B1: {gateway: G9, size: 2 by 4, spacing: 20 cm}
  B2: {gateway: G1, size: 2 x 4, spacing: 20}
  B3: {gateway: G1, size: 2 x 4, spacing: 20 cm}
motes:
  M1: {board: B3, place: '1, 1', platform: sky, eui64: 00:12:74:00:00:00:00:01, device: /dev/ttyUSB0}
  M2: {board: B3, place: '1, 1', platform: sky, eui64: 0012740000000001, device: /dev/serial/by-id/b}
  M3: {board: B3, place: '3, 1', platform: SKY, eui64: 12, device: /dev/serial/by-id/b}
  M4: {platform: sky, eui64: '0000000000000000', device: ../../etc/passwd}
  M5: {gateway: G2, platform: sky, eui64: 0012740000000005, tool: command}
  5M: {gateway: G2}
layouts:
  l: {boards: [B3 B4, B3], without: M9}
  m: {boards: B3, motes: M1}
  n: {motes: [M1, M1], at: {M1: 1 m}}
"""


def test_all_faults_at_once_each_with_its_line(written):
    found = faults(written(TEN))
    expected = [
        (1, "lab: 'a lab' is not a valid name"),
        (2, "failures: '0' is out of range"),
        (3, "'colour' is unknown"),
        (5, "gateway G1: port: '99999' is out of range"),
        (5, "gateway G1: jump host 'gate' isn't in the inventory"),
        (7, "gateway G3: host 'user@host' is not valid"),
        (9, "board B1: gateway 'G9' isn't in the inventory"),
        (9, "board B1: size '2 by 4' is not valid"),
        (10, "board B2: spacing: 20 has no unit"),
        (13, "mote M1: /dev/ttyUSB0 is a number, which changes when motes are plugged"),
        (14, "mote M2: mote M1 has the same EUI-64"),
        (14, "mote M2: mote M1 has the same place"),
        (15, "mote M3: board B3 has no place 3, 1"),
        (15, "mote M3: platform 'SKY' is not valid"),
        (15, "mote M3: eui64 '12' is not valid"),
        (15, "mote M3: mote M2 has the same device"),
        (16, "mote M4: neither on a board nor behind a gateway"),
        (16, "mote M4: eui64 0000000000000000 is no mote's"),
        (16, "mote M4: device '../../etc/passwd' is not valid"),
        (17, "mote M5 has no device"),
        (17, "mote M5: the tool command needs one"),
        (18, "motes: '5M' is not a valid name"),
        (20, "layout l: there is no board 'B4'"),
        (20, "layout l: board B3 is listed twice"),
        (20, "layout l: there is no mote 'M9'"),
        (21, "layout m has boards and motes"),
        (22, "layout n: mote M1 twice"),
        (22, "layout n: mote M1 isn't movable"),
        (22, "layout n: '1 m' is not a position"),
    ]
    assert [each for each in expected if each not in found] == []
    assert [each for each in found if each not in expected] == []


def test_two_gateways_at_one_address(written):
    text = "lab: l\ngateways:\n  G1: {host: a}\n  G2: {host: a, port: 23}\n  G3: {host: a}\nmotes: {}\n"
    assert faults(written(text)) == [(5, "gateway G3: gateway G1 has the same address")]


def test_jump_hosts_in_a_circle(written):
    text = (
        "lab: l\njump-hosts:\n  a: {host: a, jump: b}\n  b: {host: b, jump: a}\n"
        "gateways:\n  G1: {host: c, jump: a}\nmotes: {}\n"
    )
    assert "a -> b -> a comes back to itself" in "\n".join(what for _, what in faults(written(text)))


@pytest.mark.parametrize(
    "text", ["", "- a\n", "lab: [\n", "lab: l\n", "lab: l\ngateways: 3\nmotes: x\ndefaults: y\n"]
)
def test_what_is_no_inventory(written, text):
    assert faults(written(text))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(NoSuchThing, match="orchestrate testbed init"):
        load(tmp_path / "none.yaml")
