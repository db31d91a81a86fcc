# SPDX-License-Identifier: Apache-2.0
"""The terms of a channel (beyond the thesis): what a supplier offers and a consumer asks.

Quality attributes are those that users of FAMOUSO know. They travel with a registration, each as its kind, a
length and a value (structure `term` of contiki-apps/middleware/frames/frames.yaml).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Optional

from orchestrate_testbed.gateway.event_service import condition

SUPPLIER, TYPE, PERIOD, DEADLINE, OMISSION, TTL, CONDITION, BRIDGE = range(1, 9)
LONGEST = 64  # bytes of all terms of a registration
_NUMBERS = {  # kind -> (name, bytes)
    SUPPLIER: ("supplier", 1),
    TYPE: ("type", 2),
    PERIOD: ("period", 4),
    DEADLINE: ("deadline", 4),
    OMISSION: ("omission", 2),
    TTL: ("ttl", 1),
    BRIDGE: ("bridge", 1),
}
REASONS = ("type", "period", "deadline", "omission", "ttl")  # by bit of a refusal


@dataclass(frozen=True)
class Terms:
    """What a registration says beside the event. None or empty: nothing.

    `supplier`: its number among the suppliers, which its events have. `type`: of the event, by its
    description's digest. `period`, `deadline`: ms. `omission`: events in a row that may be lost. `ttl`:
    gateways that an event may pass on. `condition`: code for events that are wanted. `bridge`: 1 of a
    base station that bridges the publish/subscribe middleware.
    """

    supplier: Optional[int] = None  # noqa: UP007, UP045 (for Python 3.7)
    type: Optional[int] = None  # noqa: UP007, UP045
    period: Optional[int] = None  # noqa: UP007, UP045
    deadline: Optional[int] = None  # noqa: UP007, UP045
    omission: Optional[int] = None  # noqa: UP007, UP045
    ttl: Optional[int] = None  # noqa: UP007, UP045
    bridge: Optional[int] = None  # noqa: UP007, UP045
    condition: bytes = b""


@lru_cache(maxsize=1024)
def read(encoded: bytes) -> Terms:
    """Return the terms in these bytes. Raises ValueError."""
    if len(encoded) > LONGEST:
        raise ValueError(f"terms have {LONGEST} bytes at most, not {len(encoded)}")
    found = {}
    at = 0
    while at < len(encoded):
        value = encoded[at + 2 : at + 2 + (encoded[at + 1] if at + 1 < len(encoded) else 256)]
        if at + 2 > len(encoded) or len(value) != encoded[at + 1]:
            raise ValueError("a term is cut short")
        name, size = ("condition", 0) if encoded[at] == CONDITION else _NUMBERS.get(encoded[at], ("", 0))
        if not name or (size and len(value) != size):
            raise ValueError(f"a term of kind {encoded[at]} and length {len(value)} is unknown")
        if name in found:
            raise ValueError(f"there are two terms {name}")
        found[name] = int.from_bytes(value, "little") if size else value
        at += 2 + len(value)
    condition.read(found.get("condition", b""))
    return Terms(**found)


def written(terms: Terms) -> bytes:
    """Terms as bytes. Raises OverflowError for a number that is out of range."""
    made = b""
    for kind, (name, size) in _NUMBERS.items():
        value = getattr(terms, name)
        if value is not None:
            made += bytes([kind, size]) + value.to_bytes(size, "little")
    if terms.condition:
        made += bytes([CONDITION, len(terms.condition)]) + terms.condition
    return made


def refused(offered: Terms, asked: Terms) -> tuple:
    """Which terms of an offer aren't what was asked, of REASONS.

    A number that is asked must be offered: a period, a deadline and an omission that are no larger, a time
    to live that is no smaller.
    """
    found = []
    for name in REASONS:
        mine, other = getattr(asked, name), getattr(offered, name)
        if mine is None:
            continue
        if name == "type":
            fits = other == mine
        elif name == "ttl":
            fits = other is not None and other >= mine
        else:
            fits = other is not None and other <= mine
        if not fits:
            found.append(name)
    return tuple(found)


def words(offered: Terms, asked: Terms) -> str:
    """Why an offer is refused, in words."""
    units = {"period": " ms", "deadline": " ms", "omission": " events", "ttl": " gateways"}
    said = []
    for name in refused(offered, asked):
        mine, other = getattr(asked, name), getattr(offered, name)
        if name == "type":
            said.append("its events are of another type" if other is not None else "its events have no type")
        else:
            bound = "at least" if name == "ttl" else "at most"
            offer = "none" if other is None else f"{other}{units[name]}"
            said.append(f"{name} of {bound} {mine}{units[name]} is asked, {offer} offered")
    return "; ".join(said)
