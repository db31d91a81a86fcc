# SPDX-License-Identifier: Apache-2.0
"""Every error that a user can meet: one class for each kind, with its exit code.

The command line prints `str(error)` and exits with `error.exit_code`; these errors never appear as a
traceback. Exit codes 0 and 1 are Cooja's own (verdict OK, verdict failed), and 2 is wrong usage of the
command line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

# How to go on when the store can't be written.
AGAIN = "free space or choose another folder with --store, then run the same command again"


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


def as_faults(flaws: Iterable) -> tuple[Fault, ...]:
    """Convert faults of a user's own Python, as orchestrate_spark names them (errors.Flaw), to Faults."""
    return tuple(Fault(flaw.file, flaw.line, flaw.what, flaw.remedy) for flaw in flaws)


class FaultyInput(OrchestrateError):
    """A user's file has faults; all of them are listed at once."""

    exit_code = 3

    def __init__(self, faults: list[Fault] | tuple[Fault, ...]):
        self.faults = tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))


class WrongUsage(OrchestrateError):
    """The command line is wrong: an invalid value, a missing operand, or options that exclude each other."""

    exit_code = 2


class Unsupported(OrchestrateError):
    """An input is correct but asks for something that this version cannot do; the message names it."""

    exit_code = 4


class MissingTool(OrchestrateError):
    """A compiler, JVM or other program is missing; the message says how to get it."""

    exit_code = 5


class BuildFailed(OrchestrateError):
    """Compilation failed. The message has the compiler's first errors, `output` all of its output."""

    exit_code = 6

    def __init__(self, message: str, output: str = ""):
        self.output = output
        super().__init__(message)


class RunFailed(OrchestrateError):
    """A simulation ended without a verdict (crash, time-out, lost)."""

    exit_code = 7


class StorageFailed(OrchestrateError):
    """The disk is full, a folder is read-only, or a stored file does not match its checksum."""

    exit_code = 8


@contextmanager
def writing(what: object, remedy: str, but: tuple[type[OSError], ...] = ()) -> Iterator[None]:
    """Raise StorageFailed with the remedy for errors of writing in this block, `but` for those."""
    try:
        yield
    except but:
        raise
    except OSError as error:
        raise StorageFailed(f"{what} can't be written: {error.strerror or error}\n    {remedy}") from error


class NoSuchThing(OrchestrateError):
    """A run, experiment or file that the user named does not exist."""

    exit_code = 9


class Untraced(NoSuchThing):
    """The run that the user named has no trace."""


class Interrupted(OrchestrateError):
    """Ctrl-C; finished runs are kept."""

    exit_code = 130
