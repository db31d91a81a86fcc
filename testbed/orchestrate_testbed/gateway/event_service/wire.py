# SPDX-License-Identifier: Apache-2.0
"""The messages over TCP between gateways and to the controller: lines of JSON, checked as they come."""

from __future__ import annotations

import re
from typing import Any

from orchestrate_testbed.gateway import protocol
from orchestrate_testbed.gateway.event_service import frames, terms
from orchestrate_testbed.gateway.event_service.messages import Mismatch, Push, Relation, Request

_ADDRESS = re.compile(r".{1,255}:[0-9]{1,5}\Z", re.ASCII)
MOST_ASKED = 8  # terms of one request: more of them become a request without any
LONGEST = 65536  # bytes of a line: a relation names all children


class Malformed(ValueError):
    """A line that came is none of these messages; the connection is closed."""


def hello(port: int, node: int, address: str = "") -> dict:
    """Return the message by which a gateway tells the controller where it listens and its old ID (0: none).

    An empty address means: as seen.
    """
    return {"say": "hello", "port": port, "node": node, "address": address}


def established(node: int) -> dict:
    """Return the message by which a gateway tells the controller that its connections are established."""
    return {"say": "established", "node": node}


def join(node: int) -> dict:
    """Return the message by which a child joins its parent."""
    return {"say": "join", "node": node}


def between(message: Request | Push | Mismatch) -> dict:
    """Return the message from one gateway to another. Terms that a channel doesn't have are left out."""
    if isinstance(message, Request):
        asked = {} if message.asked == (b"",) else {"asked": [one.hex() for one in message.asked]}
        return {"say": "request", "event": message.event, "wanted": message.wanted, **asked}
    if isinstance(message, Mismatch):
        return {
            "say": "refusal",
            "event": message.event,
            "mote": message.mote,
            "offered": message.offered.hex(),
            "asked": message.asked.hex(),
        }
    offered = (
        {"offered": message.offered.hex(), "passed": message.passed}
        if message.offered or message.passed
        else {}
    )
    return {
        "say": "push",
        "event": message.event,
        "supplier": message.supplier,
        "number": message.number,
        "data": message.data.hex(),
        **offered,
    }


def relation(message: Relation) -> dict:
    """Return the message by which the controller tells a gateway its place."""
    return {
        "say": "relation",
        "node": message.node,
        "parent": message.parent,
        "address": message.parent_address,
        "children": list(message.children),
    }


def said(received: bytes) -> dict:
    """Return the object in a line. Raises Malformed if it isn't an object with a word `say`."""
    try:
        found = protocol.record(received)
    except ValueError:
        raise Malformed("it is no JSON object") from None
    if not isinstance(found.get("say"), str):
        raise Malformed("it is no message")
    return found


def between_gateways(found: dict) -> Request | Push | Mismatch:
    """Return a request, a push or a refusal. Raises Malformed."""
    try:
        event = field(found, "event", str)
        frames.subject(event)
        if found["say"] == "request":
            asked = field(found, "asked", list) if "asked" in found else [""]
            said = tuple(_terms({"asked": one}, "asked") for one in asked[: MOST_ASKED + 1])
            if not 1 <= len(said) <= MOST_ASKED:
                raise Malformed(f"a request asks 1 to {MOST_ASKED} terms")
            return Request(event, field(found, "wanted", bool), said)
        if found["say"] == "refusal":
            return Mismatch(event, node(found, "mote"), _terms(found, "offered"), _terms(found, "asked"))
        if found["say"] == "push":
            data = bytes.fromhex(field(found, "data", str))
            offered = _terms(found, "offered") if "offered" in found else b""
            passed = node(found, "passed", 0) if "passed" in found else 0
            supplier, number = node(found, "supplier"), node(found, "number", 0)
            message = Push(event, supplier, number, data, offered, passed)
            frames.line(message, 0)
            return message
    except ValueError as error:  # a name, hexadecimal digits or a frame that can't be
        raise Malformed(str(error)) from None
    raise Malformed("a gateway says request, push or refusal")


def joins(found: dict) -> int:
    """Return the ID of a child that joins. Raises Malformed."""
    if found["say"] != "join":
        raise Malformed("a child says join first")
    return node(found, "node")


def relation_of(found: dict) -> Relation:
    """Return a relation. Raises Malformed."""
    if found["say"] != "relation":
        raise Malformed("a controller says relation")
    children = field(found, "children", list)
    parent = found.get("parent")
    address = field(found, "address", str) if parent is not None else None
    if address is not None and not _ADDRESS.match(address):
        raise Malformed("an address is HOST:PORT")
    return Relation(
        node(found, "node"),
        None if parent is None else node(found, "parent"),
        address,
        tuple(node({"child": child}, "child") for child in children),
    )


def node(found: dict, name: str, least: int = 1) -> int:
    """Return a whole number of at most 16 bits. Raises Malformed."""
    value = field(found, name, int)
    if isinstance(value, bool) or not least <= value <= 65535:
        raise Malformed(f"{name} is out of range")
    return value


def _terms(found: dict, name: str) -> bytes:
    said = bytes.fromhex(field(found, name, str))
    terms.read(said)
    return said


def field(found: dict, name: str, kind: type) -> Any:
    """Return a value of that type. Raises Malformed."""
    value = found.get(name)
    if not isinstance(value, kind):
        raise Malformed(f"{name} is missing, or of another type")
    return value
