# SPDX-License-Identifier: Apache-2.0
"""Uvarov et al. (2004), Static Real-Time Data Distribution: deadlines, schedulability, figures.

The authors are Uvarov, DiPippo, Fay-Wolfe, Bryan, Gadrow, Henry, Murphy, Work and DiPalma. The figures are
those of the model, and as they ran.
"""

from __future__ import annotations

from orchestrator.papers.jitdd import deadlines, figures, measured, real_time, schedule
from orchestrator.papers.jitdd.systems import data
from orchestrator.papers.result import Result

_HEADING = "What the paper says of it"


def results() -> tuple[Result, ...]:
    """Return the paper's results. But for the run time they are computed, without an experiment."""
    return (
        Result(
            "deadlines",
            "Tables 2 and 3: printed deadlines beside those that each reading gives",
            tables=deadlines.tables,
            checks=deadlines.checks,
            sections=deadlines.sections,
            heading=_HEADING,
        ),
        Result(
            "schedule",
            "section 5.3: printed and computed utilisation, and whether the scenarios are schedulable",
            tables=schedule.tables,
            checks=schedule.checks,
            sections=schedule.sections,
            heading=_HEADING,
        ),
        Result(
            "figures",
            "Figures 8 to 13: completion times and ages in the simulated schedule",
            tables=figures.tables,
            checks=figures.checks,
            sections=figures.sections,
            heading=_HEADING,
        ),
        Result(
            "run-time",
            "section 5.3 run in the embedded engine: Figures 8 to 13, and a scaled version over the radio",
            scenarios=tuple((name, data.text(name)) for name in ("run-time.yaml", "radio.yaml")),
            tables=measured.tables,
            checks=measured.checks,
            sections=measured.sections,
            heading=_HEADING,
        ),
        Result(
            "real-time",
            "section 5.3 in real time on this machine, ten minutes of scenario 1: what was missed, and why",
            tables=real_time.tables,
            checks=real_time.checks,
            sections=real_time.sections,
            heading=_HEADING,
            asked=False,
        ),
    )
