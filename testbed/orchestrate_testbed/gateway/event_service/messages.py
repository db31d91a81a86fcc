# SPDX-License-Identifier: Apache-2.0
"""The messages between gateways, base stations and the controller, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

ADVERTISE, SUBSCRIBE, DISCONNECT_SUPPLIER, DISCONNECT_CONSUMER = range(1, 5)
WHAT = {
    ADVERTISE: "advertise",
    SUBSCRIBE: "subscribe",
    DISCONNECT_SUPPLIER: "disconnect of a supplier",
    DISCONNECT_CONSUMER: "disconnect of a consumer",
}


@dataclass(frozen=True)
class Registration:
    """A mote's call that went up its tree to the base station: advertise, subscribe, or a disconnect.

    `terms`: beyond the thesis, what is offered or asked, as terms.py writes it.
    """

    what: int
    mote: int
    event: str
    terms: bytes = b""


@dataclass(frozen=True)
class Push:
    """An event with its data, as a mote pushed it; `supplier` and `number` identify it.

    Between gateways it has its channel's terms (`offered`) and how many gateways it has `passed`. `bridged`:
    it came from this gateway's base station as an event of the publish/subscribe middleware.
    """

    event: str
    supplier: int
    number: int
    data: bytes = b""
    offered: bytes = b""
    passed: int = 0
    bridged: bool = False


@dataclass(frozen=True)
class Delivery:
    """An event on its way down to the consumers behind one base station.

    `bridged`: the base station takes it as an event of the publish/subscribe middleware.
    """

    push: Push
    consumers: tuple[int, ...]
    bridged: bool = False


@dataclass(frozen=True)
class Request:
    """A gateway says that it needs an event, for its own motes or for gateways behind it, or no longer.

    `asked`: the terms of those who need it, each once; (b"",): without any.
    """

    event: str
    wanted: bool = True
    asked: tuple[bytes, ...] = (b"",)


@dataclass(frozen=True)
class Mismatch:
    """What a mote offers isn't what somebody asked; it goes to the gateway of who asked."""

    event: str
    mote: int
    offered: bytes
    asked: bytes


@dataclass(frozen=True)
class ToBaseStation:
    """A message for the base station behind this gateway's serial line."""

    delivery: Delivery


@dataclass(frozen=True)
class ToNeighbour:
    """A message for the parent or a child in the tree of gateways, named by its ID."""

    neighbour: int
    message: Request | Push | Mismatch


@dataclass(frozen=True)
class ToLog:
    """For the gateway's log."""

    text: str


@dataclass(frozen=True)
class Relation:
    """The controller tells a gateway its ID, its parent and its children (section 5.1)."""

    node: int
    parent: int | None
    parent_address: str | None
    children: tuple[int, ...]
