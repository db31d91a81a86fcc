# SPDX-License-Identifier: Apache-2.0
"""A simulation that is driven step by step: the steps change nothing, and every command acts at its time."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from engine_firmware import simulation
from engine_harness import SANITIZED, build_kernel
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.csc.model import (
    DirectedGraph,
    Edge,
    LogisticLoss,
    OwnSignal,
    Silent,
    Udgm,
    UdgmConstantLoss,
)
from orchestrator.engines.embedded.live import Live, LiveMote, Output, SimulationEnded, Stage, driver
from orchestrator.engines.embedded.live import simulation as drive
from orchestrator.errors import NoSuchThing, Unsupported
from orchestrator.runs.model import Outcome
from tests.waiting import wait_for_end

# A mote sends its number every 20 ms, says from whom it hears, and says its serial input back.
BODY = """
char simSerialReceivingFlag, simSerialReceivingData[2048];
int simSerialReceivingLength;
void cooja_tick(void) {
  if(first()) { SAY("up %d %02x\\n", simMoteID, simEEPROMData[0] & 0xff); etimer(simMoteID); return; }
  if(simSerialReceivingFlag) {
    print("got ", 4); print(simSerialReceivingData, simSerialReceivingLength);
    simSerialReceivingFlag = 0; simSerialReceivingLength = 0;
  }
  if(!simReceiving && simInSize > 0) { SAY("from %d\\n", simInDataBuffer[0]); simInSize = 0; }
  if(due()) { etimer(20); simOutSize = SIZE; simOutDataBuffer[0] = simMoteID; }
}"""
ALL = tuple(Edge(a, b, 0.8, -40.0 - a) for a in range(1, 9) for b in range(1, 9) if a != b)
MEDIA = {
    "disk": Udgm(50.0, 70.0, 1.0, 0.6),
    "constant": UdgmConstantLoss(50.0, 70.0, 1.0, 0.8),
    "graph": DirectedGraph((*ALL, Edge(1, 2, 0.5), Edge(3, 3)), (OwnSignal(2, -97.0), OwnSignal(7, -92.0))),
    "logistic": LogisticLoss(60.0),
}


@pytest.fixture(scope="module")
def library(firmware) -> Path:
    return firmware(BODY.replace("SIZE", "20"))


@pytest.fixture(scope="module")
def second(library, tmp_path_factory) -> Path:
    """Another file of the same firmware: another type."""
    return Path(shutil.copy(library, tmp_path_factory.mktemp("second") / "second.cooja"))


@pytest.fixture
def log(tmp_path) -> Path:
    return tmp_path / "COOJA.testlog"


def lines(log: Path) -> list[str]:
    return [line for line in log.read_text().splitlines() if "\tID:" in line]


def row(library: Path, count: int) -> list[LiveMote]:
    return [LiveMote(library, number, 10.0 * number) for number in range(1, count + 1)]


def play(stage: Stage, library: Path, second: Path, steps: list[int]) -> tuple[bytes, list[Output]]:
    """One fixed order of commands, with these steps between them, again and again."""
    outputs: list[Output] = []
    step = 0
    with Live(stage, row(library, 4)) as live:

        def until(time_us: int) -> None:
            nonlocal step
            while live.now_us < time_us:
                here = min(time_us, live.now_us + steps[step % len(steps)])
                outputs.extend(live.advance(here, stop_on_output=False))
                step += 1

        live.listen(1)
        live.listen(4)
        until(30_000)
        live.write(2, b"one\n")
        live.note(99, "a note")
        until(50_128)
        live.add(LiveMote(second, 7, 25.0, image=b"\xab"))
        live.listen(7)
        live.write(7, b"early\n")
        until(90_500)
        live.move(3, 15.0, 5.0)
        live.remove(1)
        live.remove(7)
        until(120_000)
        live.add(LiveMote(library, 1, 12.0))
        live.add(LiveMote(library, 7, 26.0))
        until(200_000)
        assert live.end().outcome is Outcome.OK
    return stage.log.read_bytes(), outputs


@pytest.mark.parametrize("medium", MEDIA)
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.integers(1, 40_000), min_size=1, max_size=20).filter(lambda steps: sum(steps) > 500))
def test_the_steps_change_nothing(medium, library, second, log, steps):
    stage = Stage(MEDIA[medium], 7, log, start_delay_us=9_000, ruleset="2026.07")
    once, heard = play(stage, library, second, [10**9])
    assert play(stage, library, second, steps) == (once, heard)
    assert heard and {output.mote for output in heard} == {1, 4, 7}
    everything = [line.split("\t", 2) for line in lines(log)]
    listened = [(time, mote, text) for time, mote, text in everything if mote in ("ID:4",)]
    assert [(str(o.time_us), f"ID:{o.mote}", o.text.decode()) for o in heard if o.mote == 4] == listened


@pytest.mark.parametrize("medium", [MEDIA["disk"], MEDIA["logistic"]])
def test_a_driven_run_has_the_lines_of_a_run_with_a_script(medium, library, run, log):
    places = [(10.0 * number, 0) for number in range(1, 5)]
    scripted = run(simulation(places, 0.5, medium=medium, motedelay_us=5_000), library, seed=3)
    with Live(Stage(medium, 3, log, start_delay_us=5_000), row(library, 4)) as live:
        live.advance(123_456)
        live.advance(500_000)
        assert live.end(ok=True).sim_us == 500_000
    assert log.read_bytes() == scripted.log
    assert len(lines(log)) > 100


def test_an_answer_comes_at_the_time_of_the_line(library, log):
    with Live(Stage(MEDIA["disk"], 1, log), row(library, 3)) as live:
        live.listen(2)
        (up,) = live.advance(1_000_000)
        assert up == Output(live.now_us, 2, b"up 2 00")
        live.write(2, b"hello\n")
        (got,) = live.advance(1_000_000)
        assert got == Output(up.time_us, 2, b"got hello") and live.now_us == up.time_us
        live.listen(2, "nothing")
        assert live.advance(1_000_000) == [] and live.now_us == 1_000_000
        assert live.advance(900_000) == [] and live.now_us == 1_000_000
    assert f"{up.time_us}\tID:2\tgot hello" in lines(log), "which is whole although nobody ended the run"


def test_events_at_the_very_time_come_after_what_is_done_at_it(firmware, log):
    library = firmware("""void cooja_tick(void) {
      if(first()) etimer(20);
      if(due()) { SAY("timer\\n"); etimer(20); }
    }""")
    with Live(Stage(Silent(), 1, log), row(library, 1)) as live:
        live.listen(1)
        live.advance(10_000)  # the timer is set by now, and the next step ends when it is due
        assert live.advance(20_000) == [] and live.now_us == 20_000
        live.note(5, "before")
        assert live.advance(20_001) == [Output(20_000, 1, b"timer")]
        live.end()
    assert lines(log) == ["20000\tID:5\tbefore", "20000\tID:1\ttimer"]


def test_a_mote_that_loses_power_says_nothing_and_its_frame_is_lost(firmware, log):
    """Frames of 100 bytes take 3.2 ms; mote 1 begins at 1 ms and is unplugged in the middle."""
    library = firmware(BODY.replace("SIZE", "100"))
    with Live(Stage(Udgm(50.0, 70.0), 1, log), row(library, 2)) as live:
        live.advance(1_500)
        live.remove(1)
        assert live.motes == {2}
        live.add(LiveMote(library, 9, 30.0))
        live.advance(60_000)
        live.end()
    said = lines(log)
    assert not any("from 1" in line for line in said)
    assert [line for line in said if "ID:1\t" in line] == ["0\tID:1\tup 1 00"]
    assert any("ID:2\tfrom 9" in line for line in said), "the channel is free again"


def test_edges_reach_motes_that_come_later_however_often(library, second, log):
    """Mote 1 has one edge at first; its list grows while its frame is under way."""
    edges = [Edge(1, number, 1.0, -50.0) for number in range(2, 19)] + [Edge(2, 1), Edge(2, 2), Edge(1, 2)]
    with Live(Stage(DirectedGraph(tuple(edges)), 1, log), row(library, 1)) as live:
        live.advance(1_200)
        for number in range(2, 19):
            live.add(LiveMote(second, number))
        live.advance(30_000)
        for _ in range(5):  # flashed
            live.remove(2)
            live.add(LiveMote(library, 2))
        live.advance(60_000)
        live.end()
    said = [line.split("\t", 2) for line in lines(log)]
    early = {mote for time, mote, text in said if text == "from 1" and int(time) < 30_000}
    late = {mote for time, mote, text in said if text == "from 1" and int(time) > 30_000}
    assert early == late == {f"ID:{number}" for number in range(2, 19)}
    assert any(text == "from 2" for _, mote, text in said if mote == "ID:1")


def test_a_frame_that_is_cut_counts_as_disturbed(firmware, log, monkeypatch):
    """The medium's numbers of frames that began, of those received, and of receptions that were disturbed."""
    reports = []
    of = driver.result_of
    monkeypatch.setattr(
        driver, "result_of", lambda report, *rest: (reports.append(report), of(report, *rest))[1]
    )
    library = firmware(BODY.replace("SIZE", "simMoteID == 1 ? 100 : 0"))
    for cut in (False, True):
        with Live(Stage(Udgm(50.0, 70.0), 1, log), row(library, 4)) as live:
            live.advance(2_000)
            if cut:
                live.remove(1)
            live.advance(10_000)
            live.end()
    counted = [[r[name] for name in ("transmissions", "receptions", "interferences")] for r in reports]
    assert counted == [[1, 3, 0], [1, 0, 3]]


@pytest.mark.parametrize("repeated", [True, False])
@pytest.mark.parametrize("sanitized", [False, True])
def test_what_is_heard_stays_while_edges_move(repeated, sanitized, firmware, log):
    """Mote 1 sends for 3.2 ms. Edges are added meanwhile, more than its list has room for; those that are
    heard, by its receivers and by itself, are then elsewhere. Motes change their power, so that strengths are
    worked out again.
    """
    library = firmware("""static int heard;
    void cooja_tick(void) {
      if(first()) { etimer(simMoteID == 1 ? 1 : 2); return; }
      if(!due()) return;
      if(simMoteID > 3) {
        if(simReceiving && !heard++) SAY("%d later\\n", simSignalStrength);
      } else if(simMoteID == 1 && (simCurrentTime == 1 || simCurrentTime == 9)) simOutSize = 100;
      else if(simMoteID < 4 && simCurrentTime < 7) SAY("%d at %d\\n", simSignalStrength, (int)simCurrentTime);
      simPower = 101 - simPower;
      etimer(1);
    }""")
    edges = [Edge(1, 2, 1.0, -50.0), Edge(1, 3, 1.0, -70.0)]
    if repeated:
        edges = [Edge(1, 1, 1.0, -4.0), Edge(1, 1, 1.0, -3.0), Edge(1, 2, 1.0, -60.0), *edges]
    for number in range(4, 25):
        edges += [Edge(1, number, 1.0, -80.0)] + [Edge(1, number, 1.0, -75.0)] * repeated
    edges += [Edge(number, 2, 1.0, -20.0) for number in range(4, 25)]
    stage = Stage(DirectedGraph(tuple(edges)), 1, log)
    with Live(stage, row(library, 3), executable=build_kernel(SANITIZED) if sanitized else None) as live:
        live.advance(2_500)
        live.add(LiveMote(library, 4))  # for which the list moves once
        live.advance(3_500)
        for number in range(5, 25):
            live.add(LiveMote(library, number))
        live.advance(12_000)
        assert live.end().outcome is Outcome.OK
    said = {
        mote: [text for _, of, text in (one.split("\t", 2) for one in lines(log)) if of == f"ID:{mote}"]
        for mote in (1, 2, 3)
    }
    for mote, heard in ((1, -3 if repeated else -10), (2, -50), (3, -70)):
        assert said[mote] == [f"{heard if ms < 5 else -100} at {ms}" for ms in range(2, 7)], mote
    later = {text for one in lines(log) if (text := one.split("\t", 2)[2]).endswith("later")}
    assert later == {f"{-75 if repeated else -80} later"}


def test_bytes_come_as_they_were_printed(firmware, log):
    """Without the changes that Cooja makes to lines, and without waiting for a line's end."""
    library = firmware("""void cooja_tick(void) {
      if(first()) { print("\\0\\r\\xff", 3); etimer(2); return; }
      if(due()) print("x\\ny", 3);
    }""")
    with Live(Stage(Silent(), 1, log)) as live:
        live.add(LiveMote(library, 1, number=70))
        live.listen(70, "bytes")
        outputs = live.advance(10_000) + live.advance(10_000)
        assert outputs == [Output(0, 70, b"\0\r\xff"), Output(2_000, 70, b"x\ny")]
        live.end()
    assert len(lines(log)) == 1


def test_motes_may_share_an_id(library, log):
    with Live(Stage(DirectedGraph((Edge(10, 20),)), 1, log)) as live:
        for number in (10, 20):
            live.add(LiveMote(library, 5, number=number))
            live.listen(number)
        heard = live.advance(50_000, stop_on_output=False)
        assert {(output.mote, output.text) for output in heard} == {
            (10, b"up 5 00"),
            (20, b"up 5 00"),
        }, "their frames begin at the same time"
        with pytest.raises(ValueError, match="known by its id"):
            Live(Stage(Silent(), 1, log), [LiveMote(library, 5, number=6)])


@pytest.mark.parametrize("when", ["first", "later"])
def test_what_is_no_firmware_is_said(when, library, log, tmp_path):
    bad = tmp_path / "bad.cooja"
    bad.write_bytes(b"\x7fELF, but no more")
    with Live(Stage(Silent(), 1, log), [LiveMote(bad, 1)] if when == "first" else row(library, 1)) as live:
        with pytest.raises(SimulationEnded) as ended:
            live.advance(10)
            live.add(LiveMote(bad, 2))
            live.advance(20)
    assert ended.value.result.outcome is Outcome.SETUP_ERROR
    assert "bad.cooja" in ended.value.result.evidence[0]


def test_a_copy_with_another_seed_draws_other_numbers_of_libc(firmware, log):
    """A mote alone draws no numbers of the simulation's own."""
    draws = 'void cooja_tick(void) { if(first() || due()) { SAY("%d\\n", rand()); etimer(20); } }'
    with Live(Stage(Silent(), 1, log), row(firmware(f"#include <stdlib.h>\n{draws}"), 1)) as live:
        live.advance(30_000)
        later = []
        for seed in (None, 1, 2, 1):
            with live.fork(seed) as branch:
                branch.advance(100_000)
                branch.end()
                later.append([line for line in branch.read_log().splitlines() if "ID:1\t" in line][-4:])
    assert later[1] == later[3]
    assert len({*map(tuple, later)}) == 3
    assert all(len({*drawn}) == 4 for drawn in later)


def test_wrong_calls_are_refused(library, log):
    with Live(Stage(Silent(), 1, log), row(library, 2)) as live:
        with pytest.raises(ValueError, match="mote 2 is there already"):
            live.add(LiveMote(library, 2))
        with pytest.raises(ValueError, match="one line"):
            live.note(1, "two\nlines")
        with pytest.raises(NoSuchThing):
            live.write(3, b"x")
        with pytest.raises(ValueError, match="lines, bytes or nothing"):
            live.listen(1, "everything")
        live.remove(2)
        with pytest.raises(NoSuchThing):
            live.remove(2)
        assert live.end(ok=False).outcome is Outcome.FAILED
    assert log.read_text().endswith("TEST FAILED\nTest ended at simulation time: 0\n")


def test_a_simulation_takes_no_more_motes_and_libraries_than_it_has_room_for(
    library, second, log, monkeypatch
):
    assert (drive.MOST_ADDED, drive.MOST_TYPES) == (4000, 400)
    monkeypatch.setattr(drive, "MOST_ADDED", 3)
    monkeypatch.setattr(drive, "MOST_TYPES", 1)
    with Live(Stage(Silent(), 1, log), row(library, 1)) as live:
        for _ in range(2):
            with pytest.raises(Unsupported) as raised:
                live.add(LiveMote(second, 2))
            assert str(raised.value) == (
                "1 different libraries were loaded into this simulation, which is the most\n    begin "
                "another one"
            )
        live.add(LiveMote(library, 2))
        assert live.end().outcome is Outcome.OK
    with Live(Stage(Silent(), 1, log), row(library, 1)) as live:
        added = 0
        with pytest.raises(Unsupported) as raised:
            for number in range(2, 9):
                live.add(LiveMote(library, number))
                added += 1
        assert str(raised.value) == (
            "3 motes were added to this simulation, which is the most\n    begin another one"
        )
        assert added == 2 and live.end().outcome is Outcome.OK, "one was there at first"


def test_what_the_kernel_refuses_raises_unsupported(library, log):
    with Live(Stage(Silent(), 1, log), row(library, 1)) as live:
        live._say("dance")
        with pytest.raises(Unsupported, match="line 1 of what the driver of the simulation says"):
            live.advance(1)


def test_it_ends_with_its_driver(library, log):
    """The driver is killed while a mote computes for ever: nobody is left to end the simulation."""
    code = f"""
import os, signal, sys
from pathlib import Path
from orchestrator.csc.model import Silent
from orchestrator.engines.embedded.live import simulation as drive
from orchestrator.engines.embedded.live import Live, LiveMote, Stage
live = Live(Stage(Silent(), 1, Path({str(log)!r})), [LiveMote(Path({str(library)!r}), 1)])
live.advance(1000)
print(live.process.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as driver:
        kernel = int(driver.stdout.readline())
        driver.wait()
    wait_for_end(kernel)
