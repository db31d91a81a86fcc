# SPDX-License-Identifier: Apache-2.0
"""Errors of the analysis, each with the exit code of its kind. Messages say what to do next.

orchestrator.errors has the other kinds and the list of exit codes. These are here because this package also
runs on Spark executors, without the orchestrator.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


class OrchestrateError(Exception):
    """Base class. The message says what happened and what to do next."""

    exit_code = 70


@dataclass(frozen=True)
class Fault:
    """One fault in a user's file: file and line (from 1; 0 if unknown), what is wrong, and the remedy."""

    file: str
    line: int
    what: str
    remedy: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{where}: {self.what}\n    {self.remedy}"


class FaultyInput(OrchestrateError):
    """A user's file has faults; all of them are listed at once."""

    exit_code = 3

    def __init__(self, faults: Iterable[Fault]):
        self.faults = tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))

    def __reduce__(self) -> tuple:  # it comes back from executors; Exception would call it with its message
        return type(self), (self.faults,)


class WrongUsage(OrchestrateError):
    """The command line is wrong: an invalid value, a missing operand, or options that exclude each other."""

    exit_code = 2


class MissingTool(OrchestrateError):
    """A compiler, JVM or other program is missing; the message says how to get it."""

    exit_code = 5


class StorageFailed(OrchestrateError):
    """The disk is full, a folder is read-only, or a stored file does not match its checksum."""

    exit_code = 8


class NoSuchThing(OrchestrateError):
    """A run, experiment or file that the user named does not exist."""

    exit_code = 9


class NoSpark(MissingTool):
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


class NoRuns(NoSuchThing):
    """The folder or log that was named is not there, or holds no run."""


class TablesFailed(StorageFailed):
    """The tables could not be written, or are not what a store's tables look like."""


class WrongQuery(WrongUsage):
    """A query is not SQL, names what is not there, or fails over its rows."""


class FaultyCode(FaultyInput):
    """A user's own metric or topology is not there, is not one, or raises."""

    @classmethod
    def of(cls, file: object, line: int, what: str, remedy: str) -> FaultyCode:
        """Return the error of a single fault."""
        return cls([Fault(str(file), line, what, remedy)])


class FaultyLog(FaultyInput):
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
