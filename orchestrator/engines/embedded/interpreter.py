# SPDX-License-Identifier: Apache-2.0
"""What the kernel needs to run a script in QuickJS (kernel/script/javascript.h), and a text's faults."""

from __future__ import annotations

import importlib.util
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.csc import javascript, macros
from orchestrator.csc.mote_type import MspType
from orchestrator.errors import Fault, MissingTool

if TYPE_CHECKING:
    from orchestrator.csc.javascript import Part
    from orchestrator.csc.model import JavaScript, Simulation

# The script's text begins behind so many empty lines, its code for the time-out behind twice as many, so that
# a line in a stack shows where it belongs (LINES_BEFORE in kernel/script/javascript.c).
LINES_BEFORE = 100_000
_PRELUDE = Path(__file__).resolve().parent / "kernel" / "script"
_MODULE = "_quickjs"
_MEMORY_LIMIT = 256 << 20  # bytes
_COMPILE_LIMIT_S = 10.0  # processor time


@cache
def arguments() -> tuple[str, ...]:
    """Return the kernel's arguments for a simulation with a script. Raises MissingTool."""
    found = importlib.util.find_spec(_MODULE)
    if found is None or found.origin is None:
        raise MissingTool(
            "scripts need the JavaScript interpreter of the package quickjs-ng: pip install quickjs-ng"
        )
    return "--quickjs", found.origin, "--prelude", str(_PRELUDE)


def lines(script: JavaScript, simulation: Simulation) -> list[str]:
    """Return the script's lines in the kernel's description of a simulation."""
    texts = sources(script, simulation)
    return [
        "javascript",
        *(f"source {empty} {text.encode('utf-8', 'replace').hex()}" for empty, text in texts),
    ]


def sources(script: JavaScript, simulation: Simulation) -> list[tuple[int, str]]:
    """Return the texts to evaluate, each with the number of empty lines before it.

    The first has values that the kernel's own .js files need; the script follows them.
    """
    types = [
        {
            "identifier": one.identifier,
            "description": one.description,
            "interfaces": one.interfaces,
            "sky": isinstance(one, MspType),
        }
        for one in simulation.mote_types
    ]
    values = {
        "title_": simulation.title,
        "types_": types,
        "has_power_tracker_": simulation.power_tracker,
        "calls_": dict(script.calls),
        "user_lines_": LINES_BEFORE,
    }
    context = "".join(f"var {name} = {json.dumps(value)};" for name, value in values.items())
    return [(0, context), *_functions(script)]


def faults(parts: list[Part]) -> list[Fault]:
    """Return the faults of a ScriptRunner's text; it is compiled, not run. Raises MissingTool."""
    try:
        script = javascript.spelled(parts)
    except macros.Misread as misread:
        return [
            Fault(
                parts[0].file,
                parts[0].line + misread.line - 1,
                f"script: {misread.what}",
                misread.remedy,
            )
        ]
    except javascript.Refused as refused:
        return [
            Fault(one.file, one.line, f"script: {one.what}", "write it in another way")
            for one in refused.found
        ]
    arguments()
    import _quickjs

    context = _quickjs.Context()
    context.set_memory_limit(_MEMORY_LIMIT)
    context.set_time_limit(_COMPILE_LIMIT_S)  # a text that closes the function has code that runs at once
    try:
        for empty, text in _functions(script):
            context.eval("\n" * empty + text)
    except (_quickjs.JSException, _quickjs.StackOverflow) as error:
        what, _, stack = str(error).partition("\n")
        return [fault(script, what, _line_of(stack))]
    return []


def fault(script: JavaScript, what: str, line: int) -> Fault:
    """Return the fault of a script whose text is no JavaScript."""
    file, _, number = place(script, line).rpartition(":")
    return Fault(file, int(number), f"script: {what}", "correct the script")


def place(script: JavaScript, line: int) -> str:
    """Return file and line in the .csc, given a line that the interpreter reports."""
    return script.lines[min(line, len(script.lines) - 1)]


def _functions(script: JavaScript) -> list[tuple[int, str]]:
    """Return the script as functions, each with the number of empty lines before it."""
    timeout = (
        f"\nfunction YIELD() {{ if(TIMEOUT || !next_line_()) {{ {script.timeout_code};\n"
        "if(timeout_function != null) { timeout_function(); } log.log('TEST TIMEOUT\\n'); throw new "
        "TestFailed(); } }"
    )
    code = (
        f"function run_() {{ try {{ YIELD();{script.code}\nwhile(true) {{ YIELD(); }} }} "
        "catch(error) { if(error instanceof TestOK) { return 0; } if(error instanceof TestFailed) { "
        "return 1; } throw error; } }"
    )
    return [(2 * (LINES_BEFORE - 1), timeout), (LINES_BEFORE - 1, code)]


def _line_of(stack: str) -> int:
    for entry in stack.split("<input>:")[1:]:
        digits = entry[: len(entry) - len(entry.lstrip("0123456789"))]
        if digits and int(digits) > LINES_BEFORE:
            return int(digits) - LINES_BEFORE
    return 0
