# SPDX-License-Identifier: Apache-2.0
"""Errors of a testbed. Messages say what to do next."""

from __future__ import annotations


class LabError(Exception):
    """Base class of this package's errors. What was wanted from a testbed was not done."""

    exit_code = 7  # that of orchestrator.errors.RunFailed: this package runs without the orchestrator


class NoConnection(LabError):
    """A server does not answer, or does not let us in."""


class HostKeyUnknown(NoConnection):
    """A server has a key that nobody has recorded."""


class HostKeyChanged(NoConnection):
    """A server has another key than the recorded one: it was installed again, or it isn't that server."""


class RemoteFailed(LabError):
    """A command on a gateway failed, said too much, or took too long."""


class Lied(LabError):
    """A gateway said something about a file that isn't true."""
