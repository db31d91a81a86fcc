# SPDX-License-Identifier: Apache-2.0
"""The gateways of a cell's deployment, from the layout and the application's parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from orchestrate_testbed.gateway import event_service

from orchestrator.applications.course import CellCourse
from orchestrator.applications.extension import of_setting
from orchestrator.applications.model import Application
from orchestrator.errors import Fault, FaultyInput
from orchestrator.features.event_service.channels import channel_terms
from orchestrator.features.event_service.model import PUSH, Delays, Gateways
from orchestrator.partners import sources
from orchestrator.scenario.model import Cell
from orchestrator.topology.model import Layout
from orchestrator.vocabulary.parameters import listed

EVENTS = ("temp", "pres", "humi", "light")  # as in the application's C code
FIRST_COMMAND_US = 1_000_000  # after the last mote's boot
# The instructor repeats each instruction three times, 50 ms apart; the next one comes after that.
BETWEEN_COMMANDS_US = 250_000


def version() -> str:
    """Return a digest of the code that runs beside the motes."""
    return sources.digest(Path(event_service.__file__).parent, Path(__file__).parent)


def partners(app: Application, placed: Layout, cell: Cell, times: CellCourse) -> Gateways:
    """Return the gateways of a cell. Raises FaultyInput for settings that don't go together."""
    values = app.complete(cell.application.parameters)
    start_delay_us = cell.start_delay_us
    base_stations = tuple(node.mote for node in placed.nodes if node.role == "subscriber")
    fan_out = values["gateway-fan-out"]
    begins_us = start_delay_us + times.begins_us
    _check(app, placed, cell, values, base_stations, begins_us)
    return Gateways(
        base_stations=base_stations,
        parents={node: (node - 2) // fan_out + 1 for node in range(2, len(base_stations) + 1)},
        instructor=next(node.mote for node in placed.nodes if node.role == "control"),
        commands=_commands(placed, values, start_delay_us, begins_us),
        apart_us=BETWEEN_COMMANDS_US,
        delays=Delays(
            uart_rate=values["uart-rate"],
            usb_latency_us=values["usb-latency"],
            forwarder_us=values["forwarder"],
            processing_us=values["processing"],
            queue=values["gateway-queue"],
            tcp_us=values["tcp-delay"],
            nagle=values["nagle"],
            delayed_ack_us=values["delayed-ack"],
        ),
        readings={name: values[name] for name in ("formation", "propagation", "relay", "sender", "delivery")},
        success_line=app.success_line or "",
        timeout_us=times.ends_us,
        patience_us=values["patience"],
        renewal_us=values["renewal"],
        drawn_us=values["interval"] if values.get("phase") == "drawn" else 0,
    )


def _early(values: Mapping[str, Any]) -> list[tuple[str, int, str]]:
    """Commands before the measured time: (node's name, code, argument)."""
    events = EVENTS[: values["events"]]
    consumers = [
        (name, 11, events[place % len(events)]) for place, name in enumerate(listed(values["consumers"]))
    ]
    interval = f"{values['interval'] // 1000:04d}"
    suppliers = []
    for place, name in enumerate(listed(values["suppliers"])):
        suppliers += [(name, 10, events[place % len(events)]), (name, 13, interval)]
    return consumers + suppliers


def _commands(
    placed: Layout, values: Mapping[str, Any], start_delay_us: int, begins_us: int
) -> tuple[tuple[int, str], ...]:
    if values["start"] != "instructor":
        return ()
    motes = {node.name: node.mote for node in placed.nodes}
    events = EVENTS[: values["events"]]
    late = [
        (name, PUSH, events[place % len(events)]) for place, name in enumerate(listed(values["suppliers"]))
    ]
    return tuple(
        (begin + BETWEEN_COMMANDS_US * number, f"-{motes[name]}-{code}-{argument}-")
        for begin, commands in ((start_delay_us + FIRST_COMMAND_US, _early(values)), (begins_us, late))
        for number, (name, code, argument) in enumerate(commands)
        if name in motes  # others are a fault of their own (place.py)
    )


def _check(
    app: Application,
    placed: Layout,
    cell: Cell,
    values: Mapping[str, Any],
    base_stations: tuple[int, ...],
    begins_us: int,
) -> None:
    faults = [
        *channel_terms(app, values).faults,
        *_unheard(app, placed, cell, values),
        *_failing(app, placed, values),
    ]
    if values["bridged"]:
        faults += _bridged(app, placed, values)
    if values["size"] > 0 and values["type"] != "none":
        faults.append(
            of_setting(app, "size", "an event of a type has the type's size", "leave size or type out")
        )
    if values["tables"] == "base-station":
        faults += _without_gateway(app, values, base_stations)
    needed = FIRST_COMMAND_US + BETWEEN_COMMANDS_US * len(_early(values))
    if values["start"] == "instructor" and cell.start_delay_us + needed > begins_us:
        faults.append(
            of_setting(
                app,
                "warm-up",
                f"the instructor's {len(_early(values))} commands take {needed / 1e6:g} s",
                f"raise application.warm-up above {needed / 1e6:g} s",
            )
        )
    if faults:
        raise FaultyInput(faults)


def _without_gateway(
    app: Application, values: Mapping[str, Any], base_stations: tuple[int, ...]
) -> list[Fault]:
    """Return what needs the gateway although the tables are the base station's."""
    faults = []
    compared = [side for side in ("offers", "asks") if values[side] != "none"]
    if compared:
        faults.append(
            of_setting(
                app,
                "tables",
                f"base-station leaves the gateway out, which compares {' and '.join(compared)}",
                "use tables: gateway",
            )
        )
    if len(base_stations) > 1:
        faults.append(
            of_setting(
                app,
                "tables",
                f"base-station is for a single board, and there are {len(base_stations)}",
                "use tables: gateway, or one board",
            )
        )
    return faults


def _unheard(app: Application, placed: Layout, cell: Cell, values: Mapping[str, Any]) -> list[Fault]:
    """Return a fault if the instructor's commands never reach some of their motes.

    Only unit disks have an end that is known beforehand.
    """
    range_m = cell.radio.range_m
    if values["start"] != "instructor" or not cell.radio.medium.startswith("udgm"):
        return []
    instructor = next(node for node in placed.nodes if node.role == "control")
    addressed = {*listed(values["suppliers"]), *listed(values["consumers"])}
    far = [
        node.name
        for node in placed.nodes
        if node.name in addressed and math.hypot(node.x - instructor.x, node.y - instructor.y) > range_m
    ]
    if not far:
        return []
    return [
        of_setting(
            app,
            "start",
            f"the instructor {instructor.name} is not heard by {', '.join(far)}, beyond the range "
            f"of {range_m:g} m",
            "use start: at-once, boards that stand closer, or a larger radio.range with less power",
        )
    ]


def _failing(app: Application, placed: Layout, values: Mapping[str, Any]) -> list[Fault]:
    """Return what doesn't go with motes that fail."""
    faults: list[Fault] = []
    if values["tables"] == "base-station" and values["renewal"]:
        what = "base-station is for a single board, and nobody can adopt its motes"
        faults.append(of_setting(app, "tables", what, "leave tables or renewal out"))
    busy = {*listed(values["suppliers"]), *listed(values["consumers"])}
    busy |= {node.name for node in placed.nodes if node.role == "control"}
    if dying := [name for name in listed(values["killed"]) if name in busy]:
        what = f"{', '.join(dying)} supplies, consumes or is the instructor"
        faults.append(of_setting(app, "killed", what, "name base stations or motes between"))
    return faults


def _bridged(app: Application, placed: Layout, values: Mapping[str, Any]) -> list[Fault]:
    """Return what doesn't go with the publish/subscribe middleware on the boards."""
    faults = []
    if values["start"] != "at-once":
        faults.append(of_setting(app, "bridged", "there is no instructor", "use start: at-once"))
    others = [name for name in ("offers", "asks", "condition") if values[name] != "none"]
    others += [name for name in ("size", "identifiers", "renewal") if values[name]]
    others += [name for name in ("events",) if values[name] > 1]
    if values["tables"] != "gateway":
        others.append("tables")
    if others:
        names = ", ".join(others)
        faults.append(of_setting(app, "bridged", f"{names} is the event service's", "leave it out"))
    roots = {node.name for node in placed.nodes if node.role == "subscriber"}
    strange = [name for name in listed(values["consumers"]) if name not in roots]
    if strange:
        faults.append(
            of_setting(
                app,
                "consumers",
                f"{', '.join(strange)} is not a base station, and events of the publish/subscribe "
                "middleware end there",
                f"name some of {', '.join(sorted(roots))}",
            )
        )
    return faults
