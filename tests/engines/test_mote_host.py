# SPDX-License-Identifier: Apache-2.0
"""The motes of a virtual testbed: what they are flashed with, and the process of all."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.csc.model import DirectedGraph, Edge, LogisticLoss, OwnSignal, Silent, Udgm
from orchestrator.engines.embedded.live import Live, Stage
from orchestrator.engines.embedded.live import simulation as live_simulation
from orchestrator.engines.embedded.mote_host import firmware as firmwares
from orchestrator.engines.embedded.mote_host import plan as plans
from orchestrator.engines.embedded.mote_host.firmware import Firmware, Unfit
from orchestrator.engines.embedded.mote_host.motes import LONGEST_LINE, Motes
from orchestrator.engines.embedded.mote_host.plan import Plan, VirtualMote
from orchestrator.engines.embedded.mote_host.requests import act
from tests.waiting import wait_until

BAUD = 115_200
BODY = """
char simSerialReceivingFlag, simSerialReceivingData[2048];
int simSerialReceivingLength;
void cooja_tick(void) {
  if(first()) { SAY("up %d %02x\\n", simMoteID, simEEPROMData[0] & 0xff); etimer(500); return; }
  if(simSerialReceivingFlag) {
    print("got ", 4); print(simSerialReceivingData, simSerialReceivingLength); print("\\n", 1);
    simSerialReceivingFlag = 0; simSerialReceivingLength = 0;
  }
}"""


@pytest.fixture(scope="module")
def library(firmware) -> Path:
    return firmware(BODY)


def mote(folder: Path, number: int, board: str = "B1") -> VirtualMote:
    link = folder / "g1" / "by-id" / f"usb-{number}"
    return VirtualMote(f"M{number}", number, link, BAUD, "virtual", f"{number:016x}", board, 1.0, 2.0)


# -- the plan


@pytest.mark.parametrize(
    "medium",
    [
        Udgm(0.3, 0.6, 1.0, 0.9),
        Silent(),
        LogisticLoss(own_signals=(OwnSignal(1, -97.0),)),
        DirectedGraph((Edge(1, 2, 0.5, -70.0), Edge(2, 1)), (OwnSignal(2, -91.0, True),)),
    ],
)
def test_a_plan_is_read_as_it_was_written(medium, tmp_path):
    plan = Plan(tmp_path, medium, (mote(tmp_path, 1), mote(tmp_path, 2)), 7, 4000)
    plans.write(plan, tmp_path / "plan.json")
    assert plans.read(tmp_path / "plan.json") == plan


# -- the motes, by requests


class Bench:
    """A simulation with two boards of two motes, without a clock."""

    def __init__(self, folder: Path, live: Live):
        self.live = live
        places = [(1, "B1"), (2, "B1"), (3, "B2"), (4, "B2")]
        plan = Plan(folder, Silent(), tuple(mote(folder, number, board) for number, board in places))
        self.motes = Motes(plan, live)

    def ask(self, **request) -> dict:
        return act(json.dumps(request).encode(), self.motes, lambda: {"motes": self.motes.status()})

    def said(self) -> list[tuple[int, bytes]]:
        outputs = self.live.advance(self.live.now_us + 10_000, stop_on_output=False)
        return [(output.mote, output.text) for output in outputs]


@pytest.fixture
def bench(tmp_path):
    with Live(Stage(Silent(), 1, tmp_path / "log", contain=True)) as live:
        bench = Bench(tmp_path, live)
        yield bench
        for each in bench.motes.all.values():
            each.port.unplug()


def test_a_blank_mote_says_nothing_until_it_is_flashed(bench, library):
    assert bench.said() == [] and bench.ask(reset="M1") == {"ok": True} and bench.said() == []
    assert bench.ask(flash="M1", library=str(library), image="ab", id=9) == {"ok": True}
    assert bench.said() == [(1, b"up 9 ab\n")]
    assert bench.ask(reset="M1") == {"ok": True}
    assert bench.said() == [(1, b"up 9 ab\n")]
    assert bench.ask(flash="M1", library=str(library)) == {"ok": True}
    assert bench.said() == [(1, b"up 1 00\n")]
    bench.motes.heard(bench.motes.all[1], b"ho\n")
    assert bench.said() == [(1, b"got ho\n")]
    assert bench.ask(erase="M1") == {"ok": True} and bench.ask(reset="M1") == {"ok": True}
    assert bench.said() == []


def test_a_mote_has_many_names_and_each_is_checked(bench):
    link = bench.motes.all[3].mote.link
    for name in ("M3", str(link), os.path.realpath(link), "usb-3", "/dev/serial/by-id/usb-3"):
        answer = bench.ask(identify=name)
        assert answer == {"ok": True, "platform": "virtual", "eui64": f"{3:016x}", "mote": "M3"}
    assert bench.ask(identify="M9") == {"error": "no mote is 'M9'"}


def test_what_does_not_boot_is_refused_and_the_old_firmware_goes_on(bench, library, firmware, tmp_path):
    bench.ask(flash="M2", library=str(library))
    bench.said()
    junk = tmp_path / "junk"
    junk.write_text("no firmware")
    assert "junk: not a firmware file" in bench.ask(flash="M2", library=str(junk))["error"]
    assert "can't be read" in bench.ask(flash="M2", library=str(tmp_path / "none"))["error"]
    crashing = firmware("void cooja_tick(void) { *(volatile int *)8 = 1; }")
    assert "SIGSEGV" in bench.ask(flash="M2", library=str(crashing))["error"]
    assert "1024" in bench.ask(flash="M2", library=str(library), image="00" * 1025)["error"]
    bench.motes.heard(bench.motes.all[2], b"still\n")
    assert bench.said() == [(2, b"got still\n")]


def test_firmware_is_kept_by_its_content_and_tried_once_with_each_size_of_image(
    library, tmp_path, monkeypatch
):
    """A host that begins again in the same folder goes on with what is there."""
    tried, begun = [], firmwares.Live
    monkeypatch.setattr(firmwares, "Live", lambda stage, motes: tried.append(motes[0]) or begun(stage, motes))
    made = Firmware(tmp_path / "new" / "folder")
    copy = made.kept(library, b"")
    assert copy.read_bytes() == library.read_bytes() and copy.parent == tmp_path / "new" / "folder"
    other = tmp_path / "other.cooja"
    shutil.copy(library, other)
    assert made.kept(other, b"") == copy and len(tried) == 1
    assert made.kept(library, b"ab") == made.kept(library, b"cd") == copy
    assert [(one.library, one.image) for one in tried] == [(copy, b""), (copy, b"ab")]
    before = copy.stat().st_ino
    again = Firmware(tmp_path / "new" / "folder")
    assert again.kept(library, b"") == copy and copy.stat().st_ino == before and len(tried) == 3
    assert not list(copy.parent.glob("*.draft")) and made.hears(copy)
    assert made.kept(library, bytes(1024)) == copy
    with pytest.raises(Unfit, match="the EEPROM image has 1025 bytes; a mote's EEPROM has 1024"):
        made.kept(library, bytes(1025))
    with pytest.raises(Unfit, match=r"none\.cooja can't be read: No such file"):
        made.kept(tmp_path / "none.cooja", b"")
    with pytest.raises(Unfit, match="Tmote Sky"):
        made.kept(Path(__file__).parents[1] / "golden" / "sky" / "probe.sky", b"")


def test_a_simulation_that_takes_no_more_boots_says_so_and_goes_on(bench, library, monkeypatch):
    bench.ask(flash="M1", library=str(library))
    bench.said()
    monkeypatch.setattr(live_simulation, "MOST_ADDED", 1)
    answer = bench.ask(flash="M2", library=str(library))
    assert answer == {
        "error": "1 motes were added to this simulation, which is the most\n    begin another one"
    }
    bench.motes.heard(bench.motes.all[1], b"still\n")
    assert bench.said() == [(1, b"got still\n")] and bench.ask(status=True)["ok"]


def test_firmware_that_takes_no_input_gets_none(bench, firmware):
    deaf = firmware('void cooja_tick(void) { if(first()) SAY("deaf\\n"); }')
    assert bench.ask(flash="M1", library=str(deaf)) == {"ok": True}
    bench.motes.heard(bench.motes.all[1], b"hello\n")
    assert bench.said() == [(1, b"deaf\n")]


def test_a_mote_gets_whole_lines_one_at_a_time(bench, monkeypatch):
    given = []
    monkeypatch.setattr(bench.live, "write", lambda number, line: given.append(line))
    mote = bench.motes.named("M1")
    mote.runs = mote.hears = True
    for content in (b"-3-10", b"-temp-\r\n-4-11-temp-\n-5", b""):
        bench.motes.heard(mote, content)
    assert given == [b"-3-10-temp-"] and bench.motes.sent_to()
    bench.motes.heard(mote, b"")
    assert given == [b"-3-10-temp-", b"-4-11-temp-"] and not bench.motes.sent_to()
    bench.motes.heard(mote, b"-" * LONGEST_LINE)
    assert given[2] == b"-5" + b"-" * LONGEST_LINE and mote.incoming == b""
    mote.runs = False
    bench.motes.heard(mote, b"lost\n")
    assert len(given) == 3 and mote.incoming == b""


def test_plugs_power_and_crashes(bench, library):
    for name in ("M1", "M2", "M3", "M4"):
        bench.ask(flash=name, library=str(library))
    bench.said()
    assert bench.ask(power="B2") == {"ok": True}
    assert bench.said() == [(3, b"up 3 00\n"), (4, b"up 4 00\n")]
    assert "error" in bench.ask(power="B3")
    assert bench.ask(unplug="M3") == {"ok": True}
    assert not os.path.lexists(bench.motes.all[3].mote.link)
    assert "not plugged in" in bench.ask(flash="M3", library=str(library))["error"]
    assert bench.ask(reset="M3") == {"ok": True} and bench.said() == []
    assert bench.ask(plug="M3") == {"ok": True}
    assert bench.said() == [(3, b"up 3 00\n")]
    assert bench.ask(crash="M1") == {"ok": True}
    status = bench.ask(status=True)["motes"]
    assert status["M1"]["fault"] and not status["M1"]["runs"] and status["M1"]["plugged"]
    assert bench.ask(off="M2") == {"ok": True} and not bench.ask(status=True)["motes"]["M2"]["runs"]
    assert bench.ask(on="M1") == {"ok": True} and bench.ask(on="M2") == {"ok": True}
    assert bench.said() == [(1, b"up 1 00\n"), (2, b"up 2 00\n")]


def test_a_mote_that_crashes_leaves_the_others_alone(bench, library, firmware):
    crashing = firmware("""void cooja_tick(void) {
      if(first()) { SAY("up\\n"); etimer(1); }
      if(due()) *(volatile int *)8 = 1;
    }""")
    bench.ask(flash="M1", library=str(library))
    bench.ask(flash="M2", library=str(crashing))
    assert bench.said() == [(1, b"up 1 00\n"), (2, b"up\n")]
    bench.motes.fell()
    status = bench.ask(status=True)["motes"]
    assert "SIGSEGV" in status["M2"]["fault"] and not status["M2"]["runs"] and status["M1"]["runs"]
    assert bench.ask(reset="M2") == {"ok": True} and bench.said() == [(2, b"up\n")]


@pytest.mark.parametrize(
    "request_",
    [b"", b"[]", b"nonsense", b"{}", b'{"flash": 3}', b'{"flash": "M1", "library": "x", "image": "0g"}',
     b'{"flash": "M1", "library": "x", "id": 0}', b'{"flash": "M1"}', b'{"reset": null}', b"\xff"],
)  # fmt: skip
def test_malformed_requests_are_answered(request_, bench):
    assert set(act(request_, bench.motes, dict)) == {"error"}


# -- the process


@pytest.fixture
def host(tmp_path):
    folder = tmp_path / "motes"
    folder.mkdir()
    plan = Plan(folder, Udgm(), tuple(mote(tmp_path, number) for number in (1, 2)))
    plans.write(plan, folder / "plan.json")
    command = [sys.executable, "-m", "orchestrator.engines.embedded.mote_host", str(folder / "plan.json")]
    with subprocess.Popen(command) as process:
        wait_until(lambda: listens(plan.socket))  # it is there a moment before that
        yield plan, process
        process.kill()


def listens(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as connection:
        return connection.connect_ex(str(path)) == 0


def ask(plan: Plan, **request) -> dict:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(plan.socket))
        connection.sendall(json.dumps(request).encode() + b"\n")
        return json.loads(connection.makefile("rb").readline())


def test_motes_run_in_real_time_behind_their_ports(host, library):
    plan, process = host
    program = os.open(plan.motes[0].link, os.O_RDWR | os.O_NOCTTY)
    lines = os.fdopen(program, "rb", buffering=0)
    assert ask(plan, flash="M1", library=str(library)) == {"ok": True}
    assert lines.readline() == b"up 1 00\n"
    os.write(program, b"hello\n")
    assert lines.readline() == b"got hello\n"
    first, second = ask(plan, status=True), ask(plan, status=True)
    assert second["now_us"] > first["now_us"] and second["motes"]["M1"]["heard"] == 18
    assert ask(plan, end=True) == {"ok": True}
    assert process.wait() == 0
    assert not os.path.lexists(plan.motes[0].link) and not plan.socket.exists()
    assert plan.log.read_text().endswith(f"{_end(plan)}\n")
    lines.close()


def _end(plan: Plan) -> str:
    return plan.log.read_text().splitlines()[-1]


def test_sigterm_ends_it(host):
    plan, process = host
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 0
    assert "TEST OK" in plan.log.read_text()
