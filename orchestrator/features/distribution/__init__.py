# SPDX-License-Identifier: Apache-2.0
"""Deadlines that keep data valid (Uvarov et al. 2004), their schedules and their run time."""

from orchestrator.feature import Command, Feature, Paper

FEATURE = Feature(
    "distribution",
    "just-in-time data distribution",
    commands={
        "distribution": Command(
            "begin",
            "deadlines that keep data valid, and their schedule",
            "orchestrator.features.distribution.commands.distribution",
        ),
    },
    papers={
        "jitdd": Paper(
            "orchestrator.features.distribution.paper",
            "Uvarov et al. 2004: just-in-time data distribution, deadlines that keep data valid",
        )
    },
    applications="orchestrator.features.distribution.applications:EXTENSION",
    partners={"distribution": "orchestrator.features.distribution.networks"},
    sections=(
        "orchestrator.features.distribution.deadlines_section",
        "orchestrator.features.distribution.validity_section",
    ),
    schemas={"distribution": "orchestrator.features.distribution.schema"},
)
