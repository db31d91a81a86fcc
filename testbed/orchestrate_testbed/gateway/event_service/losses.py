# SPDX-License-Identifier: Apache-2.0
"""Names the events that a gateway did not bring to neighbours that were lost (beyond the thesis)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from orchestrate_testbed.gateway.event_service.messages import Push

MOST = 4096  # events of one connection whose place in its stream is remembered

Name = tuple  # (event, supplier, number)


class Sent:
    """The last events that went into a connection, each with the place in the stream at which it ends."""

    def __init__(self) -> None:
        self._end = 0
        self._events: deque = deque(maxlen=MOST)

    def note(self, size: int, message: object) -> None:
        """Note a message of so many bytes."""
        self._end += size
        if isinstance(message, Push):
            self._events.append((self._end, _name(message)))

    def last(self, unacknowledged: int) -> list:
        """Return the names of the events that end within the last so many bytes."""
        begin = self._end - unacknowledged
        return [name for end, name in self._events if end > begin]


class Losses:
    """The neighbours that are lost, and what they miss. `count`: events in all."""

    def __init__(self) -> None:
        self.count = 0
        # Neighbour -> since when (us), the events that it had requested, the names of those not sent.
        self._away: dict[int, tuple[int, frozenset, list]] = {}

    @property
    def away(self) -> tuple[int, ...]:
        """The neighbours that are lost."""
        return tuple(self._away)

    def lost(
        self, neighbour: int, now_us: int, requested: Iterable[str], unacknowledged: list[Name]
    ) -> list[str]:
        """Note that a neighbour was lost, which had requested these events; return what to say of it.

        Gateways that need them only for this one are told so, and don't send them any more either.
        """
        wanted = sorted(set(requested))
        self.count += len(unacknowledged)
        self._away[neighbour] = now_us, frozenset(wanted), []
        said = []
        if unacknowledged:
            said.append(f"gateway {neighbour} did not acknowledge: {named(unacknowledged)}")
        if wanted:
            said.append(f"gateway {neighbour} gets none of these until it is back: {', '.join(wanted)}")
        return said

    def passed(self, push: Push) -> None:
        """Note that an event came, which lost neighbours would have been sent."""
        for _, requested, missed in self._away.values():
            if push.event in requested:
                missed.append(_name(push))
                self.count += 1

    def ended(self, neighbour: int, now_us: int, how: str) -> list[str]:
        """Note that a neighbour is back or is waited for no longer; return what to say of it.

        `how`: what follows "gateway N ", as "is back".
        """
        if neighbour not in self._away:
            return []
        said = _said(neighbour, how, now_us, *self._away[neighbour])
        del self._away[neighbour]
        return [said]

    def left(self, now_us: int) -> list[str]:
        """Return what to say at the end of those that are still lost and miss anything."""
        return [
            _said(neighbour, "is still lost", now_us, *away)
            for neighbour, away in self._away.items()
            if away[2]
        ]


def _said(neighbour: int, how: str, now_us: int, since_us: int, _: frozenset, missed: list) -> str:
    said = f"gateway {neighbour} {how} after {(now_us - since_us) / 1e6:.1f} s"
    return f"{said}; not sent to it meanwhile: {named(missed)}" if missed else said


def named(events: Iterable[Name]) -> str:
    """Return events in words: "temp of mote 4, 29 to 66 and 70; ...", of each supplier in order."""
    numbers: dict[tuple, list] = {}
    for event, supplier, number in events:
        numbers.setdefault((event, supplier), []).append(number)
    return "; ".join(
        f"{event} of mote {supplier}, {_ranges(found)}" for (event, supplier), found in numbers.items()
    )


def _ranges(numbers: list[int]) -> str:
    ranges: list[list[int]] = []
    for number in sorted(set(numbers)):
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return " and ".join(str(first) if first == last else f"{first} to {last}" for first, last in ranges)


def _name(push: Push) -> Name:
    return push.event, push.supplier, push.number
