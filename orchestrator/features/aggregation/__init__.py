# SPDX-License-Identifier: Apache-2.0
"""Schiefer, Steup and Kaiser (2013): aggregation in publish/subscribe systems, its experiments."""

from orchestrator.feature import Feature, Paper

FEATURE = Feature(
    "aggregation",
    "aggregation in publish/subscribe systems",
    papers={
        "aggregation": Paper(
            "orchestrator.features.aggregation.paper",
            "Schiefer, Steup and Kaiser 2013: aggregation in publish/subscribe systems, "
            "twelve chain experiments",
        )
    },
    shapes=tuple(f"orchestrator.features.aggregation.shapes.figure_{number}" for number in (2, 3, 4, 6)),
    experiments={
        "aggregation-paper": "orchestrator.features.aggregation.paper",
        "aggregation-figures": "orchestrator.features.aggregation.paper.figures",
        "aggregation-deployment": "orchestrator.features.aggregation.paper.deployment",
    },
)
