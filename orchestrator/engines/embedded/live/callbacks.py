# SPDX-License-Identifier: Apache-2.0
"""Calls functions of a user's, which may never return."""

from __future__ import annotations

import ctypes
import signal
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from orchestrator.errors import RunFailed

LIMIT_S = 60.0  # of real time
_Returned = TypeVar("_Returned")


class CallbackHung(RunFailed):
    """A user's function didn't return in its time; the simulation stands still where it was called."""


class _TimeOver(BaseException):
    """Raised inside of the function; no `except Exception` of the user's takes it."""


def call(
    what: str,
    function: Callable[..., _Returned],
    *arguments: Any,  # noqa: ANN401 - the user's
    limit_s: float | None = LIMIT_S,
) -> _Returned:
    """Call a function and return what it returns; `what` names it in errors.

    Raises what it raises, and CallbackHung after `limit_s` seconds of real time (None: never). In the main
    thread that also ends calls that wait for something; elsewhere only Python's own code is interrupted.
    """
    if limit_s is None:
        return function(*arguments)
    in_main = threading.current_thread() is threading.main_thread()
    timed = _by_signal if in_main and not any(signal.getitimer(signal.ITIMER_REAL)) else _by_thread
    try:
        return timed(function, arguments, limit_s)
    except _TimeOver:
        raise CallbackHung(
            f"{what} didn't return in {limit_s:g} s\n"
            "    the simulation stands still where it was called, and can go on; give the function more time "
            "with limit_s, or None for any"
        ) from None


def _over(*_: object) -> None:
    raise _TimeOver


def _by_signal(function: Callable[..., _Returned], arguments: tuple, limit_s: float) -> _Returned:
    before = signal.signal(signal.SIGALRM, _over)
    signal.setitimer(signal.ITIMER_REAL, limit_s)
    try:
        return function(*arguments)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _by_thread(function: Callable[..., _Returned], arguments: tuple, limit_s: float) -> _Returned:
    """Have another thread raise it in this one, at its next instruction of Python's."""
    mine, over = threading.get_ident(), threading.Lock()
    done = False

    def end() -> None:
        with over:
            if not done:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(mine), ctypes.py_object(_TimeOver))

    timer = threading.Timer(limit_s, end)
    timer.daemon = True
    timer.start()
    try:
        return function(*arguments)
    finally:
        with over:
            done = True
        timer.cancel()
