# SPDX-License-Identifier: Apache-2.0
"""What goes over TCP between gateways and to the controller: lines of JSON, checked when they come."""

from __future__ import annotations

import json
import re
from typing import Any

from orchestrate_testbed.gateway.event_service import frames
from orchestrate_testbed.gateway.event_service.messages import Push, Relation, Request

_ADDRESS = re.compile(r".{1,255}:[0-9]{1,5}\Z", re.ASCII)
LONGEST = 65536  # bytes of a line: a relation names all children


class Malformed(ValueError):
    """What came is none of these messages; the connection is closed."""


def line(said: dict) -> bytes:
    """A message as bytes."""
    return json.dumps(said, separators=(",", ":"), sort_keys=True).encode("ascii") + b"\n"


def hello(port: int, node: int, address: str = "") -> dict:
    """Of a gateway to the controller: where it listens (address "": as seen), the ID it had (0: none)."""
    return {"say": "hello", "port": port, "node": node, "address": address}


def established(node: int) -> dict:
    """Of a gateway to the controller: all of its connections stand."""
    return {"say": "established", "node": node}


def join(node: int) -> dict:
    """Of a child to its parent."""
    return {"say": "join", "node": node}


def request(message: Request) -> dict:
    """Of one gateway to another."""
    return {"say": "request", "event": message.event, "wanted": message.wanted}


def push(message: Push) -> dict:
    """Of one gateway to another."""
    return {
        "say": "push",
        "event": message.event,
        "supplier": message.supplier,
        "number": message.number,
        "data": message.data.hex(),
    }


def relation(message: Relation) -> dict:
    """Of the controller to a gateway."""
    return {
        "say": "relation",
        "node": message.node,
        "parent": message.parent,
        "address": message.parent_address,
        "children": list(message.children),
    }


def said(received: bytes) -> dict:
    """Raises Malformed for what is no object with a word `say`."""
    try:
        found = json.loads(received.decode("ascii"))
    except (ValueError, RecursionError):
        raise Malformed("it is no JSON") from None
    if not isinstance(found, dict) or not isinstance(found.get("say"), str):
        raise Malformed("it is no message")
    return found


def between_gateways(found: dict) -> Request | Push:
    """A request or a push. Raises Malformed."""
    try:
        event = _is(found, "event", str)
        frames.subject(event)
        if found["say"] == "request":
            return Request(event, _is(found, "wanted", bool))
        if found["say"] == "push":
            data = bytes.fromhex(_is(found, "data", str))
            message = Push(event, node(found, "supplier"), node(found, "number", 0), data)
            frames.line(message, 0)
            return message
    except ValueError as error:  # a name, hexadecimal digits or a frame that can't be
        raise Malformed(str(error)) from None
    raise Malformed("a gateway says request or push")


def joins(found: dict) -> int:
    """The ID of a child that joins. Raises Malformed."""
    if found["say"] != "join":
        raise Malformed("a child says join first")
    return node(found, "node")


def relation_of(found: dict) -> Relation:
    """A relation. Raises Malformed."""
    if found["say"] != "relation":
        raise Malformed("a controller says relation")
    children = _is(found, "children", list)
    parent = found.get("parent")
    address = _is(found, "address", str) if parent is not None else None
    if address is not None and not _ADDRESS.match(address):
        raise Malformed("an address is HOST:PORT")
    return Relation(
        node(found, "node"),
        None if parent is None else node(found, "parent"),
        address,
        tuple(node({"child": child}, "child") for child in children),
    )


def node(found: dict, name: str, least: int = 1) -> int:
    """A whole number of at most 16 bits. Raises Malformed."""
    value = _is(found, name, int)
    if isinstance(value, bool) or not least <= value <= 65535:
        raise Malformed(f"{name} is out of range")
    return value


def word(found: dict, name: str) -> str:
    """A string. Raises Malformed."""
    return _is(found, name, str)


def _is(found: dict, name: str, kind: type) -> Any:
    value = found.get(name)
    if not isinstance(value, kind):
        raise Malformed(f"{name} is missing, or of another type")
    return value
