# SPDX-License-Identifier: Apache-2.0
"""Runs many scripts over the same lines in this process, without a kernel: some milliseconds each.

The simulation is played: `LINES` come one after the other, then the time-out. What is written goes into the
log, as Cooja's would, with the verdict; what a script asks of motes has no answer.
"""

from __future__ import annotations

import _quickjs
import pytest

from orchestrator.csc import javascript, macros
from orchestrator.engines.embedded.script import host, process

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
    job = {
        "prelude": _prelude(),
        "code": script.code,
        "timeout_code": script.timeout_code,
        "seed": "1",
        "title": "",
        "aside": False,
        "types": [],
        "calls": dict(script.calls),
    }
    kernel, reports = _Played(lines), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(host, "say", lambda **report: reports.append(report))
        patch.setattr(host.os, "_exit", _ends)
        try:
            host.run(job, kernel, _quickjs)
        except _Ended:
            pass
    for one in reports:
        if one["kind"] in ("faulty", "unsupported"):
            return (
                "".join(kernel.log) + f"{'REFUSED' if one['kind'] == 'faulty' else 'UNLIKE'} {one['what']}\n"
            )
    return "".join(kernel.log)


class _Ended(Exception):
    """Where the script's process would end."""


def _ends(_):
    raise _Ended


def _prelude() -> str:
    """With no motes, as they were recorded."""
    return (
        "".join(part.read_text(encoding="utf-8") for part in process._PRELUDE)
        + "mote_ = function() { return null; };\n"
    )


class _Played(host.Kernel):
    """The simulation's side."""

    def __init__(self, lines):
        self._said, self.log, self._lines = [], [], list(lines)

    def flush(self) -> None:
        for message in self._said:
            kind, _, number, *_ = host.MESSAGE.unpack(message[: host.MESSAGE.size])
            text = message[host.MESSAGE.size :].decode("utf-8")
            self.log.append(
                text
                if kind == host.LOG
                else "TEST OK\n"
                if number == 1
                else "TEST FAILED\n"
                if kind == host.VERDICT
                else f"told {kind} {text}\n"
            )
        self._said.clear()

    def wait(self) -> str:
        if not self._lines:
            return ""
        mote, time, said = self._lines.pop(0)
        return f"0 {mote} {time} {said}"

    def ask(self, kind: int, mote: int, number: int) -> str:
        self.log.append(f"asked {kind}\n")
        return ""
