# SPDX-License-Identifier: Apache-2.0
"""Cooja's console, line by line: where a file's run begins and ends, and what it said in between."""

from __future__ import annotations

import re
from collections import deque

# As Cooja's logger prints it without colours; only its main thread says these things.
_MARK = re.compile(
    r"(?:INFO |ERROR) \[main\] \[Cooja\.java:\d+\] - (?:(Loading) \S+ random seed: |(TEST OK)$|(TEST) \S+ "
    r"FAILED$)"
)
_PROGRESS = re.compile(r"INFO  \[sim\] \[LogScriptEngine\.java:\d+\] - +\d+% completed")
_KEPT_FIRST, _KEPT_LAST = 100, 200
_LONGEST = 2000


class Console:
    """Takes bytes, gives marks: "begin", "ok" or "failed". Keeps the first and the last lines since the last
    begin.
    """

    def __init__(self):
        self._rest = b""
        self._first: list[str] = []
        self._last: deque[str] = deque(maxlen=_KEPT_LAST)

    def feed(self, data: bytes):
        """The marks in this piece of output, one by one; `lines` are up to that mark each time."""
        *whole, self._rest = (self._rest + data).split(b"\n")
        self._rest = self._rest[-_LONGEST:]
        for line in whole:
            if mark := self._take(line[:_LONGEST].decode("utf-8", "replace").rstrip("\r")):
                yield mark

    def end(self):
        """The mark in a last line without an end."""
        rest, self._rest = self._rest, b""
        if mark := self._take(rest.decode("utf-8", "replace")):
            yield mark

    def _take(self, line: str) -> str | None:
        if _PROGRESS.match(line) or not line.strip():
            return None
        mark = _MARK.match(line)
        if mark and mark[1]:
            self._first, self._last = [], deque(maxlen=_KEPT_LAST)
            return "begin"
        if len(self._first) < _KEPT_FIRST:
            self._first.append(line)
        else:
            self._last.append(line)
        return None if not mark else "ok" if mark[2] else "failed"

    def lines(self) -> list[str]:
        """What was said since the last begin."""
        return [*self._first, *self._last]
