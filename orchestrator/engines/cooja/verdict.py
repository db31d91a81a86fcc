# SPDX-License-Identifier: Apache-2.0
"""How a run in Cooja ended: by its log, by what Cooja said on the console and by the exit status, never by one alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from orchestrator.csc.model import EndScript
from orchestrator.engines.cooja.failures import plain, recognise
from orchestrator.engines.log import END_LINE, SCRIPT_FAILED, SCRIPT_TIMEOUT, ending, why_failed
from orchestrator.runs.model import Outcome

_LAST_LINES = 5
_KILLED = 128 + 9


def judge(said_ok: bool, console: Sequence[str], log: Path, script: EndScript) -> tuple[Outcome, tuple[str, ...]]:
    """Of a run that Cooja itself ended, with TEST OK or TEST FAILED on the console."""
    end = ending(log)
    if not end.complete:
        known = recognise(console)
        if known is not None:
            return known
        outcome = Outcome.TRUNCATED if log.exists() else Outcome.LOAD_ERROR
        return outcome, (f"Cooja says that the test {'passed' if said_ok else 'failed'}, but its log does not end with "
                         f"{END_LINE!r}", *_last(console))
    if end.verdict is None:
        return recognise(console) or (Outcome.TRUNCATED, ("the log has its last line, but no verdict before it", *_last(console)))
    if end.timeout:
        return Outcome.SCRIPT_TIMEOUT, SCRIPT_TIMEOUT + why_failed(script, log)
    if end.verdict == "FAILED":
        return Outcome.FAILED, SCRIPT_FAILED + why_failed(script, log)
    if not said_ok:
        return recognise(console) or (Outcome.LOST, ("the log says TEST OK, Cooja says that the test failed", *_last(console)))
    return Outcome.OK, ()


def vanished(status: int, console: Sequence[str], report: Sequence[str]) -> tuple[Outcome, tuple[str, ...]]:
    """Of a run that was under way when the JVM ended. `report`: the lines of the JVM's own report of its crash."""
    known = recognise([*console, *report])
    if known is not None:
        return known
    ended = f"signal {status - 128}" if status > 128 else f"exit code {status}"
    by = ": ended from outside, or by the kernel for want of memory" if status == _KILLED else ""
    return Outcome.LOST, (f"Cooja's JVM ended with {ended}{by}", *_last(console))


def _last(console: Sequence[str]) -> tuple[str, ...]:
    return tuple(plain(line) for line in console if line.strip())[-_LAST_LINES:]
