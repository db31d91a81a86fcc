# SPDX-License-Identifier: Apache-2.0
"""The version of a flashing tool: asked once, or read from what it says as it flashes."""

from __future__ import annotations

import os
import re
import signal
from typing import Callable

from orchestrate_testbed.gateway.flashing.tool import started
from orchestrate_testbed.gateway.loop import Loop

PATIENCE_US = 10 * 1000 * 1000
MOST = 4096  # bytes of an answer
_NAMED = re.compile(r"(?i)\b(?:version:?|commander) +v?(\d[\w.+-]*)")
_BARE = re.compile(r"\bv?(\d+\.\d[\w.+-]*)")


def read(output: str, asked: bool) -> str:
    """Return the version in an output; empty if it has none. `asked`: the tool was asked for nothing else."""
    found = _NAMED.search(output) or (_BARE.search(output) if asked else None)
    return found.group(1).rstrip(".,") if found else ""


class Asking:
    """A tool that is being asked for its version, beside the loop; `then` gets it, or an empty text."""

    def __init__(self, loop: Loop, command: list, then: Callable):
        self._loop, self._then, self._output = loop, then, b""
        self._process = started(command)
        self._limit = loop.after(PATIENCE_US, self._end)
        loop.watch(self._process.stdout, read=self._read)

    def _read(self) -> None:
        part = os.read(self._process.stdout.fileno(), 65536)
        self._output = (self._output + part)[:MOST]
        if not part:
            self._loop.cancel(self._limit)
            self._end()

    def _end(self) -> None:
        self._loop.watch(self._process.stdout)
        self._process.stdout.close()
        try:
            os.killpg(self._process.pid, signal.SIGKILL)  # it has ended, or doesn't end
        except ProcessLookupError:
            pass
        self._process.wait()
        self._then(read(self._output.decode("utf-8", "replace"), True))
