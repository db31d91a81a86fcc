# SPDX-License-Identifier: Apache-2.0
"""orchestrate debug of an emulated Tmote Sky: in lldb if it is here, and at the prompt of our own."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from orchestrator.cli.app import main
from orchestrator.engines.embedded import emulated_debugger
from orchestrator.engines.embedded.emulated_debugger import Session, debug
from tests import needs

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "engines"))
from sky_firmware import FIRST_LINE, SCENARIO, built, job, ran

needs.a_compiler()
needs.a_program("addr2line")

PROGRAM = """volatile uint16_t told; volatile uint8_t texts[20];
__attribute__((noinline)) static void tell(uint16_t number) { told = number; texts[number] = 'a'; }
int main(void) {
  begin();
  for(uint16_t i = 1; i < 4; i++) {
    for(volatile uint16_t j = 0; j < 2000; j++) __nop();
    tell(i);
  }
  say("ends");
  for(;;) _BIS_SR(LPM4_bits);
}
"""
CRASH = """static void (*volatile f)(void); __attribute__((noinline)) static void leaps(void) { f(); say(0); }
int main(void) { begin(); leaps(); for(;;); }
"""


@pytest.fixture(scope="module")
def firmware(tmp_path_factory):
    return built(PROGRAM, tmp_path_factory.mktemp("a folder"))


def prompt(firmware, capfd, *commands, at_us=0):
    """What our own prompt says to commands."""
    session = Session(7, at_us, (), commands, batch=True, program="prompt")
    assert debug(job(firmware, firmware.with_name("debugged")), session) == 0
    return capfd.readouterr().out


def test_a_breakpoint_stops_in_a_function_and_at_a_line(firmware, capfd):
    out = prompt(firmware, capfd, "break tell", "c", "c", "print told", "print texts", "where", "list")
    assert f"tell (a.c:{FIRST_LINE + 1})" in out.replace(f"{firmware.parent}/", "")
    assert "told = 1 (0x1)" in out, "before the second call"
    assert re.search(r"texts, 20 bytes:\n.*: 00 61 00", out)
    assert re.search(rf"^>\s+{FIRST_LINE + 1} .*void tell", out, re.MULTILINE)
    out = prompt(firmware, capfd, f"break a.c:{FIRST_LINE + 7}", "c", "print told")
    assert "told = 3 (0x3)" in out


def test_a_caller_registers_and_instructions_are_told(firmware, capfd):
    out = prompt(firmware, capfd, "b tell", "c", "bt", "registers", "print r12", "finish", "where")
    assert re.search(r"perhaps called by main \(", out)
    assert "r12 = 1 (0x1)" in out, "the first argument"
    assert re.search(r"^0x\w+ in main \(", out.partition("finish")[2], re.MULTILINE)
    if emulated_debugger.shutil.which("llvm-objdump") is not None:
        assert re.search(r"0x\w+: mov r12, &", prompt(firmware, capfd, "disassemble tell"))


def test_a_changed_variable_stops_it_and_can_be_changed(firmware, capfd):
    out = prompt(firmware, capfd, "watch told", "c", "c", "print told", "set told 77", "print told")
    assert out.count("told has changed") == 2
    assert "told = 2 (0x2)" in out
    assert "told = 77 (0x4d)" in out


def test_steps_go_by_instruction_and_by_line(firmware, capfd):
    out = prompt(firmware, capfd, "b tell", "c", "si", "step", "simulated")
    places = re.findall(r"^(0x\w+) in (\w+)", out, re.MULTILINE)
    assert places[-1][0] != places[-2][0]
    assert re.search(r"mote 7 at \d+ us of simulated time", out.splitlines()[-1])


@pytest.mark.parametrize("commands", [["continue"], ["b tell", "c", "si", "c", "delete", "c"]])
def test_a_debugged_run_prints_the_same_log(commands, firmware, capfd):
    _, log = ran(firmware)
    assert "the simulation has ended" in prompt(firmware, capfd, *commands, *["c"] * 3)
    assert firmware.with_name("debugged").read_text() == log


def test_it_stops_at_that_time(firmware, capfd):
    out = prompt(firmware, capfd, at_us=5000)
    stopped = int(re.search(r"mote 7 at (\d+) us", out)[1])
    assert 5000 <= stopped < 5020, "awake, it begins an instruction every few us"


def test_a_fault_stops_it(tmp_path, capfd):
    out = prompt(built(CRASH, tmp_path), capfd, "c", "bt", "c")
    assert "an illegal instruction at 0x0" in out
    assert "perhaps called by leaps" in out
    assert re.search(rf"mote 7: an illegal instruction.*\n.*called by leaps \(.*a\.c:{FIRST_LINE}\)", out)


def test_a_wrong_command_is_named(firmware, capfd):
    out = prompt(firmware, capfd, "bogus", "b nowhere", "print tolt", "si x", "break", "x 0x100")
    for said in ("no command 'bogus'", "no symbol 'nowhere'", "did you mean told?", "'x' is no number"):
        assert said in out
    assert "break: wrong number of words" in out
    assert "no memory that can be read without effect at 0x100" in out


def test_lldb_debugs_it(firmware, capfd):
    program = emulated_debugger.find(firmware)
    if "lldb" not in program:
        pytest.skip("no lldb that knows the MSP430")
    commands = [
        "breakpoint set -n tell",
        "continue",
        "bt",
        "print number",
        "simulated",
        "breakpoint delete -f",
    ]
    session = Session(7, 0, (), [*commands, "continue"], batch=True, program=program)
    assert debug(job(firmware, firmware.with_name("debugged")), session) == 0
    out = capfd.readouterr().out
    assert re.search(r"frame #0: .*tell\(number=1\) at a.c:", out)
    assert re.search(r"frame #1: .*main at a.c:", out)
    assert re.search(r"mote 7 at \d{3,} us of simulated time", out)
    assert firmware.with_name("debugged").read_text() == ran(firmware)[1]


def test_what_can_t_be_stopped(firmware, tmp_path, capfd):
    (tmp_path / "a.sky").write_bytes(firmware.read_bytes())
    file = tmp_path / "simulation.csc"
    file.write_text(SCENARIO)
    batch = ["debug", str(file), "--debugger", "prompt", "--batch"]
    assert main([*batch, "--mote", "7", "--at", "20"]) == 9
    assert "the run is over by then" in capfd.readouterr().err
    assert main([*batch, "--mote", "7", "--at", "4"]) == 9, "it sleeps until the end"
    assert main([*batch, "--mote", "8"]) == 9
    assert main([*batch, "--mote", "7", "--debug-build"]) == 4
    assert main(["debug", str(file), "--mote", "7", "--debugger", "nonesuch", "--batch"]) == 5
    assert main([*batch, "--mote", "7", "--command", "simulated"]) == 0
    assert "mote 7 at 0 us" in capfd.readouterr().out
