# SPDX-License-Identifier: Apache-2.0
"""A table of the event service: pairs of who and which event, in the order in which they came."""

from __future__ import annotations

from collections.abc import Iterator


class Table:
    """Advertise and Subscribe (mote, event), Event_Request (neighbour, event); an entry is there once."""

    def __init__(self) -> None:
        self._entries: dict[tuple[int, str], None] = {}

    def add(self, who: int, event: str) -> bool:
        """False if the entry was there."""
        new = (who, event) not in self._entries
        self._entries[who, event] = None
        return new

    def remove(self, who: int, event: str) -> bool:
        """False if there was no such entry."""
        if (who, event) not in self._entries:
            return False
        del self._entries[who, event]
        return True

    def drop(self, who: int) -> list[str]:
        """Remove all of one's entries and return their events."""
        events = [event for one, event in self._entries if one == who]
        for event in events:
            del self._entries[who, event]
        return events

    def of(self, event: str) -> list[int]:
        """Who has an entry for the event."""
        return [who for who, one in self._entries if one == event]

    def events(self) -> list[str]:
        """The events of all entries, each once."""
        return list(dict.fromkeys(event for _, event in self._entries))

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """The entries."""
        return iter(self._entries)

    def __len__(self) -> int:
        """How many entries there are."""
        return len(self._entries)
