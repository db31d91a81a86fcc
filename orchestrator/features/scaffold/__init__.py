# SPDX-License-Identifier: Apache-2.0
"""Small working examples that `orchestrate new` writes."""

from orchestrator.feature import Command, Feature, Scaffold

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
    scaffolds={
        "notebook": Scaffold(
            "orchestrator.features.scaffold.notebook", "a Jupyter notebook with the numbers of an experiment"
        )
    },
)
