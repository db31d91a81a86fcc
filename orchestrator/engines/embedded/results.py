# SPDX-License-Identifier: Apache-2.0
"""What the kernel's report (kernel/base/report.h) says about how a run ended."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import IO

from orchestrator.engines.log import (
    END_LINE,
    LOG_LIMIT_VARIABLE,
    SCRIPT_FAILED,
    SCRIPT_TIMEOUT,
    ending,
)
from orchestrator.errors import StorageFailed, Unsupported
from orchestrator.runs.model import VERDICTS, WARNING, Outcome, RunResult
from orchestrator.words import counted

_PENDING_LINES = 4  # of the unfinished output of a mote that evidence has
_ERRORS = {"load": Outcome.SETUP_ERROR, "memory": Outcome.OUT_OF_MEMORY}  # by kind of the kernel's report
_TAIL = 4000  # bytes of what firmware prints through libc that are kept


def printed_last(stream: IO[bytes]) -> tuple[str, ...]:
    """Return the last lines that firmware printed through libc."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - _TAIL))
    lines = stream.read().decode("utf-8", "replace").splitlines()
    return tuple(line for line in lines[-5:] if line.strip())


def last_report(output: bytes) -> dict:
    """Return the kernel's report: its last line that is JSON, with the warnings before it as `warnings`."""
    warnings: list[dict] = []
    last: dict = {}
    for line in output.splitlines():
        try:
            report = json.loads(line.decode("utf-8", "replace"))
        except ValueError:
            continue
        if isinstance(report, dict) and report.get("report") == "warning":
            warnings.append(report)
        elif isinstance(report, dict):
            last = report
    return last | {"warnings": warnings} if warnings else last


def outcome_of(report: dict, status: int, log: Path) -> tuple[Outcome, tuple[str, ...]]:
    """Return how the run ended, and what shows it. Raises Unsupported and StorageFailed."""
    kind = report.get("report")
    if kind == "end":
        end = ending(log)
        if not end.complete:
            return Outcome.TRUNCATED, (f"{log} does not end with {END_LINE!r}",)
        if end.timeout:
            return Outcome.NO_VERDICT, SCRIPT_TIMEOUT
        return (Outcome.OK, ()) if report["verdict"] else (Outcome.FAILED, SCRIPT_FAILED)
    if kind == "crash":
        return Outcome.CRASH, _mote_evidence(report)
    if kind == "sanitizer":
        return Outcome.SANITIZER, _mote_evidence(report)
    if kind == "time":
        return Outcome.WALL_LIMIT, _mote_evidence(report)
    if kind == "full":
        return Outcome.TRUNCATED, (
            *_mote_evidence(report),
            f"print less, or allow more with {LOG_LIMIT_VARIABLE}=BYTES",
        )
    if kind == "error":
        message = str(report.get("message"))
        if report.get("kind") == "description":
            place = _code(report)
            raise Unsupported(f"{message}\n    {place}" if place else message)
        if report.get("kind") == "script":
            return Outcome.LOST, (f"the simulation's driver has gone; simulated time {message} us",)
        if report.get("kind") == "storage":
            raise StorageFailed(
                f"{message}\n    free space or choose another folder (--store, --logdir), then run the same "
                "command again"
            )
        return _ERRORS.get(report.get("kind"), Outcome.LOST), (message,)
    ended = f"signal {-status}" if status < 0 else f"exit code {status}"
    return Outcome.LOST, (f"the simulator's process ended with {ended} and no report",)


def result_of(
    report: dict, outcome: Outcome, wall_s: float, evidence: tuple[str, ...], printed: tuple[str, ...]
) -> RunResult:
    """Return the result of a run; what firmware printed through libc is evidence unless it has a verdict."""
    if outcome is not Outcome.OK and outcome not in VERDICTS:
        evidence += printed
    evidence += _warnings(report)
    sim_us, events, peak = (int(report.get(name, 0)) for name in ("sim_us", "events", "peak_memory"))
    return RunResult(outcome, sim_us, wall_s, events, peak, evidence)


_RESET = "reset it{times}, first at {us} us of simulated time{place}"
_DONE = {  # what firmware of emulated motes did wrong, by the kernel's name of it
    "watchdog": f"the watchdog {_RESET}",
    "watchdog password": f"a write to the watchdog without its password {_RESET}",
    "flash password": f"a write to the flash controller without its password {_RESET}",
    "stack": "its stack grew {below} into its variables, first at {us} us of simulated time{place}{deepest}",
    "busy": "for the last {busy_s} s it neither slept nor took an interrupt{place}",
}
_MOST_WARNINGS = 20


def _warnings(report: dict) -> tuple[str, ...]:
    """Return a line for each mistake of firmware at one place, with the first of the motes that made it."""
    places: dict[tuple, list[dict]] = {}
    for warning in report.get("warnings", ()):
        key = tuple(warning.get(name) for name in ("kind", "firmware", "code", "called"))
        places.setdefault(key, []).append(warning)
    lines = [_warning(alike) for alike in list(places.values())[:_MOST_WARNINGS]]
    if len(places) > _MOST_WARNINGS:
        lines.append(f"{WARNING}{len(places) - _MOST_WARNINGS} more of other kinds or at other places")
    return tuple(lines)


def _warning(alike: list[dict]) -> str:
    first, others = alike[0], len(alike) - 1
    place = _code(first)
    count = int(first.get("count", 1))
    what = _DONE[first["kind"]].format(
        times="" if count == 1 else f" {count} times",
        us=first["us"],
        place=f" {place}" if place else "",
        below=counted(int(first.get("below", 0)), "byte"),
        deepest=f"; it was deepest in {_line(first, 'deepest')}" if "deepest" in first else "",
        busy_s=f"{int(first.get('busy_us', 0)) / 1e6:.3g}",
    )
    alike_too = f" ({counted(others, 'other mote')} did so too)" if others else ""
    return f"{WARNING}mote {first['mote']}: {what}{alike_too}"


def _code(report: dict) -> str:
    """Say in which function and source line of the firmware it was; "" if that is unknown."""
    if "code" not in report:
        return ""
    where = _line(report, "code")
    return f"in code called by {where}" if report.get("called") else f"in {where}"


def _line(report: dict, name: str) -> str:
    from orchestrator.build.lines import source_line

    return source_line(Path(report["firmware"]), int(report[name]))


_MEANINGS = {  # of signals that have no address in memory
    "SIGFPE": ", an integer division by zero or one whose result overflows",
    "SIGILL": ", an instruction that the processor refuses (as that of __builtin_trap())",
    "SIGABRT": ", sent by abort()",
}


def _mote_evidence(report: dict) -> tuple[str, ...]:
    """Return lines with the mote and the reason, function and source line, and what the mote printed last."""
    reason = str(report.get("reason"))
    if "mote" not in report:
        return (reason,)
    what = f"{reason}{_MEANINGS.get(reason, '')}{_address(report)}"
    lines = [f"mote {report['mote']}: {what}, simulated time {report.get('sim_us')} us"]
    if place := _code(report):
        lines.append(place)
    lines += [f"last printed: {line}" for line in report.get("last", ())]
    if report.get("unfinished"):
        lines.append(f"without a line's end: {report['unfinished']}")
    if report.get("pending"):
        lines += [f"printed since: {line}" for line in str(report["pending"]).splitlines()[-_PENDING_LINES:]]
    return tuple(lines)


def _address(report: dict) -> str:
    if "behind" in report:
        return f", {counted(report['behind'], 'byte')} behind the end of the mote's own memory"
    if "constant" in report:
        return (
            f" at address {report['address']}, among the firmware's code and constants, which can't be "
            "written"
        )
    if "owner" in report:
        return f" at address {report['address']}, in the memory of mote {report['owner']}"
    if "below" in report:
        return (
            f", {counted(report['below'], 'byte')} below the mote's first variable (its stack may have "
            "overflowed, or an index may be negative)"
        )
    return f" at address {report['address']}" if "address" in report else ""
