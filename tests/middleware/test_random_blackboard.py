# SPDX-License-Identifier: Apache-2.0
"""Random threads that share a blackboard do what a plain model of them does, at the same times, under
sanitizers.
"""

import random
import subprocess
from pathlib import Path

import pytest
from board_thread_model import EVENTS, BoardMote
from c_tests import HOST, MIDDLEWARE
from test_random_threads import SOURCES, compiled, operation, told

from tests.waiting import HANG_S

PROGRAMS = 60
BLACKBOARD = MIDDLEWARE / "blackboard"
DEFINES = (
    "-DWITH_BLACKBOARD",
    "-DBLACKBOARD_CONF_CONCEPT=1",
    "-DBLACKBOARD_CONF_EVENTS(X)=" + " ".join(f"X({event}, SIGNED, 1, 12)" for event in range(EVENTS)),
)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return compiled(
        tmp_path_factory.mktemp("random-blackboard") / "random_blackboard",
        [*SOURCES, *sorted(BLACKBOARD.glob("*.c"))],
        [BLACKBOARD, HOST, Path(__file__).parent],
        DEFINES,
    )


def script(draw, threads):
    """It subscribes, mostly with deadlines; then half of what it does is the blackboard's."""
    made = [
        ("y", semaphore, draw.choice((0, 15_000, 60_000, draw.randrange(1, 200_000))))
        for semaphore in (0, 1, 0)
    ]
    for _ in range(draw.randrange(4, 30)):
        if draw.random() < 0.5:
            made.append(operation(draw, threads))
            continue
        what = draw.choices("nPBU", weights=(4, 5, 2, 3))[0]
        made.append((what, draw.randrange(2 if what == "n" else EVENTS), 0))
    return made


def scripts(seed):
    draw = random.Random(seed)
    threads = draw.randrange(2, 7)
    return [(draw.randrange(5), script(draw, threads)) for _ in range(threads)]


def test_as_the_model(program):
    seen = set()
    for seed in range(PROGRAMS):
        threads = scripts(seed)
        ran = subprocess.run(
            [program], input=told(threads), capture_output=True, text=True, timeout=HANG_S, check=False
        )
        assert ran.returncode == 0, f"seed {seed}: {ran.stderr[-2000:]}"
        expected = BoardMote(threads).run()
        assert ran.stdout.splitlines() == expected, f"seed {seed}\n{told(threads)}"
        seen |= {line.split(" ", 2)[2] for line in expected}
    assert {"n 0", "P 0", "P -8", "B -4", "U 0", "y 0", "y -4", "runs block"} <= seen, (
        "what the programs are to reach"
    )
