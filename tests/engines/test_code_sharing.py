# SPDX-License-Identifier: Apache-2.0
"""Firmware whose motes share one copy of its code: the code is decoded correctly, and behaves as with a copy
for each mote.
"""

from __future__ import annotations

import json
import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from engine_firmware import HEAD, compile_firmware, simulation
from engine_harness import build_harness

from orchestrator.build.kernel import executable
from orchestrator.engines.embedded.description import describe
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import run_one
from orchestrator.runs.model import Outcome

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64", reason="code shared by all motes needs an x86-64"
)
SHARED = ("-ffixed-rbx",)
CODE_PER_MOTE = ("--code-per-mote", "1")
MARKED = HEAD + "const char mote_leaves_rbx = 1;\n"
READER = """
#include <stdio.h>
#include "loader/instruction.h"
int main(void) {
  static uint8_t code[1 << 24];
  size_t size = fread(code, 1, sizeof(code), stdin);
  for(size_t at = 0; at < size;) {
    struct instruction instruction;
    if(!instruction_read(&instruction, code + at, size - at)) {
      printf("%zx ?\\n", at);
      return 1;
    }
    printf("%zx %u %d\\n", at, instruction.length, instruction.displacement != 0);
    at += instruction.length;
  }
}
"""
# Every way to reach a variable: operand with and without an immediate, address, table, pointer to a function,
# bytes, vectors, calls through pointers, a thread of its own, constructors.
BODY = r"""
#include <ucontext.h>
static ucontext_t outside, inside;
static char stack[16384];
static int count, *where = &count, values[40];
static short half = 5;
static unsigned char byte;
static double sum;
static long long wide;
static void add(void) { *where += 3; half ^= 0x101; byte += 200; wide = 0x123456789abLL * count; }
static void clear(void) { count = 1000; byte = 0; }
static void (*const actions[])(void) = {add, clear, add};
static int later;
static __attribute__((constructor)) void construct(void) { later = 40; }
static void body(void) {
  for(;;) {
    actions[count % 3]();
    for(int i = 0; i < 40; i++) { values[i] += (i * 7 + simMoteID) % 11; sum += values[i] * 0.5; }
    memmove(values, values + 1, sizeof(values) - sizeof(*values));
    switch(simMoteID) { case 1: byte |= 1; break; case 2: half <<= 1; break; case 3: count++; break; case 4: wide--; break;
      case 5: sum /= 3; break; default: later += 2; }
    SAY("%d %d %d %lld %.4f %d %d\n", count, half, byte, wide, sum, later, values[20]);
    swapcontext(&inside, &outside);
  }
}
void cooja_tick(void) {
  if(first()) {
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = sizeof(stack);
    makecontext(&inside, body, 0);
    etimer(1);
  } else if(due()) {
    swapcontext(&outside, &inside);
    etimer(7);
  }
}
"""  # noqa: E501


def code_of(library: Path) -> tuple[bytes, int]:
    """The section .text and its address."""
    table = subprocess.run(
        ["objdump", "-h", "-j", ".text", library], check=True, capture_output=True, text=True
    ).stdout
    size, address, _, offset = re.search(r"\.text\s+(\w+)\s+(\w+)\s+(\w+)\s+(\w+)", table).groups()
    start = int(offset, 16)
    return library.read_bytes()[start : start + int(size, 16)], int(address, 16)


@pytest.mark.skipif(shutil.which("objdump") is None, reason="no objdump to compare with")
@pytest.mark.parametrize("flags", [("-O0",), ("-O2",), ("-O3",), ("-Os",)])
def test_instructions_are_as_long_as_objdump_says(flags, tmp_path):
    library = compile_firmware(tmp_path, "code", BODY, flags)
    code, start = code_of(library)
    reader = build_harness(tmp_path, READER, ("loader/instruction.c",))
    read = (
        subprocess.run([reader], input=code, capture_output=True, check=True).stdout.decode().split("\n")[:-1]
    )
    listing = subprocess.run(
        ["objdump", "-d", "-w", "-j", ".text", library], check=True, capture_output=True, text=True
    ).stdout
    expected = []
    for line in listing.splitlines():
        if found := re.match(r"\s*([0-9a-f]+):\t([0-9a-f ]+)\t(.*)", line):
            address, encoding, text = found.groups()
            expected.append(f"{int(address, 16) - start:x} {len(encoding.split())} {int('(%rip)' in text)}")
    assert read == expected
    assert len(read) > 100


@pytest.fixture(scope="module")
def kernel():
    return executable()


def ran(kernel: Path, library: Path, log: Path, motes: int, *options: str) -> dict:
    simulated = simulation([(i * 10, 0) for i in range(motes)], 0.2)
    description = describe(simulated, 1, {"t": library}, "5.0")
    done = subprocess.run(
        [kernel, "--log", log, *options], input=description, check=False, capture_output=True
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize(
    "flags",
    [
        ("-O0",),
        ("-O1",),
        ("-O2",),
        ("-O3",),
        ("-Os",),
        ("-O2", "-Wl,-z,relro,-z,now"),
        ("-O2", "-Wl,-z,pack-relative-relocs"),
        ("-O2", "-fno-plt"),
        ("-O2", "-fcf-protection=none"),
    ],
)
def test_motes_with_shared_code_do_the_same(flags, compiler, kernel, tmp_path):
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} on this machine")
    built = compile_firmware(tmp_path, "own", BODY, flags, compiler=compiler)
    own = ran(kernel, built, tmp_path / "own.log", 6, *CODE_PER_MOTE)
    detours = ran(kernel, built, tmp_path / "detours.log", 6)
    assert (own["report"], own["code_copies"]) == ("end", 6), own
    assert (detours["report"], detours["code_copies"]) == ("end", 1), detours
    assert own["lines"] > 100
    expected = (tmp_path / "own.log").read_bytes()
    assert (tmp_path / "detours.log").read_bytes() == expected
    if compiler == "gcc":
        marked = compile_firmware(tmp_path, "marked", BODY, (*flags, *SHARED), MARKED)
        shared = ran(kernel, marked, tmp_path / "shared.log", 6)
        assert (shared["report"], shared["code_copies"]) == ("end", 1), shared
        assert (tmp_path / "shared.log").read_bytes() == expected


def test_firmware_that_uses_the_register_after_all_makes_detours(kernel, tmp_path):
    """It says that it doesn't, but one of its functions was compiled without."""
    library = compile_firmware(tmp_path, "liar", BODY, ("-O2",), MARKED)
    ends = [
        ran(kernel, library, tmp_path / f"log{len(options)}", 6, *options) for options in ((), CODE_PER_MOTE)
    ]
    assert [(end["report"], end["code_copies"]) for end in ends] == [("end", 1), ("end", 6)]
    assert (tmp_path / "log0").read_bytes() == (tmp_path / "log2").read_bytes()


def test_assembly_that_overwrites_the_register_makes_detours(kernel, tmp_path):
    """A compiler that leaves the register alone believes assembly which says that it doesn't."""
    body = """static int vendor[3], count;
void cooja_tick(void) {
  int leaf = 0;
  if(!first()) return;
  __asm__ volatile("cpuid; movl %%ebx, %1" : "+a"(leaf), "=r"(vendor[0]) : : "ebx", "ecx", "edx");
  count += 7;
  SAY("%d %d\\n", count, vendor[0] != 0);
}"""
    library = compile_firmware(tmp_path, "asks", body, ("-O2", *SHARED), MARKED)
    end = ran(kernel, library, tmp_path / "log", 3)
    assert (end["report"], end["code_copies"]) == ("end", 1), end
    assert (tmp_path / "log").read_text().count("\t7 1\n") == 3


def test_firmware_that_libc_calls_back_makes_detours(kernel, tmp_path):
    """libc keeps values of its own in the register meanwhile."""
    body = """#include <stdlib.h>
static int calls, values[] = {3, 1, 2};
static int by_size(const void *a, const void *b) { calls++; return *(const int *)a - *(const int *)b; }
void cooja_tick(void) { if(first()) { qsort(values, 3, 4, by_size); SAY("%d %d %d\\n", values[0], values[2], calls > 0); } }"""  # noqa: E501
    library = compile_firmware(tmp_path, "sorts", body, ("-O2", *SHARED), MARKED)
    end = ran(kernel, library, tmp_path / "log", 3)
    assert (end["report"], end["code_copies"]) == ("end", 1), end
    assert (tmp_path / "log").read_text().count("\t1 3 1\n") == 3


def test_data_among_code_gets_a_copy_a_mote(kernel, tmp_path):
    """Bytes that read as the first half of an instruction: a jump leads behind them, into it."""
    body = """static int n; void cooja_tick(void) {
  __asm__ volatile("jmp 1f\\n .byte 0x8b, 0x05\\n 1: nop\\n nop\\n nop\\n nop\\n");
  if(first()) { n++; SAY("%d\\n", n); }
}"""
    end = ran(kernel, compile_firmware(tmp_path, "data", body), tmp_path / "log", 3)
    assert (end["report"], end["code_copies"], end["lines"]) == ("end", 3, 3), end


def test_code_that_is_not_understood_gets_a_copy_a_mote(kernel, tmp_path):
    """An instruction of AVX, whose length isn't known here."""
    body = (
        'static int n; void cooja_tick(void) { __asm__ volatile("vzeroupper"); if(first()) { n++; '
        'SAY("%d\\n", n); } }'
    )
    end = ran(kernel, compile_firmware(tmp_path, "avx", body), tmp_path / "log", 3)
    assert (end["report"], end["code_copies"], end["lines"]) == ("end", 3, 3), end


@pytest.mark.parametrize(("flags", "head"), [(("-O2", *SHARED), MARKED), (("-O2",), HEAD)])
def test_what_runs_over_its_data_s_end_faults(flags, head, kernel, tmp_path):
    """It does not reach the next mote's data, which would go on with wrong values."""
    body = "static char last[64]; void cooja_tick(void) { for(volatile char *at = last; ; at++) *at = 1; }"
    library = compile_firmware(tmp_path, "over", body, flags, head)
    end = ran(kernel, library, tmp_path / "log", 3, "--guards", "1")
    assert (end["report"], end["reason"], end["mote"]) == ("crash", "SIGSEGV", 1), end


@pytest.mark.parametrize("pages", [1, 2, 3])
@pytest.mark.parametrize(("flags", "head"), [(("-O2", *SHARED), MARKED), (("-O2",), HEAD)])
def test_each_mote_s_guard_is_close_behind_its_data_and_not_in_it(flags, head, pages, kernel, tmp_path):
    """The data of 20 motes begin at two places in their pages, and have odd and even numbers of them."""
    body = f"""static unsigned char own[{4096 * pages}];
    void cooja_tick(void) {{
      volatile unsigned char *at = own;
      if(first()) {{ for(; at < own + sizeof(own); at++) *at = simMoteID; etimer(5); return; }}
      if(!due()) return;
      while(at < own + sizeof(own) && *at == simMoteID) at++;
      if(at == own + sizeof(own)) SAY("kept\\n");
      if(simMoteID == OVER) for(; ; at++) *at = 1;
    }}"""
    quiet = compile_firmware(tmp_path, "quiet", body.replace("OVER", "0"), flags, head)
    end = ran(kernel, quiet, tmp_path / "log", 20, "--guards", "1")
    assert (end["report"], end["lines"]) == ("end", 20), end
    for over in (1, 2, 16, 18):
        library = compile_firmware(tmp_path, f"over{over}", body.replace("OVER", str(over)), flags, head)
        end = ran(kernel, library, tmp_path / "log", 20, "--guards", "1")
        assert (end["report"], end["mote"]) == ("crash", over), end
        assert 0 <= end["behind"] <= 2 * 4096, end


@pytest.mark.parametrize(("flags", "head"), [(("-O2", *SHARED), MARKED), (("-O2",), HEAD)])
def test_what_wrote_into_the_next_mote_s_data_is_found_and_stopped(flags, head, kernel, embedded, tmp_path):
    """Without guards it is noticed, at the latest at the end; then the engine runs the same with guards."""
    body = """static char last[64];
    void cooja_tick(void) { if(first() && simMoteID == 2) for(volatile char *at = last; at < last + 50000; at++) *at = 1; }"""  # noqa: E501
    library = compile_firmware(tmp_path, "into", body, flags, head)
    assert ran(kernel, library, tmp_path / "log", 3)["report"] in ("overrun", "crash")
    quiet = compile_firmware(tmp_path, "quiet", body.replace("50000", "64"), flags, head)
    assert ran(kernel, quiet, tmp_path / "log", 3)["report"] == "end"
    ended = run_one(
        embedded, Job(simulation([(0, 0), (10, 0), (20, 0)], 0.2), 1, {"t": library}, tmp_path / "log")
    )
    assert ended.outcome is Outcome.CRASH
    assert (
        ended.evidence[0].startswith("mote 2: SIGSEGV")
        and "behind the end of the mote's own memory" in ended.evidence[0]
    )
