# SPDX-License-Identifier: Apache-2.0
"""Calls of compilers and make that end with us: an interruption at once ends all that they started."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import Executor

_open: weakref.WeakSet[Calls] = weakref.WeakSet()
_opening = threading.Lock()
# A signal that comes just before the main thread begins to wait is noticed when the wait ends, so every wait
# has a limit.
_AWAKE_EVERY_S = 0.5


class Calls:
    """Runs commands, none of which outlives it.

    As a context manager: if it is left by an exception (Ctrl-C among them), what still runs is killed first,
    in whatever thread it was called, and nothing more is started.
    """

    def __init__(self) -> None:
        self._running: set[subprocess.Popen] = set()
        self._lock = threading.Lock()
        self._stopped = False
        with _opening:
            _open.add(self)

    def __enter__(self) -> Calls:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self.stop()

    def run(self, command: Sequence[str], folder: Path, environment: dict[str, str]) -> tuple[int, str]:
        """Exit code and output of the command.

        Raises OSError if it can't be started, InterruptedError after stop().
        """
        with self._lock, _deferred():
            if self._stopped:
                raise InterruptedError("stopped")
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                errors="replace",
                process_group=0,
            )
            self._running.add(process)
        try:
            output = _output(process)
        except BaseException:  # Ctrl-C in this thread
            self._kill(process)
            process.wait()
            raise
        finally:
            with self._lock:
                self._running.discard(process)
        return process.returncode, output

    def stop(self) -> None:
        """Kill the running calls. Each is a separate process group: make with its compilers."""
        with self._lock:
            self._stopped = True
            for process in self._running:
                self._kill(process)

    def _kill(self, process: subprocess.Popen) -> None:
        try:
            os.killpg(process.pid, signal.SIGKILL)  # it is not reaped yet, so the process id is still its own
        except ProcessLookupError:
            pass


@contextmanager
def _deferred() -> Iterator[None]:
    """Inside, Ctrl-C and SIGTERM wait, which come to the main thread only.

    Between a process's start and our knowing of it, they would leave it running.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {}
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            before[number] = signal.signal(number, lambda number, _: came.append(number))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    for number in came:
        signal.raise_signal(number)


def stop_all() -> None:
    """Kills what runs for any thread of this process.

    For the main thread at Ctrl-C, which the others don't hear of.
    """
    with _opening:
        all_open = tuple(_open)
    for calls in all_open:
        calls.stop()


def _output(process: subprocess.Popen) -> str:
    while True:
        try:
            return process.communicate(timeout=_AWAKE_EVERY_S)[0]
        except subprocess.TimeoutExpired:
            pass


def each(pool: Executor, call: Callable[[str], None], items: Iterable[str]) -> None:
    """Call `call` for all items, in the pool. Raises what the first of them raises."""
    from concurrent.futures import FIRST_EXCEPTION, wait

    called = [pool.submit(call, item) for item in items]
    waiting = set(called)
    while waiting:
        done, waiting = wait(waiting, _AWAKE_EVERY_S, FIRST_EXCEPTION)
        for future in done:
            future.result()


def run(command: Sequence[str], folder: Path, environment: dict[str, str]) -> tuple[int, str]:
    """One call, as Calls.run."""
    with Calls() as calls:
        return calls.run(command, folder, environment)
