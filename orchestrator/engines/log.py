# SPDX-License-Identifier: Apache-2.0
"""Reads the end of a COOJA.testlog, whichever engine wrote it, and the lines that prove a failed verdict."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.errors import Unsupported

if TYPE_CHECKING:  # a short run's time is mostly that of its imports
    from orchestrator.csc.model import EndScript, JavaScript

END_LINE = "Test ended at simulation time: "
# The evidence of these two outcomes, before the lines of the log.
SCRIPT_FAILED = ("the simulation's script says TEST FAILED",)
SCRIPT_TIMEOUT = ("TEST TIMEOUT: the script's time ran out, and it has no verdict for that",)
SCRIPT_ERROR = "script error: "  # begins the evidence of why a script failed, which the log doesn't say
OUTSIDE = "from outside: "  # begins that of why a run failed that was ended from outside
LOG_LIMIT = 4 << 30  # bytes of a run's log, so that firmware that prints for ever doesn't fill the disk
LOG_LIMIT_VARIABLE = "ORCHESTRATE_LOG_LIMIT"
_END = 1 << 16  # bytes at a log's end in which the last line of the script is looked for first
_TAIL = 400  # bytes; the simulator's own lines at the end are far shorter


@dataclass(frozen=True)
class Ending:
    """The end of a log.

    `complete`: the last line is the simulator's, with the time `sim_us` at which the simulation ended.
    `verdict`: "OK", "FAILED" or None. `timeout`: the script's time ran out, and it has no code for that.
    """

    complete: bool
    verdict: str | None = None
    timeout: bool = False
    sim_us: int = 0


def ending(log: Path) -> Ending:
    """Read the end of a log; a file that is missing is not complete."""
    try:
        lines = tail(log, _TAIL).split("\n")
    except OSError:
        return Ending(False)
    if lines.pop() or not lines:
        return Ending(False)
    number = lines[-1].removeprefix(END_LINE)
    if not lines[-1].startswith(END_LINE) or not (number.isascii() and number.isdigit()):
        return Ending(False)
    verdict = (
        lines[-2].removeprefix("TEST ")
        if len(lines) > 1 and lines[-2] in ("TEST OK", "TEST FAILED")
        else None
    )
    return Ending(
        True, verdict, verdict == "FAILED" and len(lines) > 2 and lines[-3] == "TEST TIMEOUT", int(number)
    )


def why_failed(script: EndScript | JavaScript, log: Path) -> tuple[str, ...]:
    """Return the line that failed the run, or the one that never came and the last that a mote printed."""
    from orchestrator.csc.model import JavaScript

    if isinstance(script, JavaScript):
        return last_line(log)
    lines = [
        line for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if "\tID:" in line
    ]
    if script.fail_line is not None:
        found = next((line for line in lines if script.fail_line in line.split("\t", 2)[-1]), None)
        if found is not None:
            return (found,)
    if script.success_line is None:
        return ()
    within = f"within {script.timeout_us / 1e6:g} s"
    return (
        f"no line with {script.success_line!r} came {within}",
        *(f"last line: {line}" for line in lines[-1:]),
    )


def last_line(log: Path) -> tuple[str, ...]:
    """Return the last line that the simulation's own script logged, if there is one."""
    return tuple(f"last line: {line}" for line in (_own(log, _END) or _own(log, log.stat().st_size))[-1:])


def _own(log: Path, size: int) -> list[str]:
    """Return the script's own lines in the last `size` bytes of a log."""
    lines = tail(log, size).splitlines()[1:]  # the first line is the seed, or incomplete
    return [line for line in lines if not line.startswith(("TEST ", END_LINE))]


def tail(log: Path, size: int) -> str:
    """Return the last `size` bytes of a log."""
    with log.open("rb") as stream:
        stream.seek(max(0, stream.seek(0, os.SEEK_END) - size))
        return stream.read().decode("utf-8", "replace")


def log_limit() -> int:
    """Return $ORCHESTRATE_LOG_LIMIT or LOG_LIMIT, in bytes. Raises Unsupported if it is no number."""
    text = os.environ.get(LOG_LIMIT_VARIABLE) or str(LOG_LIMIT)
    if not (text.isascii() and text.isdigit() and len(text) < 20 and 0 < int(text) < 1 << 63):
        raise Unsupported(
            f"{LOG_LIMIT_VARIABLE}={text}: not a number of bytes\n    unset it, or give digits only"
        )
    return int(text)
