# SPDX-License-Identifier: Apache-2.0
"""Turns errors of orchestrate_spark, which may not import orchestrator, into ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from orchestrator.errors import FaultyInput, MissingTool, NoSuchThing, StorageFailed, as_faults


@contextmanager
def spark_errors() -> Iterator[None]:
    """Raise the errors of orchestrate_spark in this block as ours."""
    from orchestrate_spark import errors

    try:
        yield
    except errors.NoSpark as error:
        raise MissingTool(
            f"{error}\n    the runs are kept; the same command goes on from there, or use --no-report"
        ) from error
    except errors.NoRuns as error:
        raise NoSuchThing(str(error)) from error
    except errors.FaultyCode as error:
        raise FaultyInput(as_faults(error.flaws)) from error
    except errors.TablesFailed as error:
        raise StorageFailed(str(error)) from error
