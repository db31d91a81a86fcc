# SPDX-License-Identifier: Apache-2.0
"""Every error a user can meet: one class a kind, each with its exit code.

The command line prints `str(error)` and exits with `error.exit_code`; nothing here is ever shown as a
traceback. Exit codes 0 and 1 are Cooja's own (verdict OK, verdict failed), 2 is wrong usage of the command
line.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


class OrchestrateError(Exception):
    """Base class. The message says what happened and what to do next."""

    exit_code = 70


@dataclass(frozen=True)
class Fault:
    """One thing wrong in a user's file: where (file and line, 1-based; 0 if unknown), what, and the
    remedy."""

    file: str
    line: int
    what: str
    remedy: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{where}: {self.what}\n    {self.remedy}"


def as_faults(flaws: Iterable) -> tuple[Fault, ...]:
    """Faults of a user's own Python as orchestrate_spark names them (its errors.Flaw), as ours."""
    return tuple(Fault(flaw.file, flaw.line, flaw.what, flaw.remedy) for flaw in flaws)


class FaultyInput(OrchestrateError):
    """A file of the user's has faults; all of them are listed at once."""

    exit_code = 3

    def __init__(self, faults: list[Fault] | tuple[Fault, ...]):
        self.faults = tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))


class WrongUsage(OrchestrateError):
    """The command line itself is wrong: an option's value, an operand that is missing, options that exclude
    each other.
    """

    exit_code = 2


class Unsupported(OrchestrateError):
    """Part of an input that is right, but that this version does not do; the message names the part."""

    exit_code = 4


class MissingTool(OrchestrateError):
    """A compiler, JVM or other program is not here; the message says how to get it."""

    exit_code = 5


class BuildFailed(OrchestrateError):
    """A compiler said no; the message holds its first errors, `output` all that it said."""

    exit_code = 6

    def __init__(self, message: str, output: str = ""):
        self.output = output
        super().__init__(message)


class RunFailed(OrchestrateError):
    """A simulation ended otherwise than by its verdict (crash, time-out, lost)."""

    exit_code = 7


class StorageFailed(OrchestrateError):
    """Disk full, folder read-only, or a stored file does not match its checksum."""

    exit_code = 8


class NoSuchThing(OrchestrateError):
    """A run, experiment or file that the user named does not exist."""

    exit_code = 9


class Interrupted(OrchestrateError):
    """Ctrl-C; finished runs are kept."""

    exit_code = 130
