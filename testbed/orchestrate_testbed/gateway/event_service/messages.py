# SPDX-License-Identifier: Apache-2.0
"""What gateways, base stations and the controller say to each other, as plain values."""

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
    """A mote's call that went up its tree to the base station: advertise, subscribe, or a disconnect."""

    what: int
    mote: int
    event: str


@dataclass(frozen=True)
class Push:
    """An event with its data, from a mote's push on; `supplier` and `number` tell it from every other."""

    event: str
    supplier: int
    number: int
    data: bytes = b""


@dataclass(frozen=True)
class Delivery:
    """An event on its way down to the consumers behind one base station."""

    push: Push
    consumers: tuple[int, ...]


@dataclass(frozen=True)
class Request:
    """A gateway says that it needs an event, for its own motes or for gateways behind it, or no longer."""

    event: str
    wanted: bool = True


@dataclass(frozen=True)
class ToBaseStation:
    """For the base station behind this gateway's serial line."""

    delivery: Delivery


@dataclass(frozen=True)
class ToNeighbour:
    """For the parent or a child in the tree of gateways, named by its ID."""

    neighbour: int
    message: Request | Push


@dataclass(frozen=True)
class Relation:
    """The controller tells a gateway its ID, its parent and its children (section 5.1)."""

    node: int
    parent: int | None
    parent_address: str | None
    children: tuple[int, ...]
