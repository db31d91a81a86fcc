# SPDX-License-Identifier: Apache-2.0
"""Begins the last call's simulation again, before it is known that nothing has changed since.

A user calls the same file again and again. Finding out that the file, the firmware's sources and the engine
are still the same takes longer than many a run, and machines have several cores. So the kernel of the last
call with the same words, in the same folder, begins at once, and holds its log back (kernel/base/log.h).
When the engine comes to start a process with just this command and description, which name everything that
decides about a run, it takes the one that has begun; else that process is ended, and has left no trace.

A memory is a file in the build cache: a line of JSON, then the description as the kernel reads it.
"""

from __future__ import annotations

import binascii
import json
import os
import subprocess
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from orchestrator.build.cache_folder import cache_path

if TYPE_CHECKING:  # every import makes it begin later
    from collections.abc import Iterable
    from pathlib import Path

_FOLDER = "ahead"
_MOST = 512  # memories, some 20 KB each of 100 motes


class Begun:
    """A process of the kernel that holds its log back. `printed`: what firmware prints through libc."""

    def __init__(self, place: str, call: str) -> None:
        """Start it from a memory. Raises OSError, and ValueError if the memory is none of this call."""
        self.began_s = time.monotonic()
        with open(place, "rb") as stream:
            first, self._text = stream.readline(), stream.read()
            known = json.loads(first)
            if known["call"] != call:
                raise ValueError(f"{place} is of another call")
            stream.seek(len(first))
            os.lseek(stream.fileno(), len(first), os.SEEK_SET)
            self._command, self._files = known["command"], _stated(known["files"])
            folder = os.path.dirname(place)
            self.printed = open(os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o600), "r+b")
            held, self._release = os.pipe()
            try:
                self.process = subprocess.Popen(
                    [*self._command, "--parent", str(os.getpid()), "--held", str(held)],
                    stdin=stream,
                    stdout=subprocess.PIPE,
                    stderr=self.printed,
                    pass_fds=(held,),
                    process_group=0,  # as of every kernel
                )
            except OSError:
                self.close()
                raise
            finally:
                os.close(held)

    def is_of(self, command: list[str], text: bytes) -> bool:
        """Tell whether a process with this command and description would be the same."""
        return command == self._command and text == self._text and _stated(self._files) == self._files

    def release(self, log: Path) -> None:
        """Let it write its log. Raises OSError if there can't be one."""
        with log.open("wb"):  # as the kernel does when it starts, whatever becomes of the run
            os.write(self._release, b"\n")

    def end(self) -> None:
        """End it. Nobody has seen anything of it."""
        self.process.kill()
        self.process.communicate()
        self.close()

    def close(self) -> None:
        """Close what belongs to it. It ends when it comes to its log, unless it was released."""
        os.close(self._release)
        self.printed.close()


_place: str | None = None  # of this call's memory, while it may have one
_call = ""
_begun: Begun | None = None


def begin(words: list[str]) -> None:
    """Begin what the last call with these words ran, if it is known and there is a core to spare."""
    global _place, _call, _begun
    try:
        _call = json.dumps([os.getcwd(), words])
        _place = os.path.join(cache_path(), _FOLDER, f"{binascii.crc32(_call.encode()):08x}")
        if len(os.sched_getaffinity(0)) > 1:
            _begun = Begun(_place, _call)
    except (OSError, ValueError, KeyError, TypeError):
        pass  # there is none, or it is damaged


def take(command: list[str], text: bytes, log: Path) -> Begun | None:
    """Return the process that has begun with this command and description, released; None if none has."""
    global _begun
    if _begun is None:
        return None
    begun, _begun = _begun, None
    try:
        if begun.is_of(command, text):
            begun.release(log)
            return begun
    except OSError:
        pass
    forget()  # what changes with every call would begin in vain with every call
    begun.end()
    return None


def remember(command: list[str], text: bytes, files: Iterable[Path]) -> None:
    """Keep what this call ran, for the next one. `files`: what the kernel reads beside the description."""
    if _place is not None:
        from pathlib import Path

        from orchestrator.build import cache

        known = {"call": _call, "command": command, "files": [os.fspath(path) for path in files]}
        cache.keep(Path(_place), json.dumps(known).encode() + b"\n" + text, _MOST)


def forget() -> None:
    """Keep nothing of this call."""
    global _place
    if _place is not None:
        with suppress(OSError):
            os.unlink(_place)
        _place = None


def drop() -> None:
    """End what has begun and was not taken; later runs of this process are no call's only one."""
    global _place, _begun
    _place = None
    if _begun is not None:
        _begun.end()
        _begun = None


def _stated(paths: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Return which files these are, and since when they are as they are. Raises OSError if one is gone."""
    found = {path: os.stat(path) for path in paths}
    return {path: (one.st_ino, one.st_ctime_ns) for path, one in found.items()}
