# SPDX-License-Identifier: Apache-2.0
"""Uvarov et al. (2004), Static Real-Time Data Distribution: deadlines, schedulability, figures.

The authors are Uvarov, DiPippo, Fay-Wolfe, Bryan, Gadrow, Henry, Murphy, Work and DiPalma. The figures are
those of the model, and as they ran.
"""

from __future__ import annotations

from orchestrator.features.distribution.paper import deadlines, figures, measured, real_time, schedule
from orchestrator.features.distribution.paper.systems import data
from orchestrator.papers.result import Result

_HEADING = "What the paper says of it"


def results() -> tuple[Result, ...]:
    """Return the paper's results. But for the run time they are computed, without an experiment."""
    return (
        Result.of(
            deadlines,
            "deadlines",
            "Tables 2 and 3: printed deadlines beside those that each reading gives",
            heading=_HEADING,
        ),
        Result.of(
            schedule,
            "schedule",
            "section 5.3: printed and computed utilisation, and whether the scenarios are schedulable",
            heading=_HEADING,
        ),
        Result.of(
            figures,
            "figures",
            "Figures 8 to 13: completion times and ages in the simulated schedule",
            heading=_HEADING,
        ),
        Result.of(
            measured,
            "run-time",
            "section 5.3 run in the embedded engine: Figures 8 to 13, and a scaled version over the radio",
            data.texts("run-time.yaml", "radio.yaml"),
            heading=_HEADING,
        ),
        Result.of(
            real_time,
            "real-time",
            "section 5.3 in real time on this machine, ten minutes of scenario 1: what was missed, and why",
            heading=_HEADING,
            asked=False,
        ),
    )
