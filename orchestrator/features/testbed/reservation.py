# SPDX-License-Identifier: Apache-2.0
"""Reservations: who has a lab, and until when.

The records are on the gateways, so that all users see the same, and each gateway's own clock decides when its
reservation is over. A record is made only where there is none.
"""

from __future__ import annotations

import getpass
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from orchestrate_testbed.errors import LabError, RemoteFailed
from orchestrate_testbed.model import Gateway, Lab
from orchestrate_testbed.ssh import Host, Network, together
from orchestrate_testbed.transfer import Kept, look
from orchestrate_testbed.untrusted import shown

from orchestrator.errors import RunFailed

MOST_S = 30 * 86_400
RUN = "run "  # the beginning of a run's purpose in its reservation
MOST_PURPOSE = 150  # characters, each of at most twelve bytes of JSON: look.sh shows the first 2000 bytes
# $2: our record; $3: the record that is over or our own, which may be replaced. `ln` fails if the file is
# there, so that of two who come at once one gets it. A full disk or a kill leaves no part of a record.
_TAKE = """
root=$1
umask 077
[ -L "$root" ] && exit 3
mkdir -p "$root/state" || exit 4
file=$root/state/reservation
if [ -n "$3" ] && [ "$(cat "$file" 2>/dev/null)" = "$3" ]; then rm -f "$file"; fi
draft=$root/state/.reservation.$$
printf '%s\\n' "$2" > "$draft" || exit 4
ln "$draft" "$file" 2>/dev/null
code=$?
rm -f "$draft"
[ $code = 0 ] && exit 0
cat "$file"
exit 5
"""
_LEAVE = 'file=$1/state/reservation; [ "$(cat "$file" 2>/dev/null)" = "$2" ] && rm -f "$file"; exit 0'
_READ = 'cat "$1/state/reservation" 2>/dev/null; exit 0'


def me() -> str:
    """Return who runs this, as records name users."""
    return shown(f"{getpass.getuser()}@{os.uname().nodename}")


@dataclass(frozen=True)
class Reservation:
    """`until_s`: seconds since 1970 by the gateway's clock. `readable`: False if the record can't be read."""

    owner: str
    until_s: int
    purpose: str = ""
    readable: bool = True

    def text(self) -> str:
        """Return the record."""
        return json.dumps(
            {"owner": self.owner, "purpose": self.purpose, "until": self.until_s}, sort_keys=True
        )

    def left_s(self, clock_s: int) -> int:
        """Return how many seconds are left by the gateway's clock."""
        return self.until_s - clock_s


def of_a_run(held: Reservation) -> bool:
    """Return whether a run made the reservation for its own length; its controller may have disappeared."""
    return held.purpose.startswith(RUN)


def read(data: Mapping[str, Any] | None) -> Reservation | None:
    """Return the reservation in a record; None if there is none.

    A record that can't be read counts as somebody else's that does not end.
    """
    if data is None:
        return None
    until, owner = data.get("until"), data.get("owner")
    if not isinstance(until, int) or isinstance(until, bool) or not isinstance(owner, str):
        return Reservation("", 0, readable=False)
    return Reservation(owner, until, str(data.get("purpose", "")))


def take(host: Host, gateway: Gateway, seconds: int, purpose: str = "") -> Reservation:
    """Reserve one gateway, or extend the user's reservation. Raises RemoteFailed if someone else has it."""
    state = look(host, gateway.root)
    refuse_taken(gateway, state)
    held = read(state.reserved)
    until_s = state.clock_s + seconds
    if held is not None and held.owner == me() and held.until_s > until_s:
        return held  # a run doesn't shorten the user's own reservation
    wanted = Reservation(me(), until_s, shown(purpose)[:MOST_PURPOSE])
    old = "" if held is None else host.script(_READ, gateway.root).out.decode("utf-8", "replace").strip()
    ran = host.script(_TAKE, gateway.root, wanted.text(), old)
    if ran.code == 5:
        raise RemoteFailed(f"{gateway.name} was just reserved by someone else\n    ask them, or wait")
    if ran.code != 0:
        raise RemoteFailed(
            f"{gateway.name} can't be reserved: {ran.said}\n    look at its disk and its rights"
        )
    return wanted


def _taken(gateway: Gateway, held: Reservation, clock_s: int) -> str:
    left = held.left_s(clock_s)
    time = f"{left // 60} min {left % 60} s" if left < 7200 else f"{left / 3600:.1f} h"
    for_what = f" for {held.purpose}" if held.purpose else ""
    return f"{gateway.name} is reserved by {held.owner}{for_what} for another {time}\n    ask them, or wait"


def refuse_taken(gateway: Gateway, state: Kept) -> None:
    """Raise RemoteFailed if somebody else has the gateway. `kept`: our records on it."""
    held = read(state.reserved)
    if held is not None and not held.readable:
        raise RemoteFailed(
            f"{gateway.name} has a reservation that can't be read, so it counts as taken\n"
            f"    if nobody uses the lab, remove {gateway.root}/state/reservation there"
        )
    if held is not None and held.owner != me() and held.left_s(state.clock_s) > 0:
        raise RemoteFailed(_taken(gateway, held, state.clock_s))


def leave(host: Host, gateway: Gateway, held: Reservation) -> None:
    """Give one gateway back; somebody else's reservation stays."""
    host.script(_LEAVE, gateway.root, held.text())


def reserve(lab: Lab, network: Network, seconds: int, purpose: str = "") -> dict[str, Reservation]:
    """Reserve all gateways of a lab that answer, or none.

    If one is taken, the others are given back. Raises RunFailed with everyone who has one, and if no gateway
    answers.
    """
    results = together(
        lab.gateways, lambda gateway: take(network.host(gateway.ssh), gateway, seconds, purpose)
    )
    got = {
        gateway.name: result
        for gateway, result in zip(lab.gateways, results, strict=True)
        if isinstance(result, Reservation)
    }
    taken = [str(result) for result in results if isinstance(result, RemoteFailed)]
    if taken or not got:
        release(lab, network, got)
        silent = [str(result) for result in results if isinstance(result, LabError)]
        raise RunFailed("\n".join(taken or silent or ["the lab has no gateways"]))
    return got


def release(lab: Lab, network: Network, held: Mapping[str, Reservation]) -> None:
    """Give back what is held; a gateway that doesn't answer keeps its record until it is over."""
    together(
        [gateway for gateway in lab.gateways if gateway.name in held],
        lambda gateway: leave(network.host(gateway.ssh), gateway, held[gateway.name]),
    )


def mine(lab: Lab, network: Network) -> dict[str, Reservation]:
    """Return the user's reservations, by gateway, whether over or not."""
    reservations = {}
    states = together(lab.gateways, lambda gateway: look(network.host(gateway.ssh), gateway.root))
    for gateway, state in zip(lab.gateways, states, strict=True):
        held = None if isinstance(state, LabError) else read(state.reserved)
        if held is not None and held.owner == me():
            reservations[gateway.name] = held
    return reservations
