# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from pathlib import Path

import pytest
from orchestrate_testbed.model import Mote
from orchestrate_testbed.transfer import blob

from orchestrator.errors import RunFailed
from orchestrator.features.testbed.deploy import Wanted, deploy, tool_of
from orchestrator.features.testbed.pool import spare_for
from tests.features.testbed.daemons import Gateway
from tests.features.testbed.lab.boards import Boards


@pytest.fixture
def boards(servers, tmp_path):
    """Makes a lab and deploys to it; its daemons end with the test."""
    made: list[Boards] = []

    class Made(Boards):
        def deploy(self, text: str, *motes: str, again: bool = False):
            path = tmp_path / f"{text.split()[0]}.hex"
            path.write_text(text)
            image = tmp_path / "image"
            image.write_bytes(b"image")
            wanted = [Wanted(self.lab.mote(name), blob(path), blob(image)) for name in motes]
            return deploy(self.lab, self.at, wanted, again)

        def kept(self, name: str = "G1"):
            self.at[name].deliver([])
            return self.at[name].kept

    def make(names, **options) -> Made:
        made.append(Made(servers, names, **options))
        return made[-1]

    yield make
    for one in made:
        one.end()


def states(done) -> dict[str, str]:
    return {name: one.state for name, one in done.motes.items()}


def test_a_mote_whose_flashing_fails_once_is_flashed_again(boards):
    lab = boards({"G1": ["M1"]})
    (lab.servers["G1"].home / "shy").write_text("M1\n")
    assert states(lab.deploy("one", "M1")) == {"M1": "flashed"}
    assert lab.kept().failed == {}, "which is no failure of the mote"


def test_firmware_gets_into_motes_once(boards):
    lab = boards({"G1": ["M1", "M2"], "G2": ["M3"]})
    done = lab.deploy("one", "M1", "M2", "M3")
    assert states(done) == {"M1": "flashed", "M2": "flashed", "M3": "flashed"}
    assert lab.flashed() == ["M1 one image", "M2 one image"] and lab.flashed("G2") == ["M3 one image"]
    commands = len(lab.servers["G1"].commands)
    again = lab.deploy("one", "M1", "M2", "M3")
    assert again.sent == 0 and set(states(again).values()) == {"kept"}
    assert len(lab.servers["G1"].commands) == commands + 1, "one round trip"
    assert len(lab.flashed()) == 2
    assert set(states(lab.deploy("one", "M1", again=True)).values()) == {"flashed"}
    record = lab.kept().flashed["M1"]
    assert record["tool"] == "command" and record["firmware"].endswith(".hex") and record["who"]
    history = lab.servers["G1"].home / lab.lab.gateways[0].root / "state" / "history.jsonl"
    assert len([json.loads(line) for line in history.read_text().splitlines()]) == 3


def test_the_last_good_firmware_is_put_back(boards):
    lab = boards({"G1": ["M1"], "G2": ["M2"]})
    lab.deploy("one", "M1", "M2")
    done = lab.deploy("bad", "M1", "M2")
    assert states(done) == {"M1": "put back", "M2": "put back"}
    assert "no answer from the bootloader" in done.motes["M1"].why
    assert lab.flashed() == ["M1 one image"] * 2
    assert lab.kept().failed["M1"]["count"] == 1
    assert states(lab.deploy("one", "M1")) == {"M1": "kept"}, "what is there is known"


def test_firmware_that_no_mote_takes_stops_at_the_first_ones(boards):
    lab = boards({"G1": ["M1", "M2", "M3"]})
    lab.deploy("one", "M1", "M2", "M3")
    with pytest.raises(RunFailed, match="the others were left as they were:\n *M1: "):
        lab.deploy("bad", "M1", "M2", "M3")
    assert [line.split()[0] for line in lab.flashed()] == ["M1", "M2", "M3", "M1"]


def test_a_mote_that_fails_too_often_leaves_the_pool_with_its_reason(boards):
    lab = boards({"G1": ["M1", "M2"]}, failures=2)
    (lab.servers["G1"].home / "broken").write_text("M2\n")
    for _ in range(2):
        assert states(lab.deploy("one", "M1", "M2", again=True)) == {"M1": "flashed", "M2": "failed"}
    done = lab.deploy("one", "M1", "M2", again=True)
    assert states(done) == {"M1": "flashed", "M2": "out"}
    assert done.motes["M2"].why.startswith(
        "it failed 2 times in a row, the last time: exit code 1: M2: no answer"
    )


def test_one_success_makes_failures_forgotten(boards):
    lab = boards({"G1": ["M1", "M2"]}, failures=2)
    broken = lab.servers["G1"].home / "broken"
    broken.write_text("M2\n")
    lab.deploy("one", "M1", "M2", again=True)
    broken.unlink()
    lab.deploy("one", "M1", "M2", again=True)
    assert lab.kept().failed == {}


def test_a_silent_gateway_keeps_no_other_one_back(boards):
    lab = boards({"G1": ["M1"], "G2": ["M2"]})
    lab.network.close()
    lab.servers["G2"].close()
    done = lab.deploy("one", "M1", "M2")
    assert states(done) == {"M1": "flashed", "M2": "gateway silent"}
    assert "G2" in done.motes["M2"].why


def test_a_platform_without_a_tool():
    mote = Mote("M1", "G1", "toaster", "/dev/x", "0" * 16)
    assert tool_of(mote) is None
    assert tool_of(Mote("M1", "G1", "sky", "/dev/x", "0" * 16)) == "tos-bsl"


def test_spares_stand_in_for_their_own_kind_the_nearest_first(boards):
    lab = boards({"G1": ["M1"], "G2": ["M2", "S2"]}, spares=("S2",)).lab
    assert spare_for(lab, lab.mote("M1"), set()).name == "S2"
    assert spare_for(lab, lab.mote("M1"), {"S2"}) is None


def test_the_tests_leave_no_daemon_behind_a_gateway_that_is_out_of_reach(servers):
    made = Boards(servers, {"G1": ["M1"]})
    with made.at["G1"] as place:
        place.deliver([])
        place.daemon.open("r", "M1", place.device(made.lab.mote("M1")), 115200)
        left = Gateway(made.servers["G1"].home / place.root / "daemon", Path())
    made.servers["G1"].close()
    assert left.runs
    made.end()
    assert not left.runs
