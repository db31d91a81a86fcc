# SPDX-License-Identifier: Apache-2.0
"""The event service between motes and gateways: channels, types of events, the thesis."""

from orchestrator.feature import Feature, Paper

FEATURE = Feature(
    "event-service",
    "the event service between motes and gateways",
    papers={
        "event-service": Paper(
            "orchestrator.features.event_service.paper",
            "The event service thesis: CORBA's event service on boards of motes behind gateways",
        )
    },
    applications="orchestrator.features.event_service.applications:EXTENSION",
    partners={"event-service": "orchestrator.features.event_service.placed_gateways"},
)
