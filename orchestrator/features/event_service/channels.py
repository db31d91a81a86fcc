# SPDX-License-Identifier: Apache-2.0
"""The terms of an application's channels, from its parameters `type`, `offers`, `asks` and `condition`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from orchestrate_testbed.gateway.event_service import terms

from orchestrator.applications.extension import of_setting
from orchestrator.applications.model import Application
from orchestrator.errors import Fault
from orchestrator.features.event_service.event_types import description, files, quality
from orchestrator.features.event_service.event_types.condition import Unclear, compile_condition
from orchestrator.features.event_service.event_types.description import EventType

PARAMETERS = ("type", "offers", "asks", "condition")


@dataclass(frozen=True)
class ChannelTerms:
    """The encoded offers of all suppliers and requests of all consumers, and their faults."""

    offered: bytes = b""
    asked: bytes = b""
    faults: tuple[Fault, ...] = ()


def channel_terms(app: Application, values: Mapping[str, Any]) -> ChannelTerms:
    """Those of an application with gateways; nothing for any other one."""
    if not app.gateways or any(name not in values for name in PARAMETERS):
        return ChannelTerms()
    faults: list[Fault] = []
    kind = _type(app, values["type"], faults)
    typed = {} if kind is None else {"type": kind.digest}
    qualities: dict[str, dict[str, Any]] = {"offers": {}, "asks": {}}
    code = b""
    for name in ("offers", "asks", "condition"):
        try:
            if name != "condition":
                qualities[name] = quality.read(values[name])
            elif values[name] != quality.NONE and kind is None:
                raise Unclear("a condition needs a type of events", "set application.type")
            elif values[name] != quality.NONE:
                code = compile_condition(values[name], kind)
        except Unclear as wrong:
            faults.append(of_setting(app, name, str(wrong), wrong.remedy))
    return ChannelTerms(
        terms.written(terms.Terms(**typed, **qualities["offers"])),
        terms.written(terms.Terms(**typed, **qualities["asks"], condition=code)),
        tuple(faults),
    )


def _type(app: Application, name: str, faults: list[Fault]) -> EventType | None:
    if name == quality.NONE:
        return None
    file = app.file.parent / files.DESCRIPTION
    types = description.load(file) if file.is_file() else {}
    if name not in types:
        faults.append(
            of_setting(app, "type", f"{name} isn't described", f"describe it in {files.DESCRIPTION}")
        )
    return types.get(name)
