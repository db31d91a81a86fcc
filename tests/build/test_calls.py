# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C and SIGTERM during a first build: the compilers end with us, and nothing half-built stays."""

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from orchestrator.build.calls import Calls, each, run
from tests.waiting import HANG_S, wait_until

# A compiler that answers who it is, and then takes long, in a child of its own as gcc does with cc1.
SLOW = """#!/bin/sh
case $1 in --version) echo slow 1;; -dumpmachine) echo none;; *) touch "$STARTED.$$"; sleep 3600; touch "$FINISHED";; esac
"""  # noqa: E501


def ended(pid: str) -> bool:
    """Gone, or killed and not yet reaped by the init process, which inherited it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX"
    except OSError:
        return True


def test_output_and_exit_code_come_back(tmp_path):
    assert run(["sh", "-c", "echo out; echo err >&2; exit 3"], tmp_path, {"PATH": os.environ["PATH"]}) == (
        3,
        "out\nerr\n",
    )


def test_each_is_called_and_the_first_error_is_raised():
    called = []

    def call(number: int) -> None:
        called.append(number)
        if number == 3:
            raise KeyError(number)

    with ThreadPoolExecutor(2) as pool:
        each(pool, call, (1, 2))
        assert sorted(called) == [1, 2]
        with pytest.raises(KeyError, match="3"):
            each(pool, call, (1, 2, 3))


def test_an_exception_kills_what_other_threads_called(tmp_path):
    ended = []
    with pytest.raises(KeyError), Calls() as calls:
        thread = threading.Thread(
            daemon=True,
            target=lambda: ended.append(
                calls.run(["sh", "-c", "touch up; sleep 3600 & wait"], tmp_path, {"PATH": os.environ["PATH"]})
            ),
        )
        thread.start()
        wait_until((tmp_path / "up").exists)
        raise KeyError
    thread.join(HANG_S)
    assert ended == [(-signal.SIGKILL, "")]
    with pytest.raises(InterruptedError):
        calls.run(["true"], tmp_path, {})


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_just_after_the_start_leaves_nothing_running(tmp_path, monkeypatch, number):
    started = []

    class Interrupted(subprocess.Popen):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            started.append(self)
            signal.raise_signal(number)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)  # as orchestrate's commands do
    try:
        with pytest.raises(KeyboardInterrupt):
            run(["sleep", "60"], tmp_path, {"PATH": os.environ["PATH"]})  # so long if it isn't killed
    finally:
        signal.signal(signal.SIGTERM, before)
    assert started[0].wait(HANG_S) == -signal.SIGKILL
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("what", ["kernel.executable()", "host.firmware('aggregation')"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_build_stops_at_once_and_leaves_nothing(tmp_path, what, number):
    compiler = tmp_path / "slowcc"
    compiler.write_text(
        SLOW.replace("$STARTED", str(tmp_path / "started")).replace("$FINISHED", str(tmp_path / "finished"))
    )
    compiler.chmod(0o755)
    program = (
        "import sys\nfrom orchestrator.build import host, kernel\n"
        "from orchestrator.cli.guard import guarded\n"
        f"sys.exit(guarded(lambda: {what}))"
    )
    environment = os.environ | {"CC": str(compiler), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        stdout=subprocess.DEVNULL,
    )
    wait_until(lambda: list(tmp_path.glob("started.*")) or process.poll() is not None)
    started = list(tmp_path.glob("started.*"))
    assert started, process.communicate()[1]
    process.send_signal(number)
    _, said = process.communicate(timeout=HANG_S)
    assert process.returncode == 130 and "interrupted" in said
    files = [path for path in (tmp_path / "cache").rglob("*") if path.is_file() and path.suffix != ".lock"]
    # The hash of the kernel's sources is no product: it is kept before the compilers start.
    left = [path for path in files if "sources" not in path.parts]
    assert left == [] and not (tmp_path / "finished").exists()
    wait_until(lambda: ended(started[0].suffix[1:]))
