# SPDX-License-Identifier: Apache-2.0
"""A simulation that is copied: both go on by themselves, and share nothing."""

from __future__ import annotations

import os
import resource
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.csc.interfaces import STANDARD_INTERFACES
from orchestrator.csc.model import DirectedGraph, Edge, EndScript, Mote, MoteType, Simulation, Udgm
from orchestrator.csc.serial_socket import SerialSocket
from orchestrator.engines.model import Outside
from orchestrator.errors import StorageFailed, Unsupported, WrongUsage
from orchestrator.live import Live, LiveMote, SimulationEnded, Stage
from orchestrator.runs.model import Outcome
from tests import needs
from tests.engines.engine_firmware import compile_firmware
from tests.waiting import HANG_S, wait_for_end

needs.a_compiler()

# Each mote sends after a random number of ms, says what it hears, and crashes when it is told to.
BODY = """
#include <stdlib.h>
char simButtonIsDown, simButtonChanged, simButtonIsActive = 1;
char simSerialReceivingFlag, simSerialReceivingData[2048];
int simSerialReceivingLength;
int total, history[2000];
static unsigned *mine;
void cooja_tick(void) {
  if(first()) { srand(simRandomSeed); mine = malloc(4000); *mine = 0; etimer(simMoteID); return; }
  if(simSerialReceivingFlag) {
    simSerialReceivingFlag = 0; simSerialReceivingLength = 0;
    if(simSerialReceivingData[0] == '!') *(volatile int *)8 = 1;
    SAY("got %c\\n", simSerialReceivingData[0]);
  }
  if(simButtonChanged) { simButtonChanged = 0; SAY("button %d\\n", simButtonIsDown); }
  if(!simReceiving && simInSize > 0) {
    history[total++ % 2000] = simInDataBuffer[0];
    SAY("heard %d, %d so far\\n", simInDataBuffer[0], total);
    simInSize = 0;
  }
  if(due()) {
    etimer(5 + rand() % 20);
    simOutSize = 60; simOutDataBuffer[0] = ++*mine & 63;
  }
}"""
GRAPH = DirectedGraph(tuple(Edge(a, b, 0.7, delay_us=90) for a in range(1, 6) for b in range(1, 6) if a != b))
END_US = 600_000


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return compile_firmware(tmp_path_factory.mktemp("firmware"), "forked", BODY)


def begin(library, log: Path | None = None, medium=None, **options) -> Live:
    stage = Stage(medium or Udgm(50.0, 70.0, 1.0, 0.6), 11, log, 3_000, **options)
    live = Live(stage, [LiveMote(library, number, 12.0 * number) for number in range(1, 6)])
    for mote in sorted(live.motes):
        live.listen(mote)
    return live


def rest(live: Live) -> str:
    """Go to the end, act a little on the way, and return the whole log."""
    live.step(max(live.now_us, END_US // 2))
    live.write(2, "x")
    live.click(3)
    live.step(END_US)
    assert live.end().outcome is Outcome.OK
    return live.read_log()


@pytest.fixture(scope="module")
def alone(library):
    with begin(library) as live:
        return rest(live)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.lists(st.integers(0, END_US // 2 - 1), min_size=1, max_size=4))
def test_a_copy_and_what_it_was_copied_from_go_on_as_one_that_was_not(at, library, alone):
    """At any moment, in the middle of frames, also of copies of copies."""
    line = [begin(library)]
    for moment in sorted(at):
        line[-1].step(moment)
        line.append(line[-1].fork())
    logs = [rest(live) for live in reversed(line)]
    for live in line:
        live.close()
    assert logs == [alone] * len(logs) and "heard" in alone and "button 1" in alone


def test_they_share_nothing(library, alone):
    with begin(library) as live:
        live.step("100 ms")
        with live.fork() as other:
            other.write_variable(1, "total", b"\0\0\0\0")
            other.move(2, 500.0, 500.0)
            other.remove(4)
            other.add(LiveMote(library, 9, 20.0))
            other.set_medium(success_ratio_rx=0.1)
            other.step(END_US)
            other.note(7, "only here")
            assert other.motes == {1, 2, 3, 5, 9} and live.motes == {1, 2, 3, 4, 5}
            assert live.now_us == 100_000 and other.now_us == END_US
            assert "only here" in other.read_log() and other.read_log() != alone
        assert rest(live) == alone


@pytest.mark.parametrize("medium", [None, GRAPH])
def test_another_seed_draws_other_numbers_and_the_same_one_the_same(medium, library):
    with begin(library, medium=medium) as live:
        live.step("100 ms")
        past = live.read_log()
        logs = []
        for seed in (None, 1, 2, 1, -(2**63)):
            with live.fork(seed) as branch:
                logs.append(rest(branch))
                assert branch.seed == (11 if seed is None else seed)
        whole = rest(live)
    assert logs[0] == whole and logs[1] == logs[3]
    assert len({*logs}) == 4 and all(log.startswith(past) for log in logs)
    assert "100000\tID:0\ta copy with the random seed 1\n" in logs[1]


def test_what_is_pending_happens_in_both(library):
    with begin(library) as live:
        live.step("50 ms")
        live.remind(20_000, b"later")
        live.click(1)
        with live.fork() as other:
            both = [one.step("80 ms") for one in (live, other)]
    assert both[0] == both[1]
    assert {b"later", b"button 1", b"button 0"} <= {output.text for output in both[0]}


def test_the_log_of_a_copy_appears_with_all_of_the_past(library, tmp_path):
    with begin(library, tmp_path / "one.log") as live:
        live.step("100 ms")
        with live.fork(log=tmp_path / "two.log") as other:
            past = (tmp_path / "two.log").read_text()
            assert past.endswith("\n") and past.count("heard") > 20
            assert other.log == tmp_path / "two.log"
            assert {path.name for path in tmp_path.iterdir()} == {"one.log", "two.log"}
            other.step("200 ms")
            other.process.kill()
            with pytest.raises(SimulationEnded) as ended:
                other.step("10 s")
            assert ended.value.result.outcome is Outcome.LOST
        assert (tmp_path / "two.log").read_text().startswith(past)
        live.step("200 ms")
        with pytest.raises(StorageFailed, match="nowhere"):
            live.fork(log=tmp_path / "nowhere" / "x.log")
        assert live.end().outcome is Outcome.OK


def test_a_program_that_holds_too_many_copies_is_told_so(library):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = len(os.listdir("/proc/self/fd"))
    branches = []
    with begin(library) as live:
        live.step("10 ms")
        resource.setrlimit(resource.RLIMIT_NOFILE, (used + 30, hard))
        try:
            with pytest.raises(Unsupported, match="ulimit -n"):
                while len(branches) < 30:
                    branches.append(live.fork())
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert branches
        for branch in branches:
            branch.close()
        with live.fork() as branch:
            branch.step("20 ms")


def test_copies_end_also_in_a_program_with_thousands_of_open_files(library):
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limits[1] < 1200:
        pytest.skip("no program may open so many files here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(limits[0], 1200), limits[1]))
    with ExitStack() as held:
        held.callback(resource.setrlimit, resource.RLIMIT_NOFILE, limits)
        while held.enter_context(open(os.devnull)).fileno() < 1024:
            pass
        with begin(library) as live, live.fork() as branch:
            branch.step("10 ms")
            assert branch.end().outcome is Outcome.OK


def test_a_process_that_the_program_forks_keeps_no_simulation_alive(library):
    with begin(library) as live:
        live.step("10 ms")
        child = os.fork()
        if child == 0:
            signal.pause()
            os._exit(0)
        began = time.monotonic()
        live.close()
        took_s = time.monotonic() - began
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert took_s < 50, "it is not killed after a minute of patience"


def test_a_copy_of_what_is_over_is_refused(library, tmp_path):
    with begin(library, tmp_path / "log") as live:
        with pytest.raises(WrongUsage, match="another one"):
            live.fork(log=tmp_path / "log")
        live.process.kill()
        with pytest.raises(SimulationEnded):
            live.fork()
        with pytest.raises(SimulationEnded):
            live.fork()
    with begin(library) as live:
        pass
    with pytest.raises(WrongUsage, match="closed"):
        live.fork()


def test_a_copy_lives_longer_than_what_it_was_copied_from(library, alone):
    with begin(library) as live:
        live.step("100 ms")
        other = live.fork()
    with other:
        assert rest(other) == alone
    with pytest.raises(ChildProcessError):
        os.waitpid(other.process.pid, 0)  # nothing of it is left


def test_a_crash_ends_the_copy_alone_and_its_report_knows_the_past(library, alone):
    with begin(library) as live:
        live.step("100 ms")
        with live.fork() as other:
            other.write(2, "!")
            with pytest.raises(SimulationEnded) as ended:
                other.step("101 ms")
        assert ended.value.result.outcome is Outcome.CRASH
        assert any("last printed" in line and "heard" in line for line in ended.value.result.evidence)
        assert rest(live) == alone


def test_a_fault_is_contained_in_a_copy(library):
    with begin(library, contain=True) as live:
        live.step("100 ms")
        with live.fork() as other:
            other.write(2, "!")
            other.step("110 ms")
            assert set(other.fallen) == {2} and live.fallen == {}
            assert 2 in live.motes and 2 not in other.motes


def test_what_takes_part_and_can_t_be_copied_is_named(library):
    with begin(library) as live:
        with live.hold("the UDP socket fd00::1 port 5683 is open"):
            with pytest.raises(Unsupported, match="port 5683"):
                live.fork()
        with live.fork() as other:
            other.step("10 ms")
    with pytest.raises(ValueError, match="64 bits"):
        live.fork(seed=2**63)


def test_a_copy_ends_with_its_program(library, tmp_path):
    """Also while a mote of it computes for ever."""
    endless = compile_firmware(
        tmp_path, "endless", "void cooja_tick(void) { if(simCurrentTime > 50) for(;;); etimer(1); due(); }"
    )
    code = f"""
import os, signal, threading
from pathlib import Path
from orchestrator.live import Live, LiveMote, Stage
from orchestrator.csc.model import Silent
live = Live(Stage(Silent(), 1, None), [LiveMote(Path({str(endless)!r}), 1)])
live.step(1000)
copy = live.fork()
live.close()

def die():
    print(copy.process.pid, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)

threading.Timer(0.5, die).start()
copy.step("1 s")
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as driver:
        number = int(driver.stdout.readline())
        driver.wait(HANG_S)
    assert driver.returncode == -signal.SIGKILL
    wait_for_end(number)


def test_an_open_serial_socket_is_named(library, tmp_path):
    """And works meanwhile: a client writes to the mote, and reads what it prints."""
    simulation = Simulation(
        title="t",
        seed=1,
        motedelay_us=0,
        medium=Udgm(50.0, 70.0),
        mote_types=(MoteType("t", "t", "t.c", "", STANDARD_INTERFACES),),
        motes=(Mote("t", 4, 0.0, 0.0),),
        script=EndScript(1),
        serial_sockets=(SerialSocket(7, 0, 0, "", ()),),
    )
    said: list[str] = []
    outside = Outside(file=tmp_path / "t.csc", commands=False, speed=0.0, say=said.append)
    stage = Stage(simulation.medium, 1, tmp_path / "log")
    with Live.of(stage, simulation, {"t": library}, outside=outside) as live:
        port = int(said[0].split(" port ")[1].split()[0])
        with socket.create_connection(("127.0.0.1", port), HANG_S) as client:
            client.sendall(b"y")
            live.listen(4)
            got = live.run_until(lambda output: output.text == b"got y", "1000 s")
            assert got is not None and client.recv(5) == b"got y"
            with pytest.raises(Unsupported, match=f"SerialSocketServer of mote 4 has port {port} open"):
                live.fork()
            live.step(by="1 ms")
        assert live.end().outcome is Outcome.OK
