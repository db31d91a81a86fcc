# SPDX-License-Identifier: Apache-2.0
"""Searches for the parameters that meet a goal."""

from orchestrator.feature import Command, Feature

FEATURE = Feature(
    "search",
    "search for parameters",
    commands={
        "search": Command(
            "run",
            "search for the parameters that meet a goal",
            "orchestrator.features.search.commands.search",
        ),
    },
)
