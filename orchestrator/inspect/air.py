# SPDX-License-Identifier: Apache-2.0
"""The fate of a lost frame on the air, from the record of the run's radios.

A trace knows a frame by its sender and the number that the middleware gave it; the record has the frames'
bytes, in which that number is found again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.execution.again import FRAMES
from orchestrator.frames.codec import NotAFrame, decode
from orchestrator.inspect import pcap, radio

LATEST_US = 2_000_000  # from `snd` to the air: five CSMA back-offs for each of several frames in the queue
FCS = 2  # bytes
STATES = ("off", "listening", "receiving", "interfered", "transmitting")
RECEIVED, LOST = "received", "lost"


@dataclass
class Transmission:
    """A frame on the air. `number`: the middleware's (None: not its frame). `fates`: by mote."""

    sender: int
    begin_us: int
    end_us: int
    number: int | None
    fates: dict[int, str] = field(default_factory=dict)

    @property
    def heard_by(self) -> tuple[int, ...]:
        """The motes that received it intact."""
        return tuple(sorted(mote for mote, fate in self.fates.items() if fate == RECEIVED))


@dataclass(frozen=True)
class Loss:
    """A frame that its next hop did not get: its last transmission, and the next hop's radio before it.

    `noticed`: its radio noticed the transmission. `others`: the transmissions that it noticed at the same
    time, or were its own.
    """

    sent: Transmission
    state: str
    noticed: bool
    others: tuple[Transmission, ...]


def why(loss: Loss, hop: int, ratios: tuple[float, float]) -> str:
    """Say why a frame that was sent did not arrive."""
    if loss.sent.fates.get(hop) == RECEIVED:
        return "the next hop's radio received it, but its firmware did not take it"
    if any(other.sender == hop for other in loss.others):
        return "sent and not received: the next hop was itself sending"
    if loss.others:
        return "sent and not received: a collision at the next hop with another frame on the air"
    if loss.state == "off":
        return "sent and not received: the next hop's radio was off"
    tx_ratio, rx_ratio = ratios
    if loss.noticed and rx_ratio < 1:
        return f"no other frame was on the air: lost by chance, the medium's reception ratio is {rx_ratio:g}"
    if not loss.noticed and tx_ratio < 1:
        return (
            f"nothing reached the next hop: lost by chance, the medium's transmission ratio is {tx_ratio:g}"
        )
    return "sent and not received, with no other frame on the air"


class Air:
    """The transmissions of a run and the states of its radios."""

    def __init__(self, record: Path):
        numbers = [number_of(frame.data) for frame in pcap.read(record / FRAMES)]
        under_way: dict[int, Transmission] = {}
        self.transmissions: list[Transmission] = []  # by their beginning
        self._states: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for event in radio.events(record):
            if event.event in STATES:
                self._states[event.mote].append((event.time_us, event.event))
            if event.event == "transmitting" and 0 < event.frame <= len(numbers):
                transmission = Transmission(
                    event.mote, event.time_us, event.time_us, numbers[event.frame - 1]
                )
                under_way[event.frame] = transmission
                self.transmissions.append(transmission)
            elif event.frame in under_way and event.event in ("sent", "cut"):
                under_way[event.frame].end_us = event.time_us
            elif event.frame in under_way and event.event in (RECEIVED, LOST):
                under_way[event.frame].fates[event.mote] = event.event

    def lost(self, sender: int, number: int, sent_us: int, hop: int) -> Loss | None:
        """Return what happened to a frame that the MAC got at `sent_us`; None if it was never sent."""
        candidates = [
            transmission
            for transmission in self._between(sent_us, sent_us + LATEST_US)
            if (transmission.sender, transmission.number) == (sender, number)
        ]
        if not candidates:
            return None
        sent = candidates[-1]
        others = tuple(
            transmission
            for transmission in self._between(sent.begin_us - LATEST_US, sent.end_us)
            if transmission is not sent
            and transmission.end_us > sent.begin_us
            and (transmission.sender == hop or self._noticed(transmission, hop))
        )
        return Loss(sent, self._state(hop, sent.begin_us), self._noticed(sent, hop), others)

    def _between(self, first_us: int, until_us: int) -> Iterator[Transmission]:
        """Give the transmissions that begin from `first_us` on and before `until_us`."""
        begin = bisect_right(self.transmissions, first_us - 1, key=lambda transmission: transmission.begin_us)
        for transmission in self.transmissions[begin:]:
            if transmission.begin_us >= until_us:
                return
            yield transmission

    def _noticed(self, transmission: Transmission, mote: int) -> bool:
        """Say whether a mote's radio noticed a transmission, as a frame or as interference."""
        states = self._states[mote]
        at = bisect_right(states, transmission.begin_us - 1, key=lambda state: state[0])
        begun = {state for time_us, state in states[at : at + 4] if time_us == transmission.begin_us}
        return mote in transmission.fates or not begun.isdisjoint(("receiving", "interfered"))

    def _state(self, mote: int, time_us: int) -> str:
        """Return the state of a mote's radio just before a time."""
        states = self._states[mote]
        at = bisect_right(states, time_us - 1, key=lambda state: state[0])
        return states[at - 1][1] if at else ""


def number_of(data: bytes) -> int | None:
    """Return the number that the middleware gave to a frame (with its FCS); None for other frames."""
    try:
        return decode(_payload(data))["number"]
    except (NotAFrame, KeyError):
        return None


def _payload(data: bytes) -> bytes:
    """Return what follows the MAC's header of a data frame (IEEE 802.15.4-2006, 7.2), without the FCS."""
    control = int.from_bytes(data[:2], "little")
    destination, source = control >> 10 & 3, control >> 14
    if control & 7 != 1:
        return b""
    header = 3  # frame control and sequence number; each address is 2 or 8 bytes, with 2 bytes of its PAN
    header += 2 * (destination > 0) + {0: 0, 2: 2, 3: 8}.get(destination, 0)
    header += 2 * (source > 0 and not control & 1 << 6) + {0: 0, 2: 2, 3: 8}.get(source, 0)
    return data[header:-FCS]
