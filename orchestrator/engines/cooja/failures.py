# SPDX-License-Identifier: Apache-2.0
"""Recognises from Cooja's console how a run or its JVM failed, with the lines that prove it.

The messages are those of Cooja at 2b9b0bf9 and b980125c and of OpenJDK 17 to 25; tests/engines/cooja/recorded
has their output.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.runs.model import Outcome

_MOST_EVIDENCE = 8  # lines
_LONGEST = 300  # characters of a line
_LOG_PREFIX = re.compile(r"(?:ERROR|WARN |INFO ) \[[^\]]*\] \[[^\]]*\] - ")


@dataclass(frozen=True)
class Sign:
    """A line that proves an outcome; `more`: further lines that belong to the evidence."""

    outcome: Outcome
    line: re.Pattern
    more: re.Pattern | None = None
    remedy: str = ""


def _sign(outcome: Outcome, line: str, more: str | None = None, remedy: str = "") -> Sign:
    return Sign(outcome, re.compile(line), None if more is None else re.compile(more), remedy)


# The first sign that is found counts: the causes of a JVM's end come before their consequences.
SIGNS = (
    _sign(
        Outcome.OUT_OF_MEMORY,
        r"^Terminating due to java\.lang\.OutOfMemoryError|java\.lang\.OutOfMemoryError",
        remedy="give Cooja a larger heap: `engine: {heap: 4 GB}` or --heap",
    ),
    _sign(
        Outcome.OUT_OF_MEMORY,
        r"insufficient memory for the Java Runtime Environment|Could not reserve enough space"
        r"|Initial heap size set to a larger value|Invalid maximum heap size",
        r"Native memory allocation|Cannot allocate memory|Could not reserve|Error: |error='",
        "fewer runs at a time (--workers), or a smaller heap (--heap)",
    ),
    _sign(
        Outcome.TOOL_MISSING,
        r"UnsupportedClassVersionError",
        r"class file version|Preview features are not enabled",
    ),
    _sign(
        Outcome.TOOL_MISSING,
        r"JAVA_HOME is (?:not set|set to an invalid)|java: (?:command )?not found|No such file or "
        r"directory.*java"
        r"|Could not (?:find|create) (?:the )?Java",
    ),
    _sign(
        Outcome.CRASH,
        r": Assertion `.*' failed\.$|^\*\*\* \S.* detected "
        r"\*\*\*|^(?:free|malloc|realloc|munmap_chunk|corrupted)\b.*\(\)?:",
    ),
    # A crash in the code of a mote's library is the mote's; elsewhere (below) it is the simulator's.
    _sign(Outcome.CRASH, r"^# (?:C|v|j|J)\s+\[mtype\d+\.cooja\+", r"^#\s+(?:SIG[A-Z]+|EXCEPTION)[^,]*"),
    _sign(
        Outcome.LOST,
        r"A fatal error has been detected by the Java Runtime",
        r"^#\s+(?:SIG[A-Z]+|C |V |j |J |Internal Error)",
    ),
    _sign(
        Outcome.NO_END,
        r"No plugin controlling simulation",
        remedy="add a ScriptRunner with an active script; `orchestrate csc fix` does",
    ),
    _sign(
        Outcome.BUILD_ERROR,
        r"Compilation (?:failed|error)",
        r"error:|undefined reference|\*\*\*|No rule|No such file|not found|^> ",
    ),
    # Races between threads of Cooja 5.0: not all of a file's motes are known when the directed graph looks
    # for one, or a script ends just when its time-out comes.
    # (An edge to a mote that the file doesn't have is refused before Cooja starts.)
    _sign(
        Outcome.LOST,
        r'because "this\.scriptThread" is null|getMoteWithID\(int\)" is null|Can not find mote with id',
        remedy="a race between threads of Cooja: run it again; the embedded engine has no such race",
    ),
    _sign(
        Outcome.SETUP_ERROR,
        r"Unknown variable name: ",
        remedy="the firmware lacks a variable of a mote interface: build it for Cooja, or leave that "
        "interface out of the .csc",
    ),
    _sign(
        Outcome.CRASH, r"Simulation stopped due to error", r"^(?:\S+\.)*\w*(?:Exception|Error)\b|^Caused by: "
    ),
    _sign(
        Outcome.SETUP_ERROR,
        r"Failed to load simulation|Exception when loading simulation|Unable to (?:access jarfile|open)",
        r"^ERROR |Exception|^Caused by: ",
    ),
)


def recognise(console: Sequence[str]) -> tuple[Outcome, tuple[str, ...]] | None:
    """Return the outcome that the console proves and its evidence; None if no line is known."""
    for sign in SIGNS:
        if (sign_line := next((line for line in console if sign.line.search(line)), None)) is None:
            continue
        more = [
            line for line in console if line != sign_line and sign.more is not None and sign.more.search(line)
        ]
        lines = [plain(line) for line in [sign_line, *more]][:_MOST_EVIDENCE]
        return sign.outcome, (*dict.fromkeys(lines), *([sign.remedy] if sign.remedy else []))
    return None


# Java's entry into native code, and Cooja's frame that used it: it calls only motes' libraries in this way.
_INTO_NATIVE = re.compile(r"^v\s+~\S*nep_invoker")
_OF_COOJA = re.compile(r"^[jJ]\s.*\borg\.contikios\.cooja\.")


def called_by_a_mote(report: Sequence[str]) -> tuple[str, ...]:
    """Return the lines of a JVM's crash report that prove a crash in code that a mote's library called.

    Such code (memcpy() of libc, say) is outside the library and the JVM, and Java's innermost frame is the
    call of the library.
    """
    try:
        problem = report[report.index("# Problematic frame:") + 1]
        frames = report[
            next(number for number, line in enumerate(report) if line.startswith("Java frames:")) + 1 :
        ]
    except (ValueError, IndexError, StopIteration):
        return ()
    inside = next((line for line in frames if _OF_COOJA.match(line)), None)
    if (
        not problem.startswith("# C ")
        or "[libjvm" in problem
        or not frames
        or not _INTO_NATIVE.match(frames[0])
        or inside is None
    ):
        return ()
    return (
        "in code that the firmware called, by the JVM's crash report:",
        *(line.strip()[:_LONGEST] for line in (frames[0], inside)),
    )


# In Cooja's loop: `nextEvent.time` of an empty queue (the variable has its name if compiled with -g).
_NO_EVENT = re.compile(
    r'NullPointerException: Cannot read field "time" because "(?:nextEvent|<local\d+>)" is null'
)


def ran_out_of_events(console: Sequence[str]) -> bool:
    """Whether the simulation's loop found no event: Cooja calls that an error and says that the test failed.

    It is Cooja's race at the end of a run whose script has passed: the script's thread takes its time-out out
    of the queue before it has the simulation stopped, and motes that wait for nothing leave no event in it.
    """
    return any(_NO_EVENT.search(line) for line in console)


def script_error(console: Sequence[str]) -> tuple[str, ...]:
    """Return the lines of a script's error that ended a run, which the log doesn't have; () if none did."""
    for number, line in enumerate(console):
        if "Script error" in line:
            cause = [other for other in console[number + 1 :] if "ScriptException" in other][:1]
            return tuple(plain(each) for each in [line, *cause])
    return ()


def plain(line: str) -> str:
    """Return a console line without the prefix of Cooja's logger, shortened."""
    return _LOG_PREFIX.sub("", line.strip(), count=1)[:_LONGEST]
