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
            "-d",
            "guest_errors",
            "-kernel",
        ),
    ),
    "avr": ((), ("simavr", "-m", "atmega1284p", "-f", "8000000")),
}
CPU_S = 20  # of an emulator, which takes less than one: with a port that is wrong, the program may never end


@pytest.fixture(scope="module", params=EMULATORS)
def story(request, tmp_path_factory):
    """Runs the story: what it said and what its emulator did."""
    flags, emulator = EMULATORS[request.param]
    try:
        compiler = MACHINES[request.param].compiler().command
    except MissingTool as missing:
        pytest.skip(str(missing))
    if shutil.which(emulator[0]) is None:
        pytest.skip(f"no {emulator[0]} here")

    def run(*defines: str) -> str:
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
                *defines,
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
            ["sh", "-c", f'ulimit -t {CPU_S}; exec "$@"', "sh", *emulator, str(program)],
            capture_output=True,
            text=True,
            timeout=HANG_S,
            check=False,
        )
        return re.sub(r"\x1b\[[0-9;]*m", "", ran.stdout + ran.stderr)

    return run


@pytest.fixture(scope="module")
def said(story):
    return story()


def parsed(said: str) -> dict[str, tuple[int, int]]:
    """What the program said: text -> (ms, number)."""
    return {text: (int(ms), int(number)) for ms, text, number in re.findall(r"(\d+) ([a-z' ]+) (\d+)", said)}


@pytest.fixture(scope="module")
def log(said):
    found = parsed(said)
    assert found and list(found)[-1] == "all", said
    return found


def test_a_port_does_nothing_that_its_processor_leaves_undefined(said):
    """QEMU says so; simavr knows nothing of the kind."""
    assert "UNPREDICTABLE" not in said


def test_a_thread_that_was_never_entered_takes_what_its_port_saves(log, request):
    """On AVR 19 registers and an address; on a Cortex-M3 an address and flags, the rest may be anything."""
    port = request.node.callspec.params["story"]
    assert log["prepared"][1] == {"avr": 19 + 2, "cortex-m3": 4 + 4}[port]


def test_the_timer_switches_threads_that_call_nothing(log):
    assert log["first begins"][0] <= 10
    assert log["second begins"][0] == 20, "the end of the first slice"
    assert log["first begins"][1] == log["second begins"][1] == 0, "in the first page of memory"
    assert log["first has mixed"][1] == log["second has mixed"][1] == 1
    assert 100 <= log["first has mixed"][0] <= 123
    assert 120 <= log["second has mixed"][0] <= 143


def test_all_registers_survive_it(log):
    assert log["changed"][1] == 0
    assert log["first's page"][1] == 1 and log["second's page"][1] == 0, "each has its own"


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


def test_a_mote_whose_stack_overflowed_into_other_memory_stops(story):
    """Through the guard: nothing that comes after it can be trusted."""
    said = story("-DTHROUGH")
    found = parsed(said)
    assert found and list(found)[-1] == "first starts small", said
    assert "!" in said, "as the board says when the port stops it"


def test_times_sum_up(log):
    assert log["all"][1] == 400_000
    assert 80_000 <= log["first's cpu"][1] <= 100_000
    assert 80_000 <= log["second's cpu"][1] <= 100_000
