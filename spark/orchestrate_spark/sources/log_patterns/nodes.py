# SPDX-License-Identifier: Apache-2.0
"""Resolves what a log calls a node to the node's number: IPv6 and link-layer addresses, Rime's, and ids.

A node's own address is learned from a line in which the node prints it (a group of the type `own-address`).
Addresses that nobody printed are resolved by the forms that Cooja gives to its motes.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from ipaddress import AddressValueError, IPv6Address

_EUI = re.compile(r"(?:[0-9a-f]{2}:){7}[0-9a-f]{2}")  # 02:00:00:00:...; an IPv6 address has no such zeros
_LINK = re.compile(r"(?:[0-9a-f]{4}\.){3}[0-9a-f]{4}")  # of Contiki-NG's LOG_LLADDR
_COMPACT = re.compile(r"(?:6[a-z]|ll)-([0-9a-f]{4})")  # of LOG_CONF_WITH_COMPACT_ADDR
# the same with the service `deployment`, which numbers nodes in decimal digits: 6G-012, but LL-0012
_DEPLOYED = re.compile(r"(?:6[a-z]-([0-9]{3})|ll-([0-9]{4}))")
DEPLOYMENT = r"\b6[A-Z]-[0-9]{3}\b"  # a line that has this is of a firmware with that service
_RIME = re.compile(r"([0-9]{1,3})\.([0-9]{1,3})")
_NUMBER = re.compile(r"(?:ID:)?([0-9]{1,9})")
_UNIVERSAL = (
    1 << 57
)  # the bit in which an interface identifier differs from its EUI-64 (RFC 4291, appendix A)
ID, INTERFACE, LOW = "id", "interface", "low"


def read(text: str, deployment: bool = False) -> tuple[str, int] | None:
    """Return what an address identifies a node by; None for other texts.

    That is (ID, its number), (INTERFACE, the 64 bits of its interface identifier) or (LOW, the last 16 bits).
    `deployment`: whether the firmware numbers nodes by that service of Contiki-NG.
    """
    text = text.strip().strip("[]").lower()
    if number := _NUMBER.fullmatch(text):
        return ID, int(number[1])
    if rime := _RIME.fullmatch(text):
        low, high = int(rime[1]), int(rime[2])
        return (ID, low + 256 * high) if max(low, high) < 256 else None
    if _EUI.fullmatch(text) or _LINK.fullmatch(text):
        return INTERFACE, int(re.sub("[.:]", "", text), 16) ^ _UNIVERSAL
    if deployment and (deployed := _DEPLOYED.fullmatch(text)):
        return ID, int(deployed[1] or deployed[2])
    if compact := _COMPACT.fullmatch(text):
        return LOW, int(compact[1], 16)
    try:
        return INTERFACE, int(IPv6Address(text.partition("%")[0])) & (1 << 64) - 1
    except (AddressValueError, ValueError):
        return None


def in_cooja(interface: int) -> int | None:
    """Return the id of the mote to which Cooja gives this interface identifier; None if it gives it to none.

    Cooja's own motes have the id in all four words; emulated Sky motes have 00:12:74:ID:00:ID:ID:ID.
    """
    words = [interface >> shift & 0xFFFF for shift in (48, 32, 16, 0)]
    low = words[3]
    if low == 0xFFFF:
        return None  # the broadcast address
    if low and words == [low ^ 0x0200, low, low, low]:
        return low
    byte = low & 0xFF
    if byte and words == [0x0212, 0x7400 | byte, byte, byte << 8 | byte]:
        return byte
    return None


class Nodes:
    """The nodes of one run, by what their lines said of their addresses; `motes`: those that print lines."""

    def __init__(self, deployment: bool = False, motes: Collection[int] = ()) -> None:
        self._motes = motes
        self._deployment = deployment
        self._learned: dict[tuple[str, int], int | None] = {}

    def learn(self, text: str, mote: int) -> bool:
        """Take an address for that of this mote; whether it is one. One that two motes claim is nobody's."""
        found = read(text, self._deployment)
        if found is None or _NUMBER.fullmatch(text):
            return False
        kind, value = found
        for key in ((kind, value), (LOW, value & 0xFFFF)):
            self._learned[key] = mote if self._learned.get(key, mote) == mote else None
        return True

    def mote(self, text: str) -> int | None:
        """Return the number of the node that an address names; None if it is not known."""
        found = read(text, self._deployment)
        if found is None:
            return None
        if found in self._learned:
            return self._learned[found]
        kind, value = found
        if kind == INTERFACE:
            return in_cooja(value)
        low = value & 0xFF
        if kind == ID and value >> 8 == low and value not in self._motes and low in self._motes:
            return low  # the last two bytes of a Sky mote's address, which collect-view prints as a number
        return value if kind == ID or 0 < value < 0xFFFF else None
