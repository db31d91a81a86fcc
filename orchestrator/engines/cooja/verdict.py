# SPDX-License-Identifier: Apache-2.0
"""Decides how a run in Cooja ended, from the log, the console and the exit status together."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from pathlib import Path

from orchestrator.csc.model import EndScript, JavaScript
from orchestrator.engines.cooja.failures import (
    called_by_a_mote,
    plain,
    ran_out_of_events,
    recognise,
    script_error,
)
from orchestrator.engines.log import END_LINE, OUTSIDE, SCRIPT_FAILED, SCRIPT_TIMEOUT, ending, why_failed
from orchestrator.runs.model import Outcome

_LAST_LINES = 5
_SIGNALS = 128  # a shell adds this to the number of the signal that ended a process


def judge(
    said_ok: bool,
    console: Sequence[str],
    log: Path,
    script: EndScript | JavaScript,
    commands: bool = False,
) -> tuple[Outcome, tuple[str, ...]]:
    """Judge a run that Cooja itself ended, with TEST OK or TEST FAILED on the console.

    `commands`: those of a SerialSocketServer may have ended it, and then the log has no verdict.
    """
    end = ending(log)
    if not end.complete:
        failure = recognise(console)
        if failure is not None:
            return failure
        outcome = Outcome.TRUNCATED if log.exists() else Outcome.SETUP_ERROR
        return outcome, (
            f"Cooja says that the test {'passed' if said_ok else 'failed'}, but its log does not end with "
            f"{END_LINE!r}",
            *_last(console),
        )
    if end.verdict is None and commands:
        return (Outcome.OK, ()) if said_ok else (Outcome.FAILED, (f"{OUTSIDE}a command of the .csc failed",))
    if end.verdict is None:
        return recognise(console) or (
            Outcome.TRUNCATED,
            ("the log has its last line, but no verdict before it", *_last(console)),
        )
    if end.timeout:
        return Outcome.NO_VERDICT, SCRIPT_TIMEOUT + why_failed(script, log)
    if end.verdict == "FAILED":
        return Outcome.FAILED, script_error(console) or SCRIPT_FAILED + why_failed(script, log)
    if not said_ok and not ran_out_of_events(console):
        return recognise(console) or (
            Outcome.LOST,
            ("the log says TEST OK, Cooja says that the test failed", *_last(console)),
        )
    return Outcome.OK, ()


def vanished(
    status: int | None, console: Sequence[str], begun: bool, report: Sequence[str] = ()
) -> tuple[Outcome, tuple[str, ...]]:
    """Judge a run whose JVM ended otherwise.

    `status`: None if the JVM had to be killed. `begun`: whether Cooja had begun the run. `report`: the JVM's
    crash report, if there is one.
    """
    failure = recognise(console)
    if failure is not None:
        if failure[0] is Outcome.LOST and (proof := called_by_a_mote(report)):
            return Outcome.CRASH, (*failure[1], *proof)
        return failure
    if status is None:
        return Outcome.LOST, ("Cooja's JVM closed its console and did not end", *_last(console))
    if status > _SIGNALS:
        name = (
            signal.Signals(status - _SIGNALS).name
            if status - _SIGNALS in set(signal.Signals)
            else str(status - _SIGNALS)
        )
        # The JVM itself reports all other signals of native code.
        if begun and status - _SIGNALS == signal.SIGABRT:
            return Outcome.CRASH, (
                "SIGABRT without a report of the JVM's: firmware called abort(), or libc found its "
                "memory damaged",
                *_last(console),
            )
        by = (
            ", sent from outside or by the operating system because memory was short"
            if status - _SIGNALS == signal.SIGKILL
            else ""
        )
        return Outcome.LOST, (
            f"Cooja's JVM was ended by signal {status - _SIGNALS} ({name}){by}",
            *_last(console),
        )
    text = f"Cooja's JVM ended with exit code {status} in the middle of a run"
    if begun and status not in (0, 1):  # those are Cooja's own
        return Outcome.CRASH, (f"{text}, as when firmware calls exit()", *_last(console))
    return Outcome.LOST, (text if begun else f"Cooja's JVM ended with exit code {status}", *_last(console))


def _last(console: Sequence[str]) -> tuple[str, ...]:
    return tuple(plain(line) for line in console if line.strip())[-_LAST_LINES:]
