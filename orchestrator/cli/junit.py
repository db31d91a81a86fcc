# SPDX-License-Identifier: Apache-2.0
"""Writes the results of simulations as cases of JUnit's XML.

A failed verdict is a failure. A file that could not run, and a run that crashed or hung, is an error. A file
that was not run because of an interruption is skipped. A test's class is its folder, as in a.b of
a/b/test.csc.
"""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator import junit
from orchestrator.cli.simulate_results import NOT_RUN, Row
from orchestrator.execution.simulations import LOG


def document(rows: Sequence[Row], seconds: float) -> bytes:
    """Return the file's content. `seconds`: of all together, which ran side by side."""
    return junit.document("orchestrate simulate", [_case(row) for row in rows], seconds)


def _case(row: Row) -> junit.Case:
    folder, _, name = row.task.name.rpartition("/")
    values = {"seed": row.seed, "simulated_us": None if row.result is None else row.result.sim_us}
    ended = kind = message = text = ""
    if row.what == NOT_RUN:
        ended, message = junit.SKIPPED, "interrupted before it ended"
    elif row.code:
        first = row.evidence[0].strip() if row.evidence else ""
        ended, kind = junit.FAILURE if row.failed else junit.ERROR, row.what
        message, text = f"{row.what}: {first}" if first else row.what, "\n".join(row.evidence)
    return junit.Case(
        folder.replace("/", ".") or "simulate",
        name,
        0.0 if row.result is None else row.result.wall_s,
        str(row.task.file),
        {key: str(value) for key, value in values.items() if value is not None},
        ended,
        kind,
        message,
        text,
        "" if row.result is None else f"log: {row.task.logdir / LOG}",
    )
