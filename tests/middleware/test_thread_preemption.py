# SPDX-License-Identifier: Apache-2.0
"""The threads' ports to microcontrollers, executed: a timer's interrupt switches threads that compute."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from c_tests import MIDDLEWARE

from orchestrator.build.machines import MACHINES
from orchestrator.build.sizes import FLAGS
from orchestrator.errors import MissingTool
from tests.waiting import HANG_S

HERE = Path(__file__).parent / "preemption"
SOURCES = [HERE / "story.c"] + [
    path
    for path in sorted((MIDDLEWARE / "threads").glob("*.c"))
    if path.name not in ("thread-contiki.c", "thread-log.c")
]  # those stand on Contiki
EMULATORS = {
    "cortex-m3": (
        ("-ffreestanding", "-nostartfiles", f"-T{HERE / 'board-cortex-m3.ld'}"),
        (
            "qemu-system-arm",
            "-M",
            "lm3s6965evb",
            "-nographic",
            "-semihosting",
            "-icount",
            "shift=5",
            "-kernel",
        ),
    ),
    "avr": ((), ("simavr", "-m", "atmega1284p", "-f", "8000000")),
}


@pytest.fixture(scope="module", params=EMULATORS)
def log(request, tmp_path_factory):
    """What the program said: text -> (ms, number)."""
    flags, emulator = EMULATORS[request.param]
    try:
        compiler = MACHINES[request.param].compiler().command
    except MissingTool as missing:
        pytest.skip(str(missing))
    if shutil.which(emulator[0]) is None:
        pytest.skip(f"no {emulator[0]} here")
    program = tmp_path_factory.mktemp(request.param) / "story.elf"
    subprocess.run(
        [
            *compiler,
            *FLAGS,
            "-std=gnu11",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-unused-parameter",
            *flags,
            f"-I{MIDDLEWARE / 'threads'}",
            f"-I{HERE}",
            *map(str, SOURCES),
            str(HERE / f"board-{request.param}.c"),
            "-o",
            str(program),
        ],
        check=True,
        timeout=HANG_S,
    )
    ran = subprocess.run(
        [*emulator, str(program)], capture_output=True, text=True, timeout=HANG_S, check=False
    )
    said = re.findall(r"(\d+) ([a-z' ]+) (\d+)", re.sub(r"\x1b\[[0-9;]*m", "", ran.stdout + ran.stderr))
    assert said and said[-1][1] == "all", ran.stdout + ran.stderr
    return {text: (int(ms), int(number)) for ms, text, number in said}


def test_the_timer_switches_threads_that_call_nothing(log):
    assert log["first begins"][0] <= 10
    assert log["second begins"][0] == 20, "the end of the first slice"
    assert log["first has mixed"][1] == log["second has mixed"][1] == 1
    assert 100 <= log["first has mixed"][0] <= 123
    assert 120 <= log["second has mixed"][0] <= 143


def test_all_registers_survive_it(log):
    assert log["changed"][1] == 0


def test_waits_and_deadlines_wake(log):
    assert 0 <= log["signalled"][0] - log["first slept"][0] <= 1
    assert log["first slept"][1] == 5
    assert log["signalled"][1] == log["deadline"][1] == 0
    assert 10 <= log["deadline"][0] - log["first slept"][0] <= 12
    assert log["first locks"][1] == log["second locks"][1] == 0


def test_an_overflow_is_found_and_a_stack_measured(log):
    assert 0 <= log["small"][0] - log["first starts small"][0] <= 1
    assert log["overflows"][1] == log["deep"][1] == 1
    assert "small goes on" not in log


def test_times_sum_up(log):
    assert log["all"][1] == 400_000
    assert 80_000 <= log["first's cpu"][1] <= 100_000
    assert 80_000 <= log["second's cpu"][1] <= 100_000
