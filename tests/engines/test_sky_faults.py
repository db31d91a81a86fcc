# SPDX-License-Identifier: Apache-2.0
"""What firmware of emulated Tmote Skys does wrong is named with mote, time, function and source line."""

from __future__ import annotations

import re

import pytest
from sky_firmware import FIRST_LINE, built, ran

from orchestrator.cli.simulate_results import Row
from orchestrator.errors import Unsupported
from orchestrator.runs.model import Outcome

# The fault is on the first line; begin() prints a line before.
MAIN = "\nint main(void) { begin(); FAULT; for(;;) _BIS_SR(LPM4_bits); }\n"
CALLS = (
    "static void (*volatile f)(void) = (void (*)(void))ADDRESS; "
    "NOINLINE static void leaps(void) { f(); say(0); }"
)
STUCK = "NOINLINE static void stuck(void) { for(;;) __nop(); }"


def program(first_line: str, fault: str) -> str:
    return first_line.replace("NOINLINE", "__attribute__((noinline))") + MAIN.replace("FAULT", fault)


@pytest.mark.parametrize("plain", [False, True], ids=["usual", "plain"])
@pytest.mark.parametrize(
    ("first_line", "fault", "what", "where"),
    [
        (CALLS.replace("ADDRESS", "0"), "leaps()", "illegal instruction at 0x0", "called by leaps"),
        (CALLS.replace("ADDRESS", "0xc000"), "leaps()", "illegal instruction at 0xc000", "called by leaps"),
        (CALLS.replace("ADDRESS", "0x3a00"), "leaps()", "no memory at 0x3a00", "called by leaps"),
        (
            'NOINLINE static void bad(void) { __asm__ volatile(".word 0"); }',
            "bad()",
            "illegal instruction",
            "in bad",
        ),
        (
            'NOINLINE static void on(void) { __asm__ volatile("mov #0x180, r1\\n call #leaf"); }',
            "on()",
            "a write where nothing can be written at 0x17e",
            "in on",
        ),
    ],
    ids=["null pointer", "erased flash", "no memory", "no instruction", "stack in registers"],
)
def test_a_crash_has_its_function_and_line(first_line, fault, what, where, plain, tmp_path):
    leaf = "\n__attribute__((noinline, used)) void leaf(void) { __nop(); }\n"
    result, log = ran(built(program(first_line, fault) + leaf, tmp_path), plain)
    assert result.outcome is Outcome.CRASH
    assert result.evidence[0].startswith("mote 7: ")
    assert what in result.evidence[0]
    assert f"simulated time {result.sim_us} us" in result.evidence[0]
    assert where in result.evidence[1]
    assert f"a.c:{FIRST_LINE})" in result.evidence[1]
    assert log.endswith(f"Test ended at simulation time: {result.sim_us}\n"), "as in Cooja"


def test_what_is_not_emulated_is_named_at_its_time(tmp_path):
    wait = "for(volatile uint16_t i = 0; i < 1000; i++) __nop(); leaps()"
    firmware = built(program(CALLS.replace("ADDRESS", "0x120"), wait), tmp_path)
    said = []
    for plain in False, True:
        with pytest.raises(Unsupported) as caught:
            ran(firmware, plain)
        said.append(str(caught.value))
    assert said[0] == said[1], "ahead of others or not"
    assert "registers of peripherals" in said[0]
    assert re.search(r"simulated time \d{4,} us", said[0])
    assert re.search(rf"leaps \(.*a\.c:{FIRST_LINE}\)", said[0])


@pytest.mark.parametrize("plain", [False, True], ids=["usual", "plain"])
@pytest.mark.parametrize(
    ("first_line", "fault", "what"),
    [
        (
            STUCK,
            "WDTCTL = WDTPW | WDTCNTCL | WDTSSEL; stuck()",
            r"the watchdog reset it 4 times.* in stuck \(",
        ),
        (
            "NOINLINE static void writes(void) { WDTCTL = 0; }",
            "for(volatile uint16_t i = 0; i < 60000; i++) __nop(); writes()",
            r"without its password reset it \d+ times.* in writes \(",
        ),
        (
            "NOINLINE static void writes(void) { FCTL1 = 0; }",
            "for(volatile uint16_t i = 0; i < 60000; i++) __nop(); writes()",
            r"flash controller without its password reset it \d+ times.* in writes \(",
        ),
        (STUCK, "dint(); stuck()", r"for the last 5 s it neither slept nor took an interrupt in stuck \("),
    ],
    ids=["watchdog", "watchdog's password", "flash's password", "interrupts off"],
)
def test_what_ends_no_run_is_a_warning(first_line, fault, what, plain, tmp_path):
    result, _ = ran(built(program(first_line, fault), tmp_path), plain)
    assert result.outcome is Outcome.OK
    (warning,) = result.evidence
    assert warning.startswith("warning: mote 7: ")
    assert re.search(what + rf".*a\.c:{FIRST_LINE}\)", warning)
    assert warning in Row(None, "ok", 0, 1, result, result.evidence).told(), "simulate prints it"


DEEP = (
    "static volatile uint8_t data[9000]; NOINLINE static int deep(int n) "
    "{ volatile int here[20]; here[n & 15] = n; if(n) here[1] = deep(n - 1); return here[n & 7]; }"
)


@pytest.mark.parametrize("plain", [False, True], ids=["usual", "plain"])
@pytest.mark.parametrize("depth", [10, 40])
def test_a_stack_that_grows_into_variables_is_a_warning(depth, plain, tmp_path):
    """10,240 bytes of RAM: 40 frames of more than 40 bytes don't fit beside 9,000 of data, ten do."""
    result, log = ran(built(program(DEEP, f"data[1] = deep({depth})"), tmp_path), plain)
    assert result.outcome is Outcome.OK
    assert "begins" in log
    if depth == 10:
        assert result.evidence == ()
        return
    (warning,) = result.evidence
    grew = re.search(
        r"its stack grew (\d+) bytes into its variables, first at \d+ us .* in deep \(.*deep", warning
    )
    assert 300 < int(grew[1]) < 1000


def test_a_thread_s_stack_is_no_overflow(tmp_path):
    """The firmware itself moves SP into an array."""
    threads = (
        "uint16_t stack[60], kept; NOINLINE static void on(void) { __asm__ volatile("
        '"mov r1, &kept\\n mov #stack+120, r1\\n call #leaf\\n mov &kept, r1" ::: "memory", "r12"); }'
        '__attribute__((noinline, used)) void leaf(void) { say("on its own stack"); stack[0] += 0 * kept; }'
    )
    result, log = ran(built(program(threads, "on()"), tmp_path))
    assert "on its own stack" in log
    assert (result.outcome, result.evidence) == (Outcome.OK, ())


def test_a_chip_that_never_got_its_command_ends_the_run_as_in_cooja(tmp_path):
    """The DS2411 is asked for its number without READ ROM: MSPSim reads behind the end of its answer."""
    asks = """static void us(unsigned n) { for(volatile unsigned i = 0; i < n / 8; i++) __nop(); }
static void low(void) { P2DIR |= 0x10; P2OUT &= ~0x10; }
static void high(void) { P2DIR &= ~0x10; }
static void ask(void) {
  high(); us(100); low(); us(800); high(); us(1200);
  for(int i = 0; i < 8; i++) { low(); us(0x55 >> i & 1 ? 4 : 120); high(); us(160); }
  for(int i = 0; i < 100; i++) { low(); us(4); high(); us(100); }
}"""
    result, log = ran(built(program(asks, "ask()"), tmp_path))
    assert result.outcome is Outcome.CRASH
    assert "a chip used in a way at which Cooja stops" in result.evidence[0]
    assert log.endswith(f"Test ended at simulation time: {result.sim_us}\n")
