# SPDX-License-Identifier: Apache-2.0
"""Turns errors of a testbed into errors of this program, each with its exit code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from orchestrate_testbed.errors import LabError

from orchestrator.errors import RunFailed


@contextmanager
def told() -> Iterator[None]:
    """Turn a LabError inside into a RunFailed, because what was wanted from a testbed was not done."""
    try:
        yield
    except LabError as error:
        raise RunFailed(str(error)) from None
