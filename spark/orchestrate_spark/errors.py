# SPDX-License-Identifier: Apache-2.0
"""Errors of the package. Messages say what to do next; a caller maps the classes to its own exit codes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


class SparkError(Exception):
    """Base class of this package's errors."""


class NoSpark(SparkError):
    """Something that Spark needs is missing on this machine; nothing was read or written."""


class NoJava(NoSpark):
    """No Java runtime that PySpark can use was found, or it does not start."""


class NoCompiler(NoSpark):
    """There is no C compiler, or it can't build what tables are made with."""


class NoEngine(NoSpark):
    """The embedded engine is not installed, or does not run with this PySpark."""


class NoLoopback(NoSpark):
    """127.0.0.1 can't be reached, over which Python and the engine talk."""


class NoMaster(NoSpark):
    """The named Spark master does not exist, or accepts no application."""


class SparkEnded(NoSpark):
    """Spark's JVM or cluster ended while it worked; nothing of that work is kept."""


class NoRuns(SparkError):
    """The folder or log that was named is not there, or holds no run."""


class TablesFailed(SparkError):
    """The tables could not be written, or are not what a store's tables look like."""


class WrongQuery(SparkError):
    """A query is not SQL, names what is not there, or fails over its rows."""


@dataclass(frozen=True)
class Flaw:
    """A fault in a user's own file: the file's name, the line (from 1; 0 if unknown), and the remedy."""

    file: str
    line: int
    what: str
    remedy: str

    def __str__(self) -> str:
        return (
            f"{self.file}:{self.line}: {self.what}\n    {self.remedy}"
            if self.line
            else f"{self.file}: {self.what}\n    {self.remedy}"
        )


class Faulty(SparkError):
    """A user's own code has flaws; all that were found are listed at once."""

    def __init__(self, flaws: Iterable[Flaw]):
        self.flaws = tuple(flaws)
        super().__init__("\n".join(map(str, self.flaws)))


class FaultyCode(Faulty):
    """A user's own metric or topology is not there, is not one, or raises."""

    @classmethod
    def of(cls, file: object, line: int, what: str, remedy: str) -> FaultyCode:
        """Return the error of a single flaw."""
        return cls([Flaw(str(file), line, what, remedy)])


class FaultyLog(Faulty):
    """A file that was named as a log is not one."""


def by_ctrl_c(error: BaseException | None) -> bool:
    """Say whether an error is a Ctrl-C, or was raised while one was handled.

    Ctrl-C closes the connection to the JVM, and code that cleans up then fails without it.
    """
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, KeyboardInterrupt):
            return True
        seen.add(id(error))
        error = error.__context__
    return False
