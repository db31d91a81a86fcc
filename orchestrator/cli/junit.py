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
    return junit.document("orchestrate simulate", [_case(one) for one in rows], seconds)


def _case(one: Row) -> junit.Case:
    folder, _, name = one.task.name.rpartition("/")
    values = {"seed": one.seed, "simulated_us": None if one.result is None else one.result.sim_us}
    ended = kind = message = text = ""
    if one.what == NOT_RUN:
        ended, message = junit.SKIPPED, "interrupted before it ended"
    elif one.code:
        first = one.evidence[0].strip() if one.evidence else ""
        ended, kind = junit.FAILURE if one.failed else junit.ERROR, one.what
        message, text = f"{one.what}: {first}" if first else one.what, "\n".join(one.evidence)
    return junit.Case(
        folder.replace("/", ".") or "simulate",
        name,
        0.0 if one.result is None else one.result.wall_s,
        str(one.task.file),
        {key: str(value) for key, value in values.items() if value is not None},
        ended,
        kind,
        message,
        text,
        "" if one.result is None else f"log: {one.task.logdir / LOG}",
    )
