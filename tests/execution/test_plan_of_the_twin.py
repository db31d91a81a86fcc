# SPDX-License-Identifier: Apache-2.0
"""What the process of a virtual testbed's motes is to simulate, and where the twin of an inventory is. No
server is started: a stand-in says what it was asked for."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from orchestrate_testbed.model import Board, Endpoint, Gateway, Lab, Mote, Spot
from orchestrate_testbed.virtual import testbed as virtual
from orchestrate_testbed.virtual.server import Server

from orchestrator.applications.place import place
from orchestrator.csc.model import Udgm
from orchestrator.engines.embedded.mote_host import plan as plans
from orchestrator.engines.embedded.mote_host.plan import Plan, VirtualMote
from orchestrator.features.testbed import inventory, twin, virtual_testbed
from orchestrator.features.testbed.starter import like
from orchestrator.scenario.load import loads

MEDIUM = Udgm(1.0, 2.0, 1.0, 1.0)


def mote(name: str, x: float, y: float, board: str | None = "B", **changes) -> Mote:
    return Mote(name, "G", "sky", f"/dev/{name}", f"eui of {name}", board, (1, 1), x, y, **changes)


def plan(motes, **spots) -> Plan:
    gateway = Gateway("G", Endpoint("G", "h"))
    lab = Lab("lab", (gateway,), tuple(motes), (Board("B", "G", 1, 4, (0.2, 0.2)),))
    servers = {"G": SimpleNamespace(devices=Path("/there/dev"))}
    place = SimpleNamespace(folder=Path("/there"), server=servers.__getitem__)
    spots = {name: Spot(name, *spot) for name, spot in spots.items()}
    return virtual_testbed.plan_of(lab, place, spots, MEDIUM, 7)


def test_every_field_of_a_mote():
    one, other = mote("A", 0.5, 0.25), mote("L", 0.0, 0.0, None)
    made = plan([one, other], A=(10.0, 20.0), L=(3.0, 4.0))
    link = twin.device(SimpleNamespace(devices=Path("/there/dev")), "/dev/A")
    assert made == Plan(Path("/there") / virtual.MOTES, MEDIUM, made.motes, 7, 5000)
    assert made.motes[0] == VirtualMote("A", 1, link, one.baud, twin.PLATFORM, "eui of A", "B", 10.0, 20.0)
    assert (made.motes[1].number, made.motes[1].board) == (2, "")
    assert (made.motes[1].x, made.motes[1].y) == (3.0, 4.0)
    assert (made.socket, made.log) == (made.folder / "socket", made.folder / "motes.log")


ASIDE = [(1e6, 1e6), (2e6, 1e6), (3e6, 1e6)]


@pytest.mark.parametrize(
    ("motes", "where"),
    [
        ([mote("A", 0.5, 0.25), mote("S", 1.0, 2.0, spare=True)], (10.5, 21.75)),
        ([mote("A", 0.5, 0.25), mote("S", 1.0, 2.0)], ASIDE[1]),
        ([mote("A", 0.5, 0.25, movable=True), mote("S", 1.0, 2.0, spare=True)], ASIDE[1]),
        ([mote("A", 0.5, 0.25), mote("S", 1.0, 2.0, "other", spare=True)], ASIDE[1]),
        ([mote("A", 0.5, 0.25), mote("S", 1.0, 2.0, None, spare=True)], ASIDE[1]),
        ([mote("A", 0.5, 0.25, None), mote("S", 1.0, 2.0, None, spare=True)], ASIDE[1]),
        ([mote("A", 0.5, 0.25), mote("L", 0.0, 0.0), mote("S", 1.0, 2.0)], ASIDE[2]),
    ],
)
def test_where_a_mote_stands_that_takes_no_part(motes, where):
    last = plan(motes, A=(10.0, 20.0)).motes[-1]
    assert (last.x, last.y) == where


@pytest.fixture
def started(monkeypatch):
    """What was asked of the servers' part, and the command of the motes' process that it got."""
    heard = []

    def up(lab, folder, mote_host, zipapp, disk_size, own_networks):
        servers = tuple(
            Server(each.name, "127.0.0.9", 2200 + number, folder / "servers" / each.name, folder)
            for number, each in enumerate(lab.endpoints())
        )
        folder.mkdir(exist_ok=True)
        made = virtual.VirtualTestbed(folder, servers)
        heard.append((lab, folder, zipapp, disk_size, own_networks, mote_host(made)))
        return made

    monkeypatch.setattr(virtual, "up", up)
    monkeypatch.setattr(virtual_testbed, "packed", lambda: Path("packed"))
    return heard


def test_a_twin_has_the_inventory_s_motes_behind_its_own_servers(started, tmp_path):
    scenario = (
        "experiment: e\ntopology: {shape: chain, publishers: 2, spacing: 5 m}\n"
        "application: {name: aggregation}\nduration: 10 s\nseeds: 1\n"
    )
    layout = place(loads(scenario, "x.yaml").cells[0]).layout
    path, folder = tmp_path / "mine.yaml", tmp_path.resolve() / "mine.virtual"
    path.write_text(like("mine", layout, "sky"), encoding="utf-8")
    lab = inventory.load(path)
    made = virtual_testbed.up(path, MEDIUM, "all", 7)
    again = virtual_testbed.up(path, MEDIUM, "all", 7, 1000, True)
    plan = folder / "motes" / "plan.json"
    command = [sys.executable, "-m", "orchestrator.engines.embedded.mote_host", str(plan)]
    assert started == [
        (lab, folder, Path("packed"), None, False, command),
        (lab, folder, Path("packed"), 1000, True, command),
    ]
    spots = {spot.mote: spot for spot in lab.layout("all").spots}
    assert plans.read(plan) == virtual_testbed.plan_of(lab, made.testbed, spots, MEDIUM, 7)
    assert [(mote.x, mote.y) for mote in plans.read(plan).motes] == [
        pytest.approx((node.x, node.y)) for node in layout.nodes
    ]
    assert made.inventory == again.inventory == folder / "lab.yaml"
    assert made.lab == inventory.load(made.inventory) and made.lab != lab
    assert {mote.name for mote in made.lab.motes} == {mote.name for mote in lab.motes}
    assert {mote.platform for mote in made.lab.motes} == {twin.PLATFORM}
    assert [(one.host, one.port) for one in made.lab.endpoints()] == [("127.0.0.9", 2200)]


def test_where_the_twin_of_an_inventory_is(tmp_path):
    assert virtual_testbed.folder_of(tmp_path / "my.lab.yaml") == tmp_path.resolve() / "my.lab.virtual"
    (tmp_path / virtual.STATE).touch()
    assert virtual_testbed.folder_of(tmp_path / "lab.yaml") == tmp_path.resolve()
