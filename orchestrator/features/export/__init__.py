# SPDX-License-Identifier: Apache-2.0
"""Packs experiments as a research artifact (RO-Crate) that checks itself."""

from orchestrator.feature import Command, Feature

FEATURE = Feature(
    "export",
    "research artifacts",
    commands={
        "export": Command(
            "results of an experiment",
            "pack experiments as a research artifact that checks itself",
            "orchestrator.features.export.commands.export",
        ),
    },
)
