# SPDX-License-Identifier: Apache-2.0
"""What the kernel's report says of a run that it ends: exactly the mote, its last output, and the reason."""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
from types import SimpleNamespace

import pytest
from engine_firmware import HEAD, simulation

from orchestrator.build import kernel
from orchestrator.csc.interfaces import STANDARD_INTERFACES
from orchestrator.csc.model import Mote, MoteType, Silent, Simulation
from orchestrator.engines.embedded.description import describe
from orchestrator.engines.embedded.live import Live, LiveMote, SimulationEnded, Stage
from orchestrator.runs.model import Outcome
from tests.engines.test_sanitizers import compiled

CRASH, TIME, STORAGE, FULL = 4, 5, 6, 9
SHOWN = 400  # bytes of a line
ENDLESS = """
#include <stdlib.h>
void cooja_tick(void) {
  if(first()) SAY("up\\n");
  simRtimerPending = 1;
  simRtimerNextExpirationTime = 5;
  WORK;
}
"""


@pytest.fixture
def ended(tmp_path):
    def ended(simulated, libraries, *arguments: str, log: str = "log", seed: int = 1):
        """Its exit code, its report and its log."""
        if not isinstance(libraries, dict):
            libraries = {"t": libraries}
        done = subprocess.run(
            [kernel.executable(), "--log", log, *arguments],
            input=describe(simulated, seed, libraries, "5.0"),
            cwd=tmp_path,
            capture_output=True,
            check=False,
        )
        report = json.loads(done.stdout)
        lines = (tmp_path / log).read_text().splitlines() if (tmp_path / log).is_file() else []
        return SimpleNamespace(status=done.returncode, report=report, lines=lines)

    return ended


PRINTING = """
static const int LINES[] = {COUNTS};
void cooja_tick(void) {
  for(int i = 0; i < LINES[simMoteID - 1]; i++) SAY("line %d at %lld\\n", i, (long long)simCurrentTime);
  etimer(1);
}
"""


@pytest.mark.parametrize("counts", [(1, 3, 2), (3, 1, 1), (1, 1, 3), (2, 2, 1)])
def test_who_filled_the_log(counts, firmware, ended):
    """A log may be as long as its limit. Of two motes that printed as much, it is the first one."""
    library = firmware(PRINTING.replace("COUNTS", ",".join(map(str, counts))))
    simulated = simulation([(0, 0), (10, 0), (20, 0)], 0.03)
    whole = ended(simulated, library)
    limit = len("\n".join(whole.lines[:-2])) + 1
    assert ended(simulated, library, "--log-limit", str(limit)).status == 0, "the verdict is beside it"
    full = ended(simulated, library, "--log-limit", str(limit - 1))
    assert full.lines == whole.lines[:-2]
    full = ended(simulated, library, "--log-limit", "3000")
    assert len("\n".join(full.lines)) + 1 > 3000 >= len("\n".join(full.lines[:-1])) + 1
    printed = [[line for line in full.lines if f"\tID:{mote}\t" in line] for mote in (1, 2, 3)]
    sizes = [sum(len(line) + 1 for line in lines) for lines in printed]
    most = sizes.index(max(sizes))
    assert (full.status, full.report["report"], full.report["mote"]) == (FULL, "full", most + 1)
    assert full.report["reason"] == (
        f"the log reached its limit of 3000 bytes; most of it is this mote's: {sizes[most]}"
    )
    assert full.report["last"] == printed[most][-4:]
    assert full.report["sim_us"] == int(full.lines[-1].split("\t")[0])


def test_a_full_log_is_the_end_of_a_driven_run_too(firmware, tmp_path, monkeypatch):
    monkeypatch.setenv("ORCHESTRATE_LOG_LIMIT", "2000")
    library, log = firmware(PRINTING.replace("COUNTS", "1,2")), tmp_path / "log"
    with Live(Stage(Silent(), 1, log, contain=True), [LiveMote(library, 1), LiveMote(library, 2)]) as live:
        with pytest.raises(SimulationEnded) as raised:
            live.advance(1_000_000, stop_on_output=False)
    assert raised.value.result.outcome is Outcome.TRUNCATED
    assert raised.value.result.evidence[0].startswith("mote 2: the log reached its limit of 2000 bytes")
    assert live.fallen == {}
    lines = log.read_text().splitlines(keepends=True)
    assert len("".join(lines)) > 2000 >= len("".join(lines[:-1]))


ABORTING = """
#include <stdlib.h>
static char row[500];
extern char _end[];
void cooja_tick(void) {
  memset(row, 0x1c, sizeof(row));
  if(first()) {
    for(int i = 0; i < 5; i++) { print(row, 450); print("\\n", 1); }
    print(row, 450);
    etimer(5);
    return;
  }
  if(due()) { ACTION; }
}
"""


def test_the_longest_report_is_whole(firmware, ended):
    """Each byte of it takes six."""
    run = ended(simulation([(0, 0)]), firmware(ABORTING.replace("ACTION", "print(row, 500); abort()")))
    assert (run.status, run.report["reason"]) == (CRASH, "SIGABRT")
    assert run.report["last"] == [("0\tID:1\t" + "\x1c" * 450)[:SHOWN]] * 4
    assert (run.report["unfinished"], run.report["pending"]) == ("\x1c" * SHOWN, "\x1c" * SHOWN)


@pytest.mark.parametrize(
    ("action", "pending"),
    [
        ("abort()", None),
        ('print("a", 1); abort()', "a"),
        ("simLoggedData[0] = 'b'; simLoggedLength = 1; abort()", "b"),
        ("simLoggedLength = -1; abort()", None),
        ("_end[-1] = 'z'; simLoggedLength = (int)(_end - simLoggedData); abort()", "z"),
        ("simLoggedLength = (int)(_end - simLoggedData) + 1; abort()", None),
    ],
)
def test_what_a_mote_printed_in_its_last_tick(action, pending, firmware, ended):
    """As far as its memory reaches."""
    run = ended(simulation([(0, 0)]), firmware(ABORTING.replace("ACTION", action)))
    assert run.report["reason"] == "SIGABRT"
    assert (run.report.get("pending") or "")[-1:] == (pending or "")
    assert ("pending" in run.report) == (pending is not None)


@pytest.mark.parametrize(
    ("more", "reason"), [(0, None), (1, "simLoggedLength reaches outside the mote's memory")]
)
def test_a_mote_prints_as_far_as_its_memory_reaches(more, reason, firmware, ended):
    action = f"simLoggedFlag = 1; simLoggedLength = (int)(_end - simLoggedData) + {more}"
    run = ended(simulation([(0, 0)]), firmware(ABORTING.replace("ACTION", action)))
    assert run.report.get("reason") == reason


def test_a_mote_without_a_serial_port_printed_nothing(firmware, ended):
    interfaces = tuple(one for one in STANDARD_INTERFACES if one != "ContikiRS232")
    run = ended(
        simulation([(0, 0)], interfaces=interfaces),
        firmware(ABORTING.replace("ACTION", 'print("a", 1); abort()')),
    )
    assert (run.report["reason"], run.report["last"], run.report["unfinished"]) == ("SIGABRT", [], "")
    assert "pending" not in run.report


@pytest.mark.parametrize("number", ["SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP", "SIGSYS", "SIGABRT"])
def test_signals_by_their_names(number, firmware, ended, tmp_path):
    """Of a mote that gets one, and of the simulator between two steps, which is the simulator's own fault."""
    body = "#include <signal.h>\nvoid cooja_tick(void) { if(simMoteID == 2) raise(NUMBER); }"
    run = ended(simulation([(0, 0), (9, 0)]), firmware(body.replace("NUMBER", number)))
    assert (run.status, run.report["reason"], run.report["mote"]) == (CRASH, number, 2)
    assert ("address" in run.report) == (number in ("SIGSEGV", "SIGBUS"))
    with Live(Stage(Silent(), 1, tmp_path / "live"), [LiveMote(firmware(TICKING), 1)]) as live:
        live.advance(5000)
        os.kill(live.process.pid, getattr(signal, number))
        with pytest.raises(SimulationEnded) as raised:
            live.advance(6000)
    assert raised.value.result.outcome is Outcome.LOST
    assert raised.value.result.evidence[0] == (
        f"the simulator itself crashed with {number} at simulated time 5000 us; please report it"
    )


TICKING = "void cooja_tick(void) { etimer(1); }"
LATER = "void exit(int); void cooja_tick(void) { if(first()) etimer(30); if(due()) exit(3); }"


def test_a_fault_is_nobody_else_s(firmware, tmp_path):
    """The place that a sanitizer found in one mote isn't in the next one's report; and a fault of the
    simulator right behind both is the simulator's.
    """
    library = compiled(tmp_path, "zero = big + seven;", "undefined")
    motes = [LiveMote(library, 2), LiveMote(firmware(LATER), 3)]
    with Live(Stage(Silent(), 1, tmp_path / "log", contain=True), motes) as live:
        while live.motes:
            live.advance(1_000_000)
        os.kill(live.process.pid, signal.SIGBUS)
        with pytest.raises(SimulationEnded) as raised:
            live.advance(2_000_000)
    assert "overflow of 'int'" in live.fallen[2][0] and live.fallen[2][1].startswith("in faulty")
    assert live.fallen[3] == ("mote 3: exit(3), simulated time 30000 us",)
    assert raised.value.result.evidence[0].startswith("the simulator itself crashed with SIGBUS")


def test_a_step_that_never_ends_is_no_single_mote_s_fault(firmware, tmp_path):
    library = firmware(ENDLESS.replace("WORK", ""))
    stage = Stage(Silent(), 1, tmp_path / "log", contain=True, step_limit_s=0.2)
    with Live(stage, [LiveMote(library, 1)]) as live:
        with pytest.raises(SimulationEnded) as raised:
            live.advance(10)
    assert raised.value.result.outcome is Outcome.WALL_LIMIT
    assert "time limit of a step" in raised.value.result.evidence[0]
    assert live.fallen == {}


def test_the_mote_that_runs_most_of_the_time_is_named(firmware, ended):
    work = "for(volatile int i = 0; simMoteID == 2 && i < 20000000; i++) { }"
    run = ended(simulation([(0, 0), (9, 0)]), firmware(ENDLESS.replace("WORK", work)), "--limit", "1")
    assert (run.status, run.report["reason"], run.report["mote"]) == (TIME, "wall-clock limit", 2)
    assert run.lines[1:] == ["0\tID:1\tup", "0\tID:2\tup"]


@pytest.mark.parametrize(
    ("full", "said"),
    [
        ("log", "can't write the log: No space left on device"),
        ("radio.pcap", "can't write the record of the radios"),
        ("events.csv", "can't write the record of the radios"),
    ],
)
def test_a_full_disk_ends_a_run_soon(full, said, firmware, ended, tmp_path):
    (tmp_path / full).symlink_to("/dev/full")
    library = firmware(ENDLESS.replace("WORK", "if(!simOutSize) simOutSize = 5"))
    run = ended(simulation([(0, 0)]), library, "--limit", "60", "--radio", ".")
    assert (run.status, run.report["message"]) == (STORAGE, said)


SHARING = HEAD + "const char mote_leaves_rbx = 1;\n"
OVERRUN = """
#include <stdlib.h>
void cooja_tick(void) {
  if(!first()) return;
  if(simMoteID == OVER) for(volatile char *at = _end; at < _end + 192; at++) *at = 1;
  if(simMoteID == ABORTS) abort();
}"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="code shared by all motes needs an x86-64")
@pytest.mark.parametrize("aborts", [0, 1, 3])
@pytest.mark.parametrize("over", [0, 1, 2, 3])
def test_who_wrote_past_its_data_is_found_before_anything_else(over, aborts, firmware, ended):
    """Whichever type it is of: the same run has to be made again with guards, whatever it ended for."""
    text = "extern char _end[];\n" + OVERRUN.replace("OVER", str(over)).replace("ABORTS", str(aborts))
    libraries = {
        name: firmware(f"const char type_{name} = 1;\n{text}", ("-ffixed-rbx",), head=SHARING)
        for name in "tu"
    }
    base = simulation([(0, 0)])
    types = tuple(MoteType(name, name, "", "", STANDARD_INTERFACES) for name in "tu")
    motes = (Mote("t", 1, 0.0, 0.0), Mote("u", 2, 9.0, 0.0), Mote("u", 3, 18.0, 0.0))
    run = ended(Simulation("two types", 1, 0, base.medium, types, motes, base.script), libraries)
    if over and (not aborts or over <= aborts):
        path = str(libraries["t" if over == 1 else "u"])
        assert (run.status, run.report) == (CRASH, {"report": "overrun", "firmware": path})
    else:
        assert run.report["report"] == ("crash" if aborts else "end")
        assert run.report.get("mote") == (aborts or None)
