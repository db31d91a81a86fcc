# SPDX-License-Identifier: Apache-2.0
"""Runs a command for the shell: every error becomes one message and a documented exit code."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

BUG = 70  # EX_SOFTWARE of sysexits.h
# From good to bad: a verdict is a result; a file that this version does not run gives no result, but nobody
# is at fault.
_ORDER = (0, 1, 4, 3, 9, 6, 7, 2, 5, 8, BUG)
_STOPPED = "interrupted; finished runs are kept, the same command goes on from there"
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}


def guarded(command: Callable[[], int | None]) -> int:
    """Run the command and return its exit code.

    No traceback reaches the user, unless $ORCHESTRATE_TRACEBACK asks for it.
    """
    from orchestrator.errors import Interrupted

    _plug_streams()
    try:
        with _ends_like_ctrl_c():
            code = command() or 0
            sys.stdout.flush()  # here, where a full disk behind it still has an exit code
            return code
    except KeyboardInterrupt:
        _say(_STOPPED)
        return Interrupted.exit_code
    except BrokenPipeError:
        _discard_output()  # the reader of a pipe went away (`| head`): not an error of ours
        return 0
    except Exception as error:
        from orchestrate_spark.errors import by_ctrl_c

        if by_ctrl_c(error) and not hasattr(error, "exit_code"):
            _say(_STOPPED)
            return Interrupted.exit_code
        if isinstance(error, OSError):
            _discard_output()
        text, code = told(error)
        if code == BUG and os.environ.get("ORCHESTRATE_TRACEBACK"):
            raise
        _say(text)
        return code


def worst(codes: Iterable[int]) -> int:
    """Return the worst of several exit codes."""
    return max(codes, key=_ORDER.index, default=0)


def told(error: Exception) -> tuple[str, int]:
    """Return the message for an error, and its exit code."""
    from orchestrator.errors import MissingTool, StorageFailed

    if code := getattr(error, "exit_code", 0):  # an OrchestrateError, or a testbed's LabError
        return str(error), code
    if isinstance(error, OSError):
        return f"{error.strerror or error}" + (
            f": {error.filename}" if error.filename else ""
        ) + f"\n    {_remedy(error)}", StorageFailed.exit_code
    if isinstance(error, ModuleNotFoundError) and (extra := _extra(error.name or "")):
        return (
            f"this needs the Python package {error.name}, which is not installed\n"
            f"    pip install 'cooja-orchestrate[{extra}]'"
        ), MissingTool.exit_code
    # A bug of ours, whatever it is; the shell must not take it for a verdict.
    return (
        f"a bug in orchestrate: {type(error).__name__}: {error}{_place(error)}\n"
        "    please report it with what ORCHESTRATE_TRACEBACK=1 in front of the same command prints"
    ), BUG


def _extra(module: str) -> str:
    """Return the extra of our distribution that brings a module's package; "" if none does."""
    import re
    from importlib import metadata

    package = re.sub(r"[-_.]+", "-", module.partition(".")[0]).lower()
    for requirement in metadata.requires("cooja-orchestrate") or ():
        match = re.match(r"([\w.-]+)[^;]*;.*extra == ['\"]([\w-]+)['\"]", requirement)
        if match and match[2] != "all" and re.sub(r"[-_.]+", "-", match[1]).lower() == package:
            return match[2]
    return ""


def _say(text: str) -> None:
    from orchestrator.console import visible

    try:
        print(_fitted(f"orchestrate: {visible(text)}"), file=sys.stderr, flush=True)
    except OSError:
        pass  # nobody reads the message; the exit code has to do


def _fitted(text: str) -> str:
    """In a terminal, long lines wrap between words, under the remedies' indent; no path is broken.

    Else as it is.
    """
    if not sys.stderr.isatty():
        return text
    import shutil
    import textwrap

    columns = max(20, shutil.get_terminal_size().columns)
    return "\n".join(
        "\n".join(
            textwrap.wrap(
                line, columns, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
            )
        )
        if len(line) > columns
        else line
        for line in text.split("\n")
    )


def _remedy(error: OSError) -> str:
    what = "correct the path"
    if error.errno in _FULL:
        what = "free space or choose another folder (--store, --logdir, --out)"
    elif error.errno in _FORBIDDEN:
        what = "choose a folder that can be written (--store, --logdir, --out)"
    return f"{what}, then run the same command again"


def _place(error: BaseException) -> str:
    trace = error.__traceback__
    if trace is None:
        return ""
    while trace.tb_next is not None:
        trace = trace.tb_next
    return f" ({os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno})"


def _plug_streams() -> None:
    """Let standard streams that the caller closed (`>&-`) lead nowhere, else the next file became one."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - as long as the process


def _discard_output() -> None:
    """Discard what is still buffered for standard output, instead of failing again at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        pass  # no real file behind it, as under a test


@contextmanager
def _ends_like_ctrl_c() -> Iterator[None]:
    """SIGTERM, a job scheduler's way to end a process, leaves as little behind as Ctrl-C."""
    import signal
    import threading

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with handled(signal.SIGTERM, signal.default_int_handler):
        yield


@contextmanager
def handled(number: int, handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Let a handler have a signal in this block; after it, the handler before has it again."""
    import signal

    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)
