# SPDX-License-Identifier: Apache-2.0
"""The case study and the evaluation of Russello, Mostarda and Dulay (2011).

In "A policy-based publish/subscribe middleware for sense-and-react applications" each requirement is met by a
policy and not without it.
"""

from __future__ import annotations

from orchestrator.papers.data import Data
from orchestrator.papers.policies import (
    case_study,
    figure_23,
    figure_26,
    figure_27,
    figure_28,
    figures_24_25,
    requirements,
)
from orchestrator.papers.result import Result

data = Data(__file__)


def results() -> tuple[Result, ...]:
    """Return the paper's results."""
    study = (("case-study.yaml", data.text("case-study.yaml")),)
    return (
        Result(
            "requirements",
            "section 2: R1 to R5, each with its policy and without it",
            study,
            tables=requirements.tables,
            checks=requirements.checks,
            sections=requirements.sections,
            heading="What the paper requires",
        ),
        Result(
            "case-study",
            "section 5: fire alarm, package tampering and secure zoning on the lorry",
            study,
            tables=case_study.tables,
            sections=case_study.sections,
        ),
        Result(
            "figure-23",
            "6.2.1: bytes of manager, broker, diffusion and policies on an MSP430 and a Cortex-M3",
            tables=figure_23.tables,
            checks=figure_23.checks,
            sections=figure_23.sections,
            heading="Sizes that the paper prints",
        ),
        Result(
            "figures-24-25",
            "6.2.2: messages of each operation and for each mote, pushed and pulled",
            study,
            tables=figures_24_25.tables,
            checks=figures_24_25.checks,
            sections=figures_24_25.sections,
            heading=figures_24_25.HEADING,
        ),
        Result(
            "figure-26",
            "6.2.3: execution with and without the policy manager, in counted instructions",
            tables=figure_26.tables,
            checks=figure_26.checks,
            sections=figure_26.sections,
            heading="Execution",
        ),
        Result(
            "figure-27",
            "6.2.4: what a mote's radio draws with policies and with the same rules in its code",
            tables=figure_27.tables,
            checks=figure_27.checks,
            sections=figure_27.sections,
            heading="What radios draw",
        ),
        Result(
            "figure-28",
            "6.2.5: instructions of motes by layer, from 5 to 118 sensors",
            tables=figure_28.tables,
            checks=figure_28.checks,
            sections=figure_28.sections,
            heading="Time of layers",
        ),
    )
