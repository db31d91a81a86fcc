# SPDX-License-Identifier: Apache-2.0
"""Campaigns of many scenarios, round after round, with verdicts, blame and bisection."""

from orchestrator.feature import Command, Feature

FEATURE = Feature(
    "campaigns",
    "campaigns and their verdicts",
    commands={
        "campaign": Command(
            "run",
            "run many scenarios as one list, round after round",
            "orchestrator.features.campaigns.commands.campaign",
        ),
        "nightly": Command(
            "run",
            "make a round of a campaign and give one verdict on it",
            "orchestrator.features.campaigns.commands.nightly",
        ),
        "bisect": Command(
            "run",
            "find the commit that turned a campaign red",
            "orchestrator.features.campaigns.commands.bisect",
        ),
    },
    schemas={"campaign": "orchestrator.features.campaigns.schema"},
    offers={"campaign-rounds": "orchestrator.features.campaigns.record"},
)
