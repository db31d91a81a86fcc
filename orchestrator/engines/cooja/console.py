# SPDX-License-Identifier: Apache-2.0
"""Reads Cooja's console line by line: where a file's run begins and ends, and what is printed in between."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator

# As Cooja's logger prints it without colours; only its main thread prints these lines.
_MARK = re.compile(
    r"(?:INFO |ERROR) \[main\] \[Cooja\.java:\d+\] - (?:(Loading) \S+ random seed: |(TEST OK)$|(TEST) \S+ "
    r"FAILED$)"
)
_PROGRESS = re.compile(r"INFO  \[sim\] \[LogScriptEngine\.java:\d+\] - +\d+% completed")
_DIED = 'Exception in thread "main"'  # as the JVM prints it
_KEPT_FIRST, _KEPT_LAST = 100, 200
_LONGEST = 2000


class Console:
    """Turns output into marks, and keeps the first and last lines of a run.

    "begin", "ok" and "failed" are of a run; "died" is the end of Cooja's main thread, without which its
    process hangs.
    """

    def __init__(self):
        self._rest = b""
        self._first: list[str] = []
        self._last: deque[str] = deque(maxlen=_KEPT_LAST)

    def feed(self, data: bytes) -> Iterator[str]:
        """Give the marks in a piece of output; at each, `lines` has the lines up to it."""
        *whole, self._rest = (self._rest + data).split(b"\n")
        self._rest = self._rest[-_LONGEST:]
        for line in whole:
            if mark := self._take(line[:_LONGEST].decode("utf-8", "replace").rstrip("\r")):
                yield mark

    def end(self) -> Iterator[str]:
        """Give the mark in a last line without a line end, if there is one."""
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
        if line.startswith(_DIED):
            return "died"
        return None if not mark else "ok" if mark[2] else "failed"

    def lines(self) -> list[str]:
        """Return the lines since the last begin."""
        return [*self._first, *self._last]
