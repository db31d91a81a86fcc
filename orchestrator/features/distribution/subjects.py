# SPDX-License-Identifier: Apache-2.0
"""Computes each event's deadline, so that no subscriber ever has an outdated one.

It also tells whether the network can hold that.

A subscriber may read at any time. Then the deadline is the minimum of Uvarov et al. (2004), OV_i - P_i: the
validity less the interval between two events (docs/distribution.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from orchestrator.applications.extension import of_setting
from orchestrator.errors import FaultyInput
from orchestrator.vocabulary.parameters import Parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from orchestrator.applications.model import Application
    from orchestrator.topology.model import Layout

VALIDITY = Parameter(
    "validity",
    "time",
    0,
    0,
    24 * 3_600_000_000,
    help="how long an event is valid after its publication; `orchestrate distribution subject` says by when "
    "it has to be there, the report how old events were; 0 s is for ever",
)
NOTHING, CHANNEL_FREE, ALWAYS = "nothing", "if-free", "always"
SET = Parameter(
    "set-by-validity",
    "choice",
    NOTHING,
    choices=(NOTHING, CHANNEL_FREE, ALWAYS),
    help="what the validity sets: nothing, or the application's time-out or deadline, the longest with which "
    "events are there in time if the channel is free, or always (with all back-offs)",
)
SETS = {"aggregation": "timeout", "blackboard-paper": "deadline"}  # application: the parameter that it sets
AIR_US = (127 + 6) * 32  # the longest frame of IEEE 802.15.4 at 250 kbit/s, its preamble included
# csma.h: macMinBE 3, macMaxBE 5, five back-offs after the first, of 6 ticks of a millisecond.
_EXPONENTS, _PERIOD_US = (3, 4, 5, 5, 5, 5), 6_000
BACKOFFS_US = sum((1 << exponent) - 1 for exponent in _EXPONENTS) * _PERIOD_US
_FRAME_BITS = (100 + 5) * 10  # of the largest frame on a serial line (docs/event-service.md)
_SLICE_US = 20_000  # of threads: who is ready may wait so long
_LATER_US = 10_000  # of the blackboard paper's second subscriber: its deadline is so much later
_SLEEP_US, _DRAWN_US = 30_000, 20_000  # of the blackboard paper's publisher; the second by chance
_MILLISECOND = 1_000  # the unit of both in an EEPROM image, or finer
HELD, IF_FREE, NOT_HELD = "held", "held if the channel is free", "not held"


@dataclass(frozen=True)
class Subject:
    """The timing of an application's events; times in us.

    `interval`: the longest between two of a publisher. `hold`: how long each hop may keep one (`parameter`
    says so). `once`: what else it waits for. `limit`: the last deadline that the application itself sets,
    None if there is none. `endless`: whether a hop may keep an event for ever.
    """

    interval: int
    hops: int
    hold: int = 0
    parameter: str = ""
    once: int = 0
    limit: int | None = None
    endless: bool = False


@dataclass(frozen=True)
class Due:
    """The deadline of an event, us after its publication; `deadline` None: no deadline keeps it valid.

    `least`, `most`: what the way takes without any back-off, and with all of them, `hold` included; None: for
    ever. `time_out`: how long a hop may keep an event at most, without any back-off and with all of them; 0
    if it may not.
    """

    validity: int
    subject: Subject
    deadline: int | None
    least: int
    most: int | None
    time_out: tuple[int, int]
    verdict: str


def _aggregation(values: Mapping[str, Any], layout: Layout) -> Subject:
    high = values["rate"] == "high"
    return Subject(
        interval=(values["high-max"] if high else values["low-interval"]) + values["jitter"],
        hops=_deepest(layout),
        hold=values["timeout"] if values["aggregate"] else 0,
        parameter="timeout",
        endless=values["aggregate"] and values["hold"] == "endless",
    )


def _event_service(values: Mapping[str, Any], layout: Layout) -> Subject:
    gateways = sum(node.role == "subscriber" for node in layout.nodes)
    between = 2 * (gateways - 1)  # up to the root and down again, in the worst tree
    wait = values["delayed-ack"] + values["tcp-delay"] if values["nagle"] else 0
    line = _FRAME_BITS * 1_000_000 // values["uart-rate"] + 1
    return Subject(
        interval=values["interval"],
        hops=2 * _deepest(layout),
        once=2 * line
        + values["usb-latency"]
        + 2 * values["forwarder"]
        + (between + 1) * values["processing"]
        + between * (values["tcp-delay"] + wait),
    )


def _blackboard(values: Mapping[str, Any], layout: Layout) -> Subject:
    drawn = _DRAWN_US if values["phase"] == "publication" else 0
    interval = _SLEEP_US + drawn + values["extra-work"] + values["publisher-cost"] + _SLICE_US
    return Subject(interval, 0, once=_SLICE_US, limit=values["deadline"] + _LATER_US)


_SUBJECTS: dict[str, Callable[[Mapping[str, Any], Layout], Subject]] = {
    "aggregation": _aggregation,
    "event-service": _event_service,
    "blackboard-paper": _blackboard,
}
APPLICATIONS = tuple(_SUBJECTS)


def due(application: str, values: Mapping[str, Any], layout: Layout) -> Due | None:
    """Return the deadline of the events of an application with these parameters (inner values).

    None if they have no validity.
    """
    validity = values.get(VALIDITY.name, 0)
    if not validity or application not in _SUBJECTS:
        return None
    subject = _SUBJECTS[application](values, layout)
    csma = BACKOFFS_US if values.get("mac", "csma") != "nullmac" else 0
    fixed = subject.once + subject.hops * AIR_US
    least = fixed + subject.hops * subject.hold
    most = None if subject.endless else least + subject.hops * csma
    deadline = validity - subject.interval
    if deadline <= 0:
        return Due(validity, subject, None, least, most, (0, 0), NOT_HELD)
    hops = max(1, subject.hops)
    free = max(0, (deadline - fixed) // hops)
    time_out = (free, max(0, free - csma))
    held = subject.limit is None or subject.limit <= deadline
    verdict = IF_FREE
    if least > deadline or not held or most is None:
        verdict = NOT_HELD
    elif most <= deadline:
        verdict = HELD
    return Due(validity, subject, deadline, least, most, time_out, verdict)


def set_by(application: Application, parameters: Mapping[str, Any], layout: Layout) -> dict[str, int]:
    """Return the parameter that the validity sets, with its value; nothing where nobody asks for that.

    Raises FaultyInput where no value would do.
    """
    values = application.complete(parameters)
    asked = values.get(SET.name, NOTHING)
    if asked == NOTHING:
        return {}
    deadlines = due(application.name, values, layout)
    if deadlines is None:
        raise _cannot(application, "the validity is missing", "set `validity:`, too")
    if deadlines.subject.limit is None and not deadlines.subject.hold:
        return {}  # no hop keeps an event
    name = SETS[application.name]
    declared = application.parameters[name]
    if deadlines.deadline is None or deadlines.most is None:
        longest = 0
    elif deadlines.subject.limit is None:
        longest = deadlines.time_out[asked == ALWAYS]
    else:  # on one mote: there is no channel
        longest = deadlines.deadline - _LATER_US if deadlines.most <= deadlines.deadline else 0
    longest = min(longest // _MILLISECOND * _MILLISECOND, declared.maximum)
    if longest < declared.minimum:
        raise _cannot(
            application,
            f"no {name} keeps events valid for {declared.show(deadlines.validity)}",
            "make them valid for longer; `orchestrate distribution subject` shows what the way takes",
        )
    return {name: longest}


def _cannot(application: Application, what: str, remedy: str) -> FaultyInput:
    return FaultyInput([of_setting(application, SET.name, what, remedy)])


def _deepest(layout: Layout) -> int:
    """Return the hops of the longest configured route."""
    from orchestrator.topology.connectivity import network, route_hops, subscriber

    return max(0, *route_hops(network(layout), subscriber(layout).mote).values())
