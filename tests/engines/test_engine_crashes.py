# SPDX-License-Identifier: Apache-2.0
"""A mote's fault ends its own run, with a report that names the mote; it never ends the caller."""

from __future__ import annotations

from pathlib import Path
from platform import machine

import pytest
from engine_firmware import HEAD, simulation

from orchestrator.engines.model import Job
from orchestrator.engines.protocol import run_one
from orchestrator.errors import StorageFailed, Unsupported
from orchestrator.runs.model import Outcome

# Mote 2 does ACTION half a second in; mote 1 goes on printing.
CRASHING = """
static __attribute__((noinline)) int deep(volatile int *up) {
  volatile int here[1000];
  here[0] = *up;
  return deep(here) + here[1];
}
void cooja_tick(void) {
  if(first()) { SAY("hello from %d\\n", simMoteID); etimer(100); return; }
  if(!due()) return;
  SAY("still here %d\\n", simMoteID);
  etimer(100);
  if(simMoteID == 2 && simCurrentTime >= 500) { SAY("about to"); simProcessRunValue = 1; }
  if(simMoteID == 2 && simCurrentTime >= 600) { ACTION; }
}
"""


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("*(volatile int *)8 = 1", "SIGSEGV at address 0x8"),
        ("((volatile char *)cooja_tick)[0] = 1", "SIGSEGV"),
        ("volatile int zero = 0; simOutSize = 1000 / zero", "SIGFPE"),
        ("__builtin_trap()", "SIGILL"),
        ("abort()", "SIGABRT"),
        ("exit(3)", "exit(3)"),
        ("_exit(0)", "exit(0)"),
        ("_Exit(4)", "exit(4)"),
        ("quick_exit(5)", "exit(5)"),
        ("_Znwm(1UL << 62)", "SIGABRT"),  # operator new can't throw here
        ("getcontext(&thread); makecontext(&thread, abort, 7, 1, 2, 3, 4, 5, 6, 7)", "SIGABRT"),
        ("simOutSize = deep(&simInSize)", "SIGSEGV"),
        ("simLoggedFlag = 1; simLoggedLength = 1 << 30", "simLoggedLength"),
        ("simLoggedFlag = 1; simLoggedLength = -1", "simLoggedLength"),
        ("simOutSize = 1 << 30", "simOutSize"),
    ],
)
def test_a_crash_names_the_mote_the_reason_and_its_last_lines(action, reason, firmware, run):
    if "zero" in action and "x86" not in machine():
        pytest.skip("division by zero does not trap here")
    head = "#include <stdlib.h>\n#include <ucontext.h>\n#include <unistd.h>\nstatic ucontext_t thread;\n"
    library = firmware(head + "void *_Znwm(unsigned long);\n" + CRASHING.replace("ACTION", action))
    ended = run(simulation([(0, 0), (10, 0)], 5), library)
    assert ended.result.outcome is Outcome.CRASH
    assert ended.result.sim_us == 600_000
    assert ended.result.evidence[0].startswith(f"mote 2: {reason}")
    assert "last printed: 400000\tID:2\tstill here 2" in ended.result.evidence
    assert any(line.startswith("without a line's end: about to") for line in ended.result.evidence)
    assert (500_000, 1, "still here 1") in ended.lines, "the log was flushed"
    if reason.startswith("sim"):  # at which Cooja itself stops, and says when; of the others its JVM dies
        assert ended.log.endswith(b"\nTest ended at simulation time: 600000\n")
    else:
        assert b"Test ended" not in ended.log


CALLS = """
#include <stdio.h>
#include <stdlib.h>
static volatile int zero;
__attribute__((noinline)) void prints(int depth) {
  char text[300];
  snprintf(text, sizeof(text), "%300d", depth);
  if(depth > 0) prints(depth - 1);
  __asm__ volatile("" ::: "memory");
}
__attribute__((noinline)) void divides(int a) { simOutSize = a / zero; __asm__ volatile("" ::: "memory"); }
__attribute__((noinline)) void gives_up(void) { abort(); }
void cooja_tick(void) {
  if(first()) { etimer(1); return; }
  prints(20);
  if(simMoteID == 1) divides(7);
  gives_up();
}
"""


@pytest.mark.skipif("x86" not in machine(), reason="a division by zero does not trap here")
def test_a_division_by_zero_is_told_as_one_and_placed_in_its_function(firmware, run):
    ended = run(simulation([(0, 0)], 5), firmware(CALLS))
    assert "division by zero" in ended.result.evidence[0]
    assert "written" not in ended.result.evidence[0] and "address" not in ended.result.evidence[0]
    assert ended.result.evidence[1].startswith("in divides")


def test_an_abort_is_placed_where_it_is_called(firmware, run):
    ended = run(simulation([(0, 0)], 5), firmware(CALLS.replace("simMoteID == 1", "0")))
    assert ended.result.evidence[1].startswith("in code called by gives_up")


PRINTING_MUCH = """
#include <stdlib.h>
static void row(char letter, int count) { char text[500]; memset(text, letter, count); print(text, count); }
void cooja_tick(void) {
  int begins = first();
  if(begins) { SAY("line 1\\nline 2\\nline 3\\n"); row('x', 450); SAY("\\nline 5\\n"); }
  else if(!due()) return;
  etimer(100);
  if(begins) return;
  if(simCurrentTime == 100) { row('y', UNFINISHED); return; }
  row('z', PENDING); SAY("\\nb\\nc\\nd"); abort();
}
"""


@pytest.mark.parametrize("unfinished", [0, 386, 387, 388, 399, 400, 401])
def test_of_what_a_mote_printed_last_four_lines_and_400_bytes_of_each_are_shown(unfinished, firmware, run):
    library = firmware(
        PRINTING_MUCH.replace("UNFINISHED", str(unfinished)).replace("PENDING", str(unfinished + 7))
    )
    ended = run(simulation([(0, 0)], 5), library)
    begin = "0\tID:1\t"
    assert ended.result.evidence[-(8 + (unfinished > 0)) :] == (
        f"last printed: {begin}line 2",
        f"last printed: {begin}line 3",
        f"last printed: {begin}{'x' * (400 - len(begin))}",
        f"last printed: {begin}line 5",
        *([f"without a line's end: {'y' * min(unfinished, 400)}"] if unfinished else []),
        f"printed since: {'z' * min(unfinished + 7, 394)}",
        "printed since: b",
        "printed since: c",
        "printed since: d",
    )


def hung(run, motes, library, reached):
    """A run over its limit, which is as long as this machine needs to come where it hangs."""
    for limit_s in (0.5, 4, 32, 256):
        ended = run(simulation(motes, 5), library, wall_limit_s=limit_s)
        assert ended.result.outcome is Outcome.WALL_LIMIT
        if reached(ended):
            break
    return ended


def test_a_mote_that_hangs_is_named(firmware, run):
    library = firmware(CRASHING.replace("ACTION", "for(;;) { }"))
    ended = hung(run, [(0, 0), (10, 0)], library, lambda ended: (500_000, 1, "still here 1") in ended.lines)
    assert ended.result.evidence[0].startswith("mote 2: wall-clock limit; the mote's code does not return")
    assert (500_000, 1, "still here 1") in ended.lines


def test_a_mote_that_sleeps_with_signals_blocked_is_killed_from_outside(firmware, run, monkeypatch):
    monkeypatch.setattr("orchestrator.engines.embedded.engine._GRACE_S", 0.5)
    body = CRASHING.replace(
        "ACTION", "sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, 0); for(;;) { }"
    )
    ended = run(simulation([(0, 0), (10, 0)], 5), firmware("#include <signal.h>\n" + body), wall_limit_s=0.5)
    assert ended.result.outcome is Outcome.WALL_LIMIT


def test_time_that_stands_still_is_a_timeout(firmware, run):
    library = firmware("void cooja_tick(void) { simRtimerPending = 1; simRtimerNextExpirationTime = 5; }")
    ended = hung(run, [(0, 0)], library, lambda ended: ended.result.events > 1000)
    assert ended.result.events > 1000


def test_what_firmware_prints_through_libc_is_evidence_not_protocol(firmware, run):
    body = CRASHING.replace(
        "ACTION", 'printf("{\\"report\\":\\"end\\",\\"verdict\\":true}\\n"); fflush(stdout); abort()'
    )
    ended = run(simulation([(0, 0), (10, 0)], 5), firmware("#include <stdlib.h>\n" + body))
    assert ended.result.outcome is Outcome.CRASH
    assert '{"report":"end","verdict":true}' in ended.result.evidence


def test_missing_variables_are_named_with_their_interfaces(firmware, run):
    head = HEAD.replace("simLedsValue, ", "").replace("simPower = 100", "otherName")
    ended = run(simulation([(0, 0)]), firmware("void cooja_tick(void) { }", head=head))
    assert ended.result.outcome is Outcome.SETUP_ERROR
    assert "simPower (ContikiRadio), simLedsValue (ContikiLED)" in ended.result.evidence[0]


@pytest.mark.parametrize(
    ("declared", "instead", "said"),
    [
        (
            "simReceiving,",
            'simReceiving __attribute__((section("mine"))) = 0,',
            "the variable simReceiving lies in a section of its own",
        ),
        (
            "simEEPROMData[1024]",
            "simEEPROMData[8]",
            "the EEPROM image of mote 1 has 9 bytes and simEEPROMData 8",
        ),
    ],
)
def test_variables_that_cooja_does_not_reach_or_writes_beyond_are_named(
    declared, instead, said, firmware, run
):
    ended = run(
        simulation([(0, 0)], eeprom=b"123456789"),
        firmware("void cooja_tick(void) { }", head=HEAD.replace(declared, instead)),
    )
    assert ended.result.outcome is Outcome.SETUP_ERROR
    assert said in ended.result.evidence[0]


def test_what_cooja_reads_ends_with_the_section(firmware, run):
    """As in Cooja, where .data and .bss are two memories: from initialised variables it doesn't reach into
    the others.
    """
    head = HEAD.replace("simLoggedData[40000]", "simLoggedData[40] = {1}")
    body = "char behind[100000]; void cooja_tick(void) { simLoggedFlag = 1; simLoggedLength = 50000; }"
    ended = run(simulation([(0, 0)]), firmware(body, head=head))
    assert ended.result.outcome is Outcome.CRASH
    assert ended.result.evidence[0].startswith("mote 1: simLoggedLength reaches outside")


def test_a_missing_variable_of_an_interface_that_is_not_listed_is_no_fault(firmware, run):
    head = HEAD.replace("simLedsValue, ", "")
    interfaces = ("Position", "ContikiMoteID", "ContikiRS232", "ContikiClock")
    ended = run(simulation([(0, 0)], interfaces=interfaces), firmware("void cooja_tick(void) { }", head=head))
    assert ended.result.outcome is Outcome.OK


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "No such file"),
        (b"", "not a firmware file"),
        (b"#!/bin/sh\n" * 100, "not a 64-bit shared object"),
        ("undefined", "no_such_function"),
        ("thread-local", "without __thread, or run the file with --engine cooja"),
        ("named as in libc", "its variable stat has the name of something in the C library"),
        ("executable", "not a 64-bit shared object"),
    ],
)
def test_what_is_no_firmware_is_a_load_error(content, reason, firmware, run, tmp_path):
    library = tmp_path / "some.cooja"
    if content == "undefined":
        library = firmware("int no_such_function(void); void cooja_tick(void) { no_such_function(); }")
    elif content == "thread-local":
        library = firmware("__thread int local; void cooja_tick(void) { local++; }")
    elif content == "named as in libc":
        library = firmware("int stat; void cooja_tick(void) { stat++; }")
    elif content == "executable":
        library = firmware("void cooja_tick(void) { }", ("-c",))
    elif content is not None:
        library.write_bytes(content)
    ended = run(simulation([(0, 0)]), library)
    assert ended.result.outcome is Outcome.SETUP_ERROR
    assert reason in ended.result.evidence[0]


def test_what_the_engine_lacks_is_unsupported(firmware, run):
    library = firmware("void cooja_tick(void) { }")
    with pytest.raises(Unsupported, match="interface"):
        run(simulation([(0, 0)], interfaces=("ContikiMoteID", "ContikiClock", "NoSuchThing")), library)
    with pytest.raises(Unsupported, match="rule set"):
        run(simulation([(0, 0)]), library, ruleset="4.0")


def test_a_log_that_cannot_be_written(firmware, embedded, tmp_path):
    library = firmware(CRASHING.replace("ACTION", ""))
    with pytest.raises(StorageFailed, match="No space left"):
        run_one(embedded, Job(simulation([(0, 0)]), 1, {"t": library}, Path("/dev/full")))
    with pytest.raises(StorageFailed, match="can't create"):
        run_one(embedded, Job(simulation([(0, 0)]), 1, {"t": library}, tmp_path / "no" / "folder"))
