# SPDX-License-Identifier: Apache-2.0
"""The case study and the evaluation of Russello, Mostarda and Dulay (2011).

In "A policy-based publish/subscribe middleware for sense-and-react applications" each requirement is met by a
policy and not without it.
"""

from __future__ import annotations

from orchestrator.features.policies.paper import (
    case_study,
    figure_23,
    figure_26,
    figure_27,
    figure_28,
    figures_24_25,
    requirements,
)
from orchestrator.papers.data import Data
from orchestrator.papers.result import Result

data = Data(__file__)


def results() -> tuple[Result, ...]:
    """Return the paper's results."""
    study = data.texts("case-study.yaml")
    return (
        Result.of(
            requirements,
            "requirements",
            "section 2: R1 to R5, each with its policy and without it",
            study,
            heading="What the paper requires",
        ),
        Result.of(
            case_study,
            "case-study",
            "section 5: fire alarm, package tampering and secure zoning on the lorry",
            study,
        ),
        Result.of(
            figure_23,
            "figure-23",
            "6.2.1: bytes of manager, broker, diffusion and policies on an MSP430 and a Cortex-M3",
            heading="Sizes that the paper prints",
        ),
        Result.of(
            figures_24_25,
            "figures-24-25",
            "6.2.2: messages of each operation and for each mote, pushed and pulled",
            study,
            heading=figures_24_25.HEADING,
        ),
        Result.of(
            figure_26,
            "figure-26",
            "6.2.3: execution with and without the manager, counted in instructions and ms of a Tmote Sky",
            heading="Execution",
        ),
        Result.of(
            figure_27,
            "figure-27",
            "6.2.4: what a mote's radio draws with policies and with the same rules in its code",
            heading="What radios draw",
        ),
        Result.of(
            figure_28,
            "figure-28",
            "6.2.5: instructions of motes, and ms of Tmote Skys, by layer, from 5 to 118 sensors",
            heading="Time of layers",
        ),
    )
