# SPDX-License-Identifier: Apache-2.0
"""What can go wrong here. The messages say what to do next; a caller maps the classes to its own exit codes."""

from __future__ import annotations


class SparkError(Exception):
    """Base class of this package's errors."""


class NoJava(SparkError):
    """No Java runtime that PySpark can use was found, or it does not start."""


class NoRuns(SparkError):
    """The folder or log that was named is not there, or holds no run."""


class TablesFailed(SparkError):
    """The tables could not be written, or are not what a store's tables look like."""
