# SPDX-License-Identifier: Apache-2.0
"""Log patterns: typed events, deliveries and metrics from lines that any firmware prints."""

from orchestrator.feature import Command, Feature

_HERE = "orchestrator.features.patterns"

FEATURE = Feature(
    "patterns",
    "log patterns",
    commands={
        "log": Command(
            "results of an experiment",
            "read any log by patterns: try them, list the ready-made ones",
            f"{_HERE}.commands.log",
        )
    },
    scenario_keys={"log": f"{_HERE}.scenario_key"},
    experiment_files=("log-patterns.json",),
    ingestion=(f"{_HERE}.ingestion",),
    after_tables=(f"{_HERE}.told:after_tables",),
    sections=(f"{_HERE}.section",),
    offers={"platform-profiles": f"{_HERE}.platforms"},
    schemas={"patterns": f"{_HERE}.schema"},
)
