# SPDX-License-Identifier: Apache-2.0
"""Firmware in two threads as Contiki-NG's: whether its ticks may be skipped is told from what its drivers do
before a tick, not from what they are called."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
from pathlib import Path

import pytest
from engine_firmware import HEAD, simulation
from engine_harness import SANITIZED, build_kernel
from test_idle_ticks import assert_same, logs

from orchestrator.engines.embedded.description import describe

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="code is read for x86-64 only")

THREADS = (
    HEAD.replace("void cooja_init(void) { }", "")
    + r"""
#include <ucontext.h>
char simPirIsActive, simPirChanged, simVibIsActive, simVibChanged;
static ucontext_t simulator, process, rtimer;
static char stacks[2][16384];
static int polled, strong, sent;
__attribute__((noinline)) static void poll(void) { polled = 1; }
__attribute__((noinline)) static void yield(ucontext_t *self) { swapcontext(self, &simulator); __asm__ volatile(""); }
static void work(void) {
  if(first()) etimer(50 + simMoteID * 7);
  if(polled) { SAY("in %d s %d lqi %d strong %d\n", simInSize, simLastSignalStrength, simLastLQI, strong); polled = simInSize = 0; }
  if(due()) { SAY("%d strong %d\n", ++sent, strong); simRadioHWOn = simMoteID != 3 || sent % 3; if(simRadioHWOn) simOutSize = 20 + sent % 60; etimer(60 + simMoteID); }
}
__attribute__((noinline)) void platform_main_loop(void) { for(;;) { work(); yield(&process); } }
void process_run_thread_loop(void) { simProcessRunValue = 1; yield(&process); platform_main_loop(); }
void rtimer_thread_loop(void) { for(;;) yield(&rtimer); }
static void start(ucontext_t *thread, char *stack, void (*function)(void)) {
  getcontext(thread);
  thread->uc_stack.ss_sp = stack;
  thread->uc_stack.ss_size = 16384;
  makecontext(thread, function, 0);
}
void cooja_init(void) { start(&process, stacks[0], process_run_thread_loop); start(&rtimer, stacks[1], rtimer_thread_loop); }
"""  # noqa: E501
)
SENSOR = (
    "static void doInterfaceActionsBeforeTick(void) { if(simPirIsActive && simPirChanged) { poll(); "
    "simPirChanged = 0; } if(simVibIsActive && simVibChanged) { poll(); simVibChanged = 0; } }\n"
)
RADIO = """static void radio_before_tick(void) {
  if(!simRadioHWOn) { simInSize = 0; return; }
  if(simReceiving) { simLastSignalStrength = simSignalStrength; simLastLQI = simLQI; return; }
  if(simInSize > 0) poll();
}
"""
TICK = """
static struct action { struct action *next; void (*function)(void); } first_action = {0, doInterfaceActionsBeforeTick},
  second_action = {&first_action, radio_before_tick};
void *pre_tick_actions_list = &second_action, *post_tick_actions_list;
void cooja_tick(void) {
  simProcessRunValue = 0;
  for(struct action *at = pre_tick_actions_list; at; at = at->next) at->function();
  swapcontext(&simulator, &rtimer);
  if(simProcessRunValue == 0) swapcontext(&simulator, &process);
}
"""  # noqa: E501
# Static variables of Contiki-NG 5.0's files that run in a tick, by which the engine knows the release.
FILES = {
    "mtype.c": "long pre_tick_actions_list, post_tick_actions_list; char cooja_thread[9], rtimer_thread[9], "
    "process_run_thread[9];",
    "cooja_mt.c": "long current, cooja_running_thread;",
    "process.c": "char lastevent, nevents, fevent, poll_requested, events[768];",
    "etimer.c": "long timerlist, next_expiration;",
    "rtimer.c": "long next_rtimer;",
}
PLACES = [(0, 0), (10, 0), (20, 0), (60, 0)]


def written(folder: Path, files: dict[str, str]) -> tuple[str, ...]:
    """The files with these static variables; a compiler is told their paths with its flags."""
    for name, variables in files.items():
        kept = "".join(
            f"static __attribute__((used)) {one};\n" for one in variables.split(";") if one.strip()
        )
        (folder / name).write_text(kept, encoding="ascii")
    return tuple(str(folder / name) for name in files)


@pytest.fixture(scope="module")
def tick_files(tmp_path_factory):
    return written(tmp_path_factory.mktemp("files"), FILES)


@pytest.mark.parametrize(
    "flags", ["-O0", "-O1", "-O2", "-O3", "-Os", "-O2 -fstack-protector-all -fcf-protection"]
)
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_what_the_known_drivers_do_is_recognised_whoever_compiled_it(
    compiler, flags, firmware, tick_files, tmp_path
):
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} on this machine")
    library = firmware(SENSOR + RADIO + TICK, (*flags.split(), *tick_files), head=THREADS, compiler=compiler)
    found = logs(library, simulation(PLACES, 2), tmp_path)
    assert_same(*found)
    assert found[0]["skipped"] > 50 and found[1].count(b"in ") > 50


THROUGH_AN_ARRAY = (
    "simLastSignalStrength = simSignalStrength; simLastLQI = simLQI;",
    "volatile int seen[2]; for(long i = 0; i < 2; i++) seen[i] = i == 0 ? simSignalStrength : simLQI; "
    "simLastSignalStrength = seen[0]; simLastLQI = seen[1];",
)


@pytest.mark.parametrize("flags", ["-O0", "-O2 -fstack-protector-all"])
def test_so_is_one_that_keeps_its_values_in_an_array_first(flags, firmware, tick_files, tmp_path):
    """-O0 addresses an array by two registers and a distance, and -O2 its first place by the stack pointer
    alone."""
    driver = RADIO.replace(*THROUGH_AN_ARRAY)
    assert driver != RADIO
    library = firmware(SENSOR + driver + TICK, (*flags.split(), *tick_files), head=THREADS)
    found = logs(library, simulation(PLACES, 2), tmp_path)
    assert_same(*found)
    assert found[0]["skipped"] > 50 and found[1].count(b"in ") > 50


OTHERS = {
    "counts strong signals": (
        "simLastLQI = simLQI;",
        "simLastLQI = simLQI; if(simSignalStrength > -40) strong++;",
    ),
    "counts": ("simLastLQI = simLQI;", "simLastLQI = simLQI; strong++;"),
    "leaves a frame when it is off": ("simInSize = 0; return;", "return;"),
    "looks at a frame's size": ("if(!simRadioHWOn)", "if(!simRadioHWOn && simInSize != 33)"),
    "keeps another strength": ("= simSignalStrength;", "= simSignalStrength + 1;"),
    "keeps nothing": ("simLastSignalStrength = simSignalStrength;", ""),
    "looks at the time": ("if(simReceiving)", "if(simReceiving && simCurrentTime > 700)"),
    "changes another variable": ("simLastLQI = simLQI;", "simLastLQI = simLQI; simRadioChannel = 26;"),
    "wakes its process": ("simLastLQI = simLQI;", "simLastLQI = simLQI; poll();"),
    "works while it is off": ("simInSize = 0; return;", "simInSize = 0; simProcessRunValue = 0; return;"),
}


@pytest.mark.parametrize("flags", ["-O0", "-O2"])
@pytest.mark.parametrize("what", OTHERS)
def test_a_driver_that_does_anything_else_is_never_skipped(what, flags, firmware, tick_files, tmp_path):
    other = RADIO.replace(*OTHERS[what])
    assert other != RADIO
    library = firmware(SENSOR + other + TICK, (flags, *tick_files), head=THREADS)
    found = logs(library, simulation(PLACES, 2), tmp_path)
    assert_same(*found)
    assert found[0]["skipped"] == 0


@pytest.mark.parametrize(
    "sensor",
    [
        "if(simPirChanged) simPirIsActive = 1; strong = simPirIsActive;",
        "if(simMoteIDChanged) {}  sent += 0 * booted;",
        "if(polled) poll();",
        "if(simPirIsActive) poll();",
        "if(simVibIsActive) poll();",
        "if(simPirIsActive && simVibIsActive) poll();",
    ],
)
def test_neither_is_one_with_another_sensor(sensor, firmware, tick_files, tmp_path):
    found = logs(
        firmware(
            f"static void doInterfaceActionsBeforeTick(void) {{ {sensor} }}\n" + RADIO + TICK,
            ("-O0", *tick_files),
            head=THREADS,
        ),
        simulation(PLACES, 1),
        tmp_path,
    )
    assert_same(*found)
    assert found[0]["skipped"] == 0


@pytest.mark.parametrize(
    ("declared", "instead"),
    [
        ("simPirIsActive, simPirChanged", "pad; int simPirIsActive; char simPirChanged"),
        ("simVibIsActive, simVibChanged", "pad; long simVibChanged; char simVibIsActive"),
        ("int simRadioChannel = 26, simInSize", "long simInSize; int simRadioChannel = 26, pad"),
    ],
)
def test_a_variable_of_another_size_is_not_the_known_one(declared, instead, firmware, tick_files, tmp_path):
    """Whatever part of it a driver looks at."""
    head = THREADS.replace(declared, instead)
    assert head != THREADS
    bytewise = SENSOR.replace("simPirIsActive &&", "*(char *)&simPirIsActive &&")
    driver = bytewise.replace("&& simVibChanged", "&& *(char *)&simVibChanged")
    driver = driver.replace("simVibChanged = 0", "*(char *)&simVibChanged = 0")
    radio = RADIO.replace("simInSize", "*(int *)&simInSize") if "simInSize" in declared else RADIO
    library = firmware(driver + radio + TICK, ("-O1", *tick_files), head=head)
    found = logs(library, simulation(PLACES, 2), tmp_path)
    assert_same(*found)
    assert found[0]["skipped"] == 0


def test_drivers_are_looked_at_cleanly(firmware, tick_files, tmp_path):
    """In the kernel with sanitizers."""
    library = firmware(SENSOR + RADIO + TICK, ("-O2", *tick_files), head=THREADS)
    usual = logs(library, simulation(PLACES, 2), tmp_path)
    done = subprocess.run(
        [build_kernel(SANITIZED), "--log", tmp_path / "clean"],
        input=describe(simulation(PLACES, 2), 1, {"t": library}, "5.0"),
        capture_output=True,
        check=True,
    )
    assert (done.stderr, (tmp_path / "clean").read_bytes()) == (b"", usual[1])
    assert json.loads(done.stdout)["skipped"] == usual[0]["skipped"] > 50


PRINTS = "__attribute__((used)) static const char printed[] = "


@pytest.mark.parametrize(
    "printed",
    [
        "Contiki-NG",
        "Contiki-NG-release/v5.0",
        "Contiki-NG-release/v5.0-3-g1a2b3c4-dirty",
        "Contiki-NG-1a2b3c4",
    ],
)
def test_contiki_ng_5_0_is_known_by_what_it_prints_and_its_variables(printed, firmware, tick_files, tmp_path):
    body = f'{PRINTS}"Starting {printed}\\n";\n' + SENSOR + RADIO + TICK
    found = logs(firmware(body, tick_files, head=THREADS), simulation(PLACES, 2), tmp_path)
    assert_same(*found)
    assert found[0]["skipped"] > 50


@pytest.mark.parametrize(
    "release", ["release/v4.9", "release/v5.1-rc1", "release/v5.0.1", "develop/v15.0", "release/v5.01"]
)
def test_another_release_runs_every_tick(release, firmware, tick_files, tmp_path):
    body = f'{PRINTS}"Starting Contiki-NG-{release}-2-g1a2b3c4\\n";\n' + SENSOR + RADIO + TICK
    found = logs(firmware(body, tick_files, head=THREADS), simulation(PLACES, 2), tmp_path)
    assert_same(*found)
    assert found[0]["skipped"] == 0


UNLIKE = {
    "a main loop that counts": FILES | {"platform.c": "int wakeups;"},
    "one variable more": FILES | {"process.c": FILES["process.c"] + "char nevents_handled;"},
    "one less": FILES | {"etimer.c": "long timerlist;"},
    "another size": FILES | {"rtimer.c": "char next_rtimer[16];"},
    "no such files": {},
}


@pytest.mark.parametrize("what", UNLIKE)
def test_a_tick_with_other_variables_is_run_every_time(what, firmware, tmp_path):
    library = firmware(SENSOR + RADIO + TICK, written(tmp_path, UNLIKE[what]), head=THREADS)
    found = logs(library, simulation(PLACES, 2), tmp_path)
    assert_same(*found)
    assert found[0]["skipped"] == 0
