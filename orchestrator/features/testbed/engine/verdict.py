# SPDX-License-Identifier: Apache-2.0
"""Tells when a run on a testbed is over, and writes its log in Cooja's form, with its verdict."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from orchestrator.csc.model import EndScript
from orchestrator.engines.log import END_LINE
from orchestrator.runs.model import Outcome

_TAIL = 4096  # bytes at a log's end in which a line is searched that came since the last look
_FLASHED = b'"event":"lent"'
_BETWEEN = re.compile(rb"\n?@\d{1,18} \d{1,18} \d{1,8}\n")  # heads of the chunks of a gateway's log


def said(segment: Path, line: str, since: int, began: int = 0) -> bool:
    """Return whether a mote said a line after the first `since` bytes of its log.

    Chunks may cut the line. What came in the first `began` bytes, or before a tool had its port, is from an
    earlier life of the mote.
    """
    with segment.open("rb") as file:
        file.seek(max(began, since - _TAIL))
        text = file.read()
    return line.encode() in _BETWEEN.sub(b"", text.rpartition(_FLASHED)[2])


@dataclass(frozen=True)
class Verdict:
    """The script's verdict on a log, and the time at which the run ended, in us."""

    outcome: Outcome
    end_us: int
    lines: tuple[str, ...]  # the last ones of the log


def judge(
    script: EndScript, log: Path, reached_us: int, late_us: int = 0, clock_error_us: int = 0
) -> Verdict:
    """Judge a merged log as our scripts for Cooja do (csc.model.EndScript says how).

    `reached_us`: how far the run got; a run that was cut off ends there. `late_us`: by how much the deciding
    line may come after the time-out, because real motes start later and print more slowly than simulated
    ones. `clock_error_us`: how wrong the times may be. A line that ended the run was here when it ended,
    and its time may still seem to be later.
    """
    late_us = late_us if script.success_line is not None else 0
    latest_us = script.timeout_us + late_us
    end_us = min(reached_us, latest_us)
    deciding_us = min(reached_us + clock_error_us, latest_us) if script.ends_at_verdict else end_us
    failed = succeeded = False
    with log.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            time, _, rest = line.partition("\t")
            text = rest.partition("\t")[2]
            if int(time) > deciding_us:
                break
            failed = failed or (script.fail_line is not None and script.fail_line in text)
            succeeded = succeeded or (script.success_line is not None and script.success_line in text)
            if script.ends_at_verdict and (failed or succeeded):
                end_us = int(time)
                break
    if not script.verdict_at_timeout and not (script.ends_at_verdict and (failed or succeeded)):
        return Verdict(Outcome.NO_VERDICT, end_us, ("TEST TIMEOUT", "TEST FAILED"))
    good = not failed and (succeeded or script.success_line is None)
    return Verdict(Outcome.OK if good else Outcome.FAILED, end_us, ("TEST OK" if good else "TEST FAILED",))


def write(
    merged: Path, log: Path, seed: int, verdict: Verdict, at_end: Iterable[tuple[int, str]] = ()
) -> int:
    """Write the run's log from a merged one, up to the end of the run; return how many lines motes said.

    `at_end`: (mote, text) of lines that belong to the run's end, whenever they came.
    """
    lines = 0
    with (
        merged.open(encoding="utf-8", errors="replace", newline="") as read,
        log.open("w", encoding="utf-8", newline="\n") as write,
    ):
        write.write(f"Random seed: {seed}\n")
        for line in read:
            if int(line.partition("\t")[0]) > verdict.end_us:
                break
            write.write(line)
            lines += 1
        for mote, text in at_end:
            write.write(f"{verdict.end_us}\tID:{mote}\t{text}\n")
            lines += 1
        for line in verdict.lines:
            write.write(f"{line}\n")
        write.write(f"{END_LINE}{verdict.end_us}\n")
    return lines
