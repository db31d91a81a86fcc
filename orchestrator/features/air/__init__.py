# SPDX-License-Identifier: Apache-2.0
"""What was on the air: frames, who received them and why not, as tables."""

from orchestrator.feature import Feature

FEATURE = Feature(
    "air",
    "frames on the air as tables",
    sections=("orchestrator.features.air.section",),
    run_views=("orchestrator.features.air.view:VIEW",),
    replays=("orchestrator.features.air.replay:events",),
    traces=("orchestrator.features.air.trace",),
    experiment_files=("air.json",),
    scenario_keys={"air": "orchestrator.features.air.scenario_key"},
    ingestion=("orchestrator.features.air.captures",),
    after_tables=("orchestrator.features.air.flaws:after_tables",),
)
