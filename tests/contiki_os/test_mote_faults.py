# SPDX-License-Identifier: Apache-2.0
"""A mote with a fault ends the run, by a signal that the engine can report."""

import signal
import subprocess

import pytest


@pytest.fixture
def end(driver, firmware):
    def _end(order: str):
        return subprocess.run(
            [
                str(driver),
                str(firmware("overflow", flags="-O0")),
                "--input",
                f"1:100:{order}",
                "--until",
                "500",
            ],
            check=False,
            capture_output=True,
            text=True,
        )

    return _end


def test_a_stack_that_overflows_is_noticed(end):
    assert end("dig").returncode in (-signal.SIGABRT, -signal.SIGSEGV)


def test_a_failed_assertion_is_logged_and_ends_the_run(end):
    assert end("right").returncode == 0
    ended = end("wrong")
    assert ended.returncode == -signal.SIGABRT


def test_undefined_behaviour_traps_nowhere(firmware, run):
    flags = "-O1 -fsanitize=undefined -fsanitize-undefined-trap-on-error"
    orders = ["1:100:u 5", "2:103:b 5l", "3:105:u 3x", "1:400:b 9"]
    lines = run(
        firmware("mac", "gcc", flags),
        "--motes",
        "5",
        "--lose",
        "3",
        "--raw",
        "4:200:41d8",
        "--frames",
        *(word for order in orders for word in ("--input", order)),
        "--until",
        "3000",
    )
    assert sum(line.mote == 0 for line in lines) > 20
    lines = run(
        firmware("board", "gcc", flags),
        "--input",
        "1:100:energy",
        "--input",
        "1:200:much",
        "--set",
        "1:300:simButtonIsDown=1",
        "--set",
        "1:300:simButtonChanged=1",
        "--until",
        "3000",
    )
    assert len(lines) > 300
    assert run(firmware("data", "gcc", flags), "--until", "100")[0].text.endswith(" 0 failed")
