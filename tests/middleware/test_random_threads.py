# SPDX-License-Identifier: Apache-2.0
"""Random threads do what a plain model of them does, at the same times, under memory and undefined-behaviour
sanitizers.
"""

import random
import subprocess
from pathlib import Path

import pytest
from c_tests import MIDDLEWARE, SANITIZE, WARNINGS, compiler
from thread_model import Mote

from tests.waiting import HANG_S

PROGRAMS, PER_TEST = 200, 50
THREADS = MIDDLEWARE / "threads"
SOURCES = [
    THREADS / f"{name}.c"
    for name in (
        "thread",
        "thread-inheritance",
        "thread-scheduler",
        "thread-lock",
        "thread-stack",
        "thread-switch-host",
    )
]


def compiled(program, sources, folders=(), defines=()):
    subprocess.run(
        [
            compiler(),
            *WARNINGS,
            "-g",
            "-O1",
            *SANITIZE,
            *defines,
            *(f"-I{folder}" for folder in (THREADS, *folders)),
            str(Path(__file__).parent / "random_threads.c"),
            *map(str, sources),
            "-o",
            str(program),
        ],
        check=True,
        timeout=HANG_S,
    )
    return program


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("random-threads") / "random_threads", SOURCES)


def operation(draw, threads):
    """Mostly what takes time; locks are few, so that threads meet at them."""
    what = draw.choices("usgdlrwWpiDFbvx", weights=(8, 4, 2, 2, 6, 6, 3, 4, 4, 3, 5, 1, 2, 3, 0.3))[0]
    if what == "u":
        return what, draw.choice((500, 3000, 7000, 20_000, draw.randrange(1, 60_000))), 0
    if what == "s":
        return what, draw.choice((0, 1000, 10_000, draw.randrange(1, 50_000))), 0
    if what == "D":
        return what, draw.randrange(threads), draw.choice((4_000, 10_000, 40_000, draw.randrange(100_000)))
    if what in "Fx":
        return what, draw.randrange(threads), 0
    if what in "gdbv":
        return what, 0, 0
    return what, draw.randrange(3), draw.choice((0, 5_000, draw.randrange(1, 40_000))) if what == "W" else 0


def scripts(seed):
    draw = random.Random(seed)
    threads = draw.randrange(1, 7)
    return [
        (draw.randrange(5), [operation(draw, threads) for _ in range(draw.randrange(1, 35))])
        for _ in range(threads)
    ]


def told(threads):
    return "".join(
        f"{priority} {' '.join(f'{what}{a}:{b}' for what, a, b in script)}\n" for priority, script in threads
    )


@pytest.mark.parametrize("begin", range(0, PROGRAMS, PER_TEST))
def test_as_the_model(program, begin):
    seen = set()
    for seed in range(begin, begin + PER_TEST):
        threads = scripts(seed)
        ran = subprocess.run(
            [program], input=told(threads), capture_output=True, text=True, timeout=HANG_S, check=False
        )
        assert ran.returncode == 0, f"seed {seed}: {ran.stderr[-2000:]}"
        expected = Mote(threads).run()
        assert ran.stdout.splitlines() == expected, f"seed {seed}\n{told(threads)}"
        seen |= {line.split(" ", 2)[2] for line in expected}
    assert {"l 8", "l 0", "r 10", "D 7", "W 5", "runs slice", "runs block"} <= seen, (
        "what the programs are to reach"
    )


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ([("p", 0, 254), ("o", 0, 0)], ["0 t0 p 0", "0 t0 o 254"]),
        ([("p", 0, 255), ("o", 0, 0)], ["0 t0 p 0", "0 t0 o 255"]),
        ([("p", 0, 600), ("o", 0, 0), ("o", 0, 0)], ["0 t0 p 0", "0 t0 o 255", "0 t0 o 0"]),
        ([("p", 1, 254), ("p", 1, 1), ("o", 1, 0)], ["0 t0 p 0", "0 t0 p 0", "0 t0 o 255"]),
        ([("i", 0, 0), ("i", 0, 0), ("o", 0, 0)], ["0 t0 i 0", "0 t0 i 0", "0 t0 o 1"]),
        ([("i", 2, 0), ("o", 2, 0)], ["0 t0 i 0", "0 t0 o 2"]),
    ],
)
def test_a_semaphore_counts_up_to_255_and_a_signal_once(program, script, expected):
    threads = [(0, script)]
    ran = subprocess.run(
        [program], input=told(threads), capture_output=True, text=True, timeout=HANG_S, check=True
    )
    assert ran.stdout.splitlines() == Mote(threads).run()
    assert [line for line in ran.stdout.splitlines() if line.split()[2] in "pio"] == expected
