# SPDX-License-Identifier: Apache-2.0
"""Small working examples that `orchestrate new` writes."""

from orchestrator.feature import Command, Feature

FEATURE = Feature(
    "scaffold",
    "examples to start from",
    commands={
        "new": Command(
            "begin",
            "write a small working example to start from",
            "orchestrator.features.scaffold.commands.new",
        ),
    },
)
