# SPDX-License-Identifier: Apache-2.0
"""What the end of a COOJA.testlog says, whichever engine wrote it, and which lines of it prove a failed
verdict.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from orchestrator.csc.model import EndScript, JavaScript
from orchestrator.errors import Unsupported

END_LINE = "Test ended at simulation time: "
# What is said of these two outcomes, before the lines of the log.
SCRIPT_FAILED = ("the simulation's script says TEST FAILED",)
SCRIPT_TIMEOUT = ("TEST TIMEOUT: the script's time ran out, and it has no verdict for that",)
SCRIPT_ERROR = (
    "script error: "  # begins a line of evidence: what made the script fail, which the log doesn't say
)
LOG_LIMIT = 4 << 30  # bytes of one run's log: firmware that prints for ever must not fill the disk
LOG_LIMIT_VARIABLE = "ORCHESTRATE_LOG_LIMIT"
_END = 1 << 16  # bytes of a log where the last line that a script logged is looked for first
_TAIL = 400  # bytes; what the simulator itself writes at the end is far shorter


@dataclass(frozen=True)
class Ending:
    """`complete`: the last line is the simulator's own, with the time `sim_us` at which the simulation ended.

    `verdict`: "OK", "FAILED" or None if there is none; `timeout`: the script's time ran out, and it had no
    code for that.
    """

    complete: bool
    verdict: str | None = None
    timeout: bool = False
    sim_us: int = 0


def ending(log: Path) -> Ending:
    """What a log ends with; of a file that is not there, that it is not complete."""
    try:
        with log.open("rb") as stream:
            stream.seek(max(0, stream.seek(0, os.SEEK_END) - _TAIL))
            text = stream.read().decode("utf-8", "replace")
    except OSError:
        return Ending(False)
    lines = text.split("\n")
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
    """The line that failed the run, or the one that never came and what a mote printed last."""
    if isinstance(script, JavaScript):
        return tuple(f"last line: {line}" for line in (_own(log, _END) or _own(log, log.stat().st_size))[-1:])
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


def _own(log: Path, size: int) -> list[str]:
    """The script's own lines among the last so many bytes of a log."""
    with log.open("rb") as stream:
        stream.seek(max(0, stream.seek(0, os.SEEK_END) - size))
        lines = (
            stream.read().decode("utf-8", "replace").splitlines()[1:]
        )  # the first is the seed, or the rest of a line
    return [line for line in lines if not line.startswith(("TEST ", END_LINE))]


def log_limit() -> int:
    """Bytes: $ORCHESTRATE_LOG_LIMIT, or LOG_LIMIT. Raises Unsupported if the variable is no number."""
    text = os.environ.get(LOG_LIMIT_VARIABLE) or str(LOG_LIMIT)
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 1 << 63):
        raise Unsupported(
            f"{LOG_LIMIT_VARIABLE}={text}: not a number of bytes\n    unset it, or give digits only"
        )
    return int(text)
