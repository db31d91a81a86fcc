# SPDX-License-Identifier: Apache-2.0
"""Every error that a user can meet: one class for each kind, with its exit code.

The command line prints `str(error)` and exits with `error.exit_code`; these errors never appear as a
traceback. Exit codes 0 and 1 are Cooja's own (verdict OK, verdict failed), and 2 is wrong usage of the
command line.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from orchestrate_spark.errors import (
    Fault,
    FaultyInput,
    MissingTool,
    NoSuchThing,
    OrchestrateError,
    StorageFailed,
    WrongUsage,
)

__all__ = [
    "AGAIN",
    "BuildFailed",
    "Fault",
    "FaultyInput",
    "Interrupted",
    "MissingTool",
    "NoSuchThing",
    "OrchestrateError",
    "RunFailed",
    "StorageFailed",
    "Unsupported",
    "Untraced",
    "WrongUsage",
    "writing",
]

# How to go on when the store can't be written.
AGAIN = "free space or choose another folder with --store, then run the same command again"


class Unsupported(OrchestrateError):
    """An input is correct but asks for something that this version cannot do; the message names it."""

    exit_code = 4


class BuildFailed(OrchestrateError):
    """Compilation failed. The message has the compiler's first errors, `output` all of its output."""

    exit_code = 6

    def __init__(self, message: str, output: str = ""):
        self.output = output
        super().__init__(message)


class RunFailed(OrchestrateError):
    """A simulation ended without a verdict (crash, time-out, lost)."""

    exit_code = 7


@contextmanager
def writing(what: object, remedy: str, but: tuple[type[OSError], ...] = ()) -> Iterator[None]:
    """Raise StorageFailed with the remedy for errors of writing in this block, `but` for those."""
    try:
        yield
    except but:
        raise
    except OSError as error:
        raise StorageFailed(f"{what} can't be written: {error.strerror or error}\n    {remedy}") from error


class Untraced(NoSuchThing):
    """The run that the user named has no trace."""


class Interrupted(OrchestrateError):
    """Ctrl-C; finished runs are kept."""

    exit_code = 130
