# SPDX-License-Identifier: Apache-2.0
"""Motes behind gateways over SSH, real or virtual: inventory, flashing, runs, surveys."""

from orchestrator.feature import Command, Feature

FEATURE = Feature(
    "testbed",
    "testbeds of motes behind gateways",
    commands={
        "testbed": Command(
            "run",
            "check, reserve and load the motes of a testbed over SSH",
            "orchestrator.features.testbed.commands.testbed",
        ),
    },
    engines={"testbed": "orchestrator.features.testbed.engine.engine"},
    schemas={"inventory": "orchestrator.features.testbed.schema"},
    offers={"processes-on-gateways": "orchestrator.features.testbed.nodes"},
    around_paper_runs=("orchestrator.features.testbed.on_twin:on_twin",),
)
