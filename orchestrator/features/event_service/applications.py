# SPDX-License-Identifier: Apache-2.0
"""The extension of applications by the event service: terms of channels, and the event types' header."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrator.applications.extension import Extension, Facts, Source
from orchestrator.applications.model import Application
from orchestrator.features.event_service.event_types import files

if TYPE_CHECKING:
    from orchestrator.scenario.model import Cell
    from orchestrator.topology.model import Layout


class EventService(Extension):
    """The terms that suppliers offer and consumers ask are two lists of octets in each mote's image."""

    def sources(self, app: Application) -> Mapping[str, Source]:
        return dict.fromkeys(("offered", "asked"), Source(is_list=True))

    def headers(self, folder: Path, wanted: Callable[[str, str], bool]) -> Mapping[str, str]:
        if not wanted(files.HEADER, files.DESCRIPTION):
            return {}
        from orchestrator.features.event_service.event_types import c_header, description

        return {files.HEADER: c_header.header(description.load(folder / files.DESCRIPTION).values())}

    def facts(self, app: Application, layout: Layout, cell: Cell, values: Mapping[str, Any]) -> Facts:
        if not app.gateways:
            return Facts({"offered": b"", "asked": b""})
        from orchestrator.features.event_service.channels import channel_terms

        terms = channel_terms(app, values)
        return Facts({"offered": terms.offered, "asked": terms.asked})


EXTENSION = EventService()
