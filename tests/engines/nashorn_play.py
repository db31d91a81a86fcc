# SPDX-License-Identifier: Apache-2.0
"""Runs many scripts over the same lines in this process, without a kernel: some milliseconds each.

The simulation is played: `LINES` come one after the other, then the time-out. What is written goes into the
log, as Cooja's would, with the verdict; what a script asks of motes has no answer.
"""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import unquote

import _quickjs

from orchestrator.csc import javascript, macros
from orchestrator.csc.model import Simulation, Udgm
from orchestrator.engines.embedded import interpreter

# What the kernel evaluates before a script, in this order.
FILES = ("java", "map", "prelude", "memory", "random", "nashorn")
FOLDER = Path(interpreter.arguments()[-1])
# (id, time in us, text): as tests/engines/nashorn_cases.txt was recorded.
LINES = (
    (1, 2000, "boot 1"),
    (2, 3500, "boot 2"),
    (1, 1000123, "a=1 b=22 c"),
    (3, 2000000, "Hello, World"),
    (2, 3000001, "xé€ 7"),
    (1, 4000000000, "late 0x1F"),
    (4, 5000000000, "end"),
)


def play(text: str, lines=LINES) -> str:
    """The log; or why the script isn't run, after REFUSED (Cooja wouldn't, either) or UNLIKE (we don't)."""
    try:
        script, missing = javascript.read([javascript.Part(text, "s.js", 1)])
    except macros.Misread as misread:
        return f"REFUSED {misread.what}\n"
    except javascript.Refused as refused:
        return f"REFUSED {refused.found[0].what}\n"
    if missing:
        return f"UNLIKE {missing[0].what}\n"
    return _Played(lines).run(script)


class _Ends(Exception):
    """Where the kernel would end the run."""


class _Played:
    """What the kernel gives a script (kernel/script/javascript.c), over lines that are given."""

    def __init__(self, lines):
        self.log, self._lines, self._unlike = [], list(lines), ""

    def run(self, script) -> str:
        context = _quickjs.Context()
        for name, function in (
            ("next_", self._next),
            ("put_", lambda text: self.log.append(unquote(text))),
            ("tell_", lambda kind, *rest: self.log.append(f"told {kind} {rest[-1]}\n")),
            ("ask_", self._ask),
            ("unsupported_", self._unsupported),
            ("print_", lambda text: None),
        ):
            context.add_callable(name, function)
        # A text of QuickJS that comes to Python ends at a byte 0.
        context.eval(
            "var seed_ = '1', zone_ = 'UTC'; function log_(text) { put_(encodeURIComponent(text)); }"
            "function wait_() { var line = next_(); if(line === '') { return false; } "
            "line = JSON.parse(line); line_came_(0, line[0], line[1], line[2]); return true; }"
        )
        (_, values), *functions = interpreter.sources(script, Simulation("", 0, 0, Udgm(), (), (), script))
        own = [(FOLDER / f"{name}.js").read_text(encoding="utf-8") for name in FILES]
        for text in (values, *own, "mote_ = function() { return null; };"):
            context.eval(text)
        try:
            for empty, text in functions:
                context.eval("\n" * empty + text)
        except _quickjs.JSException as error:
            return f"REFUSED {str(error).partition(chr(10))[0]}\n"
        verdict = 1
        try:
            verdict = context.eval("run_()")
        except (_quickjs.JSException, _quickjs.StackOverflow):
            pass  # a script that ends with an error has failed
        if self._unlike:
            return f"{''.join(self.log)}UNLIKE {self._unlike}\n"
        return "".join(self.log) + ("TEST OK\n" if verdict == 0 else "TEST FAILED\n")

    def _next(self) -> str:
        return json.dumps(self._lines.pop(0)) if self._lines else ""

    def _ask(self, kind: int, *_) -> str:
        self.log.append(f"asked {kind}\n")
        return ""

    def _unsupported(self, what: str, _) -> None:
        self._unlike = self._unlike or what
        raise _Ends
