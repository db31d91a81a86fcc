# SPDX-License-Identifier: Apache-2.0
"""Loading: every mote has data of its own and shares the code; what a shared object may contain works."""

from __future__ import annotations

import ctypes
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from engine_firmware import HEAD, compile_firmware, simulation
from engine_harness import build_kernel

from orchestrator.csc.model import Mote, MoteType, Simulation
from orchestrator.csc.read import read
from orchestrator.engines.embedded.description import describe
from orchestrator.runs.model import Outcome

sys.path.append(str(Path(__file__).resolve().parents[1] / "golden"))
import golden_cases
import probes

from orchestrator.engines.model import Job
from orchestrator.engines.protocol import run_one

THREADS = r"""
#include <stdlib.h>
#include <ucontext.h>
#include <pthread.h>
#include <math.h>
static ucontext_t engine, worker, helper, again;
static char worker_stack[32768], helper_stack[32768];
static int steps;
static void yield(void) { swapcontext(&worker, &engine); }
static void help(int a, int b, int c, int d, int e, int f) { SAY("helped %d%d%d%d%d%d\n", a, b, c, d, e, f); }
static void work(void) {
  double root = 2;
  for(;;) {
    char local[64];
    snprintf(local, sizeof(local), "%d", simMoteID * 100 + steps);
    root = sqrt(root + steps);
    yield();
    SAY("%s %.6f\n", local, root);
    getcontext(&helper);
    helper.uc_stack.ss_sp = helper_stack;
    helper.uc_stack.ss_size = sizeof(helper_stack);
    helper.uc_link = &worker;
    makecontext(&helper, (void (*)(void))help, 6, 1, 2, 3, 4, 5, 6);
    swapcontext(&worker, &helper);
    volatile int round = 0;
    getcontext(&again);
    if(++round < 3) setcontext(&again);
    SAY("rounds %d\n", round);
    yield();
  }
}
void cooja_tick(void) {
  if(first()) {
    pthread_attr_t attributes;
    void *lowest;
    size_t size;
    getcontext(&worker);
    worker.uc_stack.ss_sp = worker_stack;
    worker.uc_stack.ss_size = sizeof(worker_stack);
    makecontext(&worker, work, 0);
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &lowest, &size);
    SAY("stack %d\n", (char *)&size > (char *)lowest && (char *)&size < (char *)lowest + size);
    pthread_attr_destroy(&attributes);
  }
  steps++;
  swapcontext(&engine, &worker);
  if(steps < 6) simProcessRunValue = 1;
  else simProcessRunValue = 0;
}
"""


def test_threads_of_a_mote(firmware, run):
    """getcontext, makecontext (with arguments and uc_link), swapcontext and setcontext, on stacks in the
    mote's data.
    """
    ended = run(simulation([(0, 0), (9, 0), (18, 0)]), firmware(THREADS, ("-lm",)))
    assert ended.result.outcome is Outcome.OK
    root, expected = 2.0, ["stack 1"]
    for step in (1, 3, 5):
        root = (root + step) ** 0.5
        expected += [f"{200 + step} {root:.6f}", "helped 123456", "rounds 3"]
    assert [text for _, mote, text in ended.lines if mote == 2] == expected


def test_the_last_thread_s_return_is_a_crash(firmware, run):
    body = THREADS.replace("for(;;) {", "for(int i = 0; i < 1; i++) {")
    ended = run(simulation([(0, 0)]), firmware(body, ("-lm",)))
    assert ended.result.outcome is Outcome.CRASH


KINDS = r"""
#include <stdlib.h>
static int own = 5, *pointer = &own, **table[] = {&pointer, &pointer};
extern int elsewhere __attribute__((weak));
static int *many[250] = {[0 ... 99] = &own, [120 ... 249] = &own};
const int constants[3] = {1, 2, 3};
static void (*function)(void);
static int constructed;
static int right(void) { int count = 0; for(int i = 0; i < 250; i++) count += many[i] == (i < 100 || i >= 120 ? &own : NULL); return count; }
static void say(void) { SAY("own %d constants %d constructed %d weak %d right %d\n", ++**table[1], constants[2], constructed, &elsewhere != 0, right()); }
static __attribute__((constructor)) void construct(void) { constructed = 7; function = say; }
__attribute__((visibility("hidden"))) int simBeepedElsewhere;
void cooja_tick(void) { if(first()) { function(); etimer(10); } else if(due()) function(); }
"""  # noqa: E501


@pytest.mark.parametrize(
    "flags",
    [
        (),
        ("-O0",),
        ("-O3",),
        ("-Wl,-z,relro,-z,now",),
        ("-Wl,-z,pack-relative-relocs",),
        ("-Wl,-z,noseparate-code",),
        ("-Wl,--hash-style=sysv",),
        ("-fvisibility=hidden", "-DEXPORT"),
        ("-Wl,-Bsymbolic",),
        ("-fuse-ld=gold",),
    ],
)
def test_relocations_pointers_and_constructors(flags, firmware, run, tmp_path):
    head = (
        HEAD.replace("void cooja_init", '__attribute__((visibility("default"))) void cooja_init')
        if "-DEXPORT" in flags
        else HEAD
    )
    try:
        library = compile_firmware(tmp_path, "kinds", KINDS, flags, head)
    except subprocess.CalledProcessError:
        pytest.skip("this linker doesn't know the option")
    ended = run(simulation([(0, 0), (9, 0)]), library)
    assert ended.result.outcome is Outcome.OK, ended.result.evidence
    assert [text for _, mote, text in ended.lines if mote == 2] == [
        f"own {value} constants 3 constructed 7 weak 0 right 250" for value in (6, 7)
    ]


def test_libc_s_random_numbers_are_one_for_all_motes(firmware, run):
    """As in real Cooja: every mote's boot seeds the process's generator."""
    body = (
        "#include <stdlib.h>\nvoid cooja_tick(void) { if(first()) { srand(simMoteID); etimer(10); } else "
        'if(due()) SAY("%d\\n", rand()); }'
    )
    ended = run(simulation([(0, 0), (9, 0), (18, 0)]), firmware(body))
    again = run(simulation([(0, 0), (9, 0), (18, 0)]), firmware(body))
    numbers = [text for _, _, text in ended.lines]
    assert len(set(numbers)) == 3
    assert numbers == [text for _, _, text in again.lines]


def test_eeprom_and_identity(firmware, run):
    body = """void cooja_tick(void) {
      if(first()) SAY("%d %d %d %d %d\\n", simMoteID, simMoteIDChanged, simRandomSeed, simEEPROMData[0] & 255, simEEPROMData[1]);
    }"""  # noqa: E501
    interfaces = simulation([(0, 0)]).mote_types[0].interfaces
    base = simulation([(0, 0)])
    motes = (
        Mote("t", 7, 0.0, 0.0, 0.0, b"\xfe"),
        Mote("t", 300, 1.0, 0.0),
        Mote("u", 2, 2.0, 0.0, 0.0, b"\x01\x02"),
    )
    simulated = Simulation(
        "two types",
        1,
        0,
        base.medium,
        (*base.mote_types, MoteType("u", "u", "", "", interfaces)),
        motes,
        base.script,
    )
    library = firmware(body)
    description = describe(simulated, 2**40 + 5, {"t": library, "u": library}, "5.0")
    assert b"mote 0 7 0.0 0.0 0.0 fe\n" in description
    ended = run_types(run, simulated, library)
    assert ended == [(7, f"7 1 {7 + 5} 254 0"), (300, "300 1 305 0 0"), (2, "2 1 7 1 2")]


def run_types(run, simulated, library):
    from orchestrator.engines.protocol import engine

    log = library.with_suffix(".types")
    run_one(engine("embedded"), Job(simulated, 2**40 + 5, {"t": library, "u": library}, log))
    lines = [line.split("\t") for line in log.read_text().splitlines() if "\tID:" in line]
    return [(int(mote[3:]), text) for _, mote, text in lines]


def test_thousands_of_motes_share_their_code(firmware, run):
    """40 KB of code each would be 200 MB more; what is left is their data, 55 KB each."""
    code = "".join(f"int f{i}(int x) {{ return x * {i} + x / (x + {i + 1}); }}\n" for i in range(1500))
    calls = " + ".join(f"f{i}(simMoteID)" for i in range(1500))
    body = code + f'void cooja_tick(void) {{ if(first()) SAY("%d\\n", {calls}); }}'
    library = firmware(body, ("-O0",))
    ended = run(simulation([(i % 70 * 10, i // 70 * 10) for i in range(5000)]), library)
    assert library.stat().st_size > 100_000
    assert ended.result.outcome is Outcome.OK
    assert len(ended.lines) == 5000
    assert ended.result.peak_memory < 5000 * 60_000


@pytest.mark.parametrize("case", ["chain", "two-channels"])
def test_on_arm64(case, tmp_path):
    """The same logs from a kernel and a probe for arm64, run by QEMU's user emulation."""
    compiler, emulator, root = "aarch64-linux-gnu-gcc", "qemu-aarch64", "/usr/aarch64-linux-gnu"
    if not (shutil.which(compiler) and shutil.which(emulator)):
        pytest.skip("no cross compiler and emulator for arm64 on this machine")
    kernel = build_kernel(("-O2",), compiler)
    simulated = read(golden_cases.simulation(case))
    description = describe(
        simulated, simulated.seed, probes.firmware(simulated, tmp_path, compiler), "2026.07"
    )
    log = tmp_path / "COOJA.testlog"
    done = subprocess.run(
        [emulator, "-L", root, kernel, "--log", log], input=description, capture_output=True, check=True
    )
    assert json.loads(done.stdout)["report"] == "end"
    assert log.read_bytes() == golden_cases.log_for(case, "2026.07").read_bytes()


DRAWING = """
#include <stdlib.h>
void cooja_tick(void) {
  if(first()) { if(simMoteID == 1) srandom(5); else srand(9); etimer(100 * simMoteID); return; }
  if(!due()) return;
  long one = random();
  int other = rand();
  SAY("%ld %d\\n", one, other);
  if(simCurrentTime == 300) { srandom(100); srand(7); }
  etimer(200);
}
"""


def test_random_numbers_are_libc_s_and_all_motes_draw_from_one_generator(firmware, run):
    """Cooja's process has one, too. Each mote seeds it when it boots, and the last seed counts."""
    ended = run(simulation([(0, 0), (10, 0)], 0.55), firmware(DRAWING))
    libc = ctypes.CDLL(None)
    libc.random.restype = ctypes.c_long
    expected = []
    for seed, motes in ((9, (1, 2, 1)), (7, (2, 1))):
        libc.srandom(seed)
        expected += [(mote, f"{libc.random()} {libc.rand()}") for mote in motes]
    assert [(mote, text) for _, mote, text in ended.lines] == expected


ALLOCATING = """
#include <stdlib.h>
void *_Znwm(unsigned long), *_Znam(unsigned long);
void _ZdlPv(void *), _ZdlPvm(void *, unsigned long), _ZdaPv(void *), _ZdaPvm(void *, unsigned long);
void cooja_tick(void) {
  if(!first()) return;
  char *one = _Znwm(8), *other = _Znam(16), *none = _Znwm(0);
  char *zeroed = calloc(4, 4), *copy = strdup("copied");
  strcpy(one, "seven");
  strcpy(other, "fifteen letters");
  SAY("%s %s %d %d %s\\n", one, other, none != NULL && none != one, memcmp(zeroed, (char[16]){0}, 16), copy);
  copy = realloc(copy, 1000);
  SAY("%s\\n", copy);
  _ZdlPv(one); _ZdaPv(other); _ZdlPvm(none, 0); _ZdaPvm(_Znam(3), 3); free(zeroed); free(copy); free(NULL);
}
"""


def test_memory_is_allocated_for_c_and_c_plus_plus(firmware, run):
    ended = run(simulation([(0, 0)]), firmware(ALLOCATING))
    assert [text for *_, text in ended.lines] == ["seven fifteen letters 1 0 copied", "copied"]


def test_a_printed_address_is_the_same_in_each_run(firmware, run):
    library = firmware(
        'static int x; void cooja_tick(void) { if(first()) SAY("x at %p, tick at %p\\n", &x, cooja_tick); }'
    )
    logs = {run(simulation([(0, 0), (10, 0)], 1), library).log for _ in range(3)}
    assert len(logs) == 1 and b"x at 0x" in logs.pop()


# What a call leaves of an array whose function has returned.
LEFT_BEHIND = r"""
static char *volatile kept;
static char text[100];
static volatile double number = 1.25;
__attribute__((noinline)) static void leave(void) {
  char local[4000];
  memset(local, 0x5a, sizeof(local));
  kept = local;
  __asm__ volatile("" ::: "memory");
}
__attribute__((noinline)) static int left(void) {
  int count = 0;
  for(int i = 0; i < 4000; i++) { count += kept[i] == 0x5a; }
  return count;
}
void cooja_tick(void) {
  int counts[3];
  if(!first()) return;
  for(int i = 0; i < 3; i++) { leave(); snprintf(text, sizeof(text), "%f", number); counts[i] = left(); }
  SAY("%d\n%d\n%d\n", counts[0], counts[1], counts[2]);
}
"""


def test_the_first_call_of_a_libc_function_writes_no_more_of_the_stack_than_later_ones(firmware, run):
    first, second, third = (text for *_, text in run(simulation([(0, 0)]), firmware(LEFT_BEHIND)).lines)
    assert 0 < int(first) == int(second) == int(third) < 4000
