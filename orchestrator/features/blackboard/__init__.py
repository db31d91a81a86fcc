# SPDX-License-Identifier: Apache-2.0
"""Threads and the blackboard inside a mote (Stelte 2010): reports, run-time diagrams, the paper."""

from orchestrator.feature import Feature, Paper

FEATURE = Feature(
    "blackboard",
    "threads and the blackboard of a mote",
    papers={
        "blackboard": Paper(
            "orchestrator.features.blackboard.paper",
            "Stelte 2010: a real-time blackboard inside a mote, its bytes, its threads, its deadlines",
        )
    },
    sections=("orchestrator.features.blackboard.threads.section",),
    offers={"run-time-diagram": "orchestrator.features.blackboard.commands.show_threads:diagram"},
    run_views=("orchestrator.features.blackboard.run_threads:VIEW",),
)
