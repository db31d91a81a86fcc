# SPDX-License-Identifier: Apache-2.0
"""What can go wrong with a program in virtual time, each with its own class."""

from __future__ import annotations

import asyncio
import traceback
from pathlib import Path
from types import FrameType, TracebackType

from orchestrator.errors import RunFailed, Unsupported

_MACHINERY = {Path(asyncio.__file__).parent, Path(__file__).parent}
PAGE = "docs/virtual-time.md"


class ProgramFailed(RunFailed):
    """The program raised, in its main part or in a callback."""


class Stuck(RunFailed):
    """The program did not return to its event loop."""


class NothingCanCome(RunFailed):
    """The program waits for what can never come, or did not come for a long simulated time."""


class NoBorderRouter(RunFailed):
    """A mote never asked for its prefix."""


class TimeIsUp(RunFailed):
    """The program was still running at its last simulated time."""


class NotInVirtualTime(Unsupported, NotImplementedError):
    """The program asks the event loop for something of the real world."""


def seconds(time_us: int) -> str:
    """Return a simulated time as text."""
    return f"{time_us / 1e6:.6f} s"


def programs_frame(frame: FrameType | None) -> FrameType | None:
    """Return the innermost frame that is not asyncio's or ours; None between the program's callbacks."""
    while frame is not None and Path(frame.f_code.co_filename).parent in _MACHINERY:
        frame = None if frame.f_code.co_name == "run_forever" else frame.f_back
    return frame


def waiting(loop: asyncio.AbstractEventLoop) -> str:
    """Return where the loop's tasks wait."""
    places = {place(frame) for task in asyncio.all_tasks(loop) for frame in task.get_stack(limit=1)}
    return "it waits at " + (", ".join(sorted(places)) or "no place of a task")


def place(frame: FrameType | None, line: int | None = None) -> str:
    """Return where a frame is, as FILE:LINE in FUNCTION."""
    if frame is None:
        return "an unknown place"
    code = frame.f_code
    return f"{Path(code.co_filename).name}:{line or frame.f_lineno} in {code.co_name}"


def raised_at(error: BaseException) -> str:
    """Return the place at which an exception was raised, and what it is."""
    last: TracebackType | None = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    where = place(last.tb_frame, last.tb_lineno) if last else "an unknown place"
    what = traceback.format_exception_only(error)[-1].strip()
    return f"{where}: {what}"
