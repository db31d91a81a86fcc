# SPDX-License-Identifier: Apache-2.0
"""Beyond the thesis: motes renew their calls, and a gateway forgets one that was not renewed.

So a mote that another base station adopted is with one gateway alone after a while, and a dead one with none.
"""

from __future__ import annotations

from collections.abc import Iterable

from orchestrate_testbed.gateway.event_service.messages import (
    ADVERTISE,
    DISCONNECT_CONSUMER,
    DISCONNECT_SUPPLIER,
    SUBSCRIBE,
    WHAT,
    Registration,
)

RENEWALS = 4  # in a row that have to be lost until a call ends; one comes an eighth late by chance
_ENDS = {ADVERTISE: DISCONNECT_SUPPLIER, SUBSCRIBE: DISCONNECT_CONSUMER}


class Leases:
    """The calls of one gateway's motes. Times are in us.

    `renewal_us`: how often a mote renews its calls; 0: never, and nothing ends. `kept`: calls of an earlier
    life, which count as renewed at `now_us`.
    """

    def __init__(self, renewal_us: int, kept: Iterable[Registration] = (), now_us: int = 0):
        self.renewal_us = renewal_us
        self._until: dict[tuple[int, int, str], int] = {}  # (kind of call, mote, event) -> its end
        for call in kept:
            self.came(call, now_us)

    def came(self, call: Registration, now_us: int) -> None:
        """Note a mote's call."""
        if call.what in _ENDS and self.renewal_us:
            self._until[call.what, call.mote, call.event] = now_us + RENEWALS * self.renewal_us
        for what, end in _ENDS.items():
            if call.what == end:
                self._until.pop((what, call.mote, call.event), None)

    def over(self, now_us: int) -> list[Registration]:
        """Return a disconnect for each call that was not renewed in time, and forget it."""
        ended = [key for key, until in self._until.items() if until <= now_us]
        for key in ended:
            del self._until[key]
        return [Registration(_ENDS[what], mote, event) for what, mote, event in ended]


def words(ended: Registration) -> str:
    """Return what a gateway's log says of it."""
    what = next(what for what, end in _ENDS.items() if end == ended.what)
    return f"mote {ended.mote} did not renew its {WHAT[what]} of {ended.event}, which ends here"
