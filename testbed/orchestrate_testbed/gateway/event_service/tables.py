# SPDX-License-Identifier: Apache-2.0
"""A table of the event service: pairs of a mote or neighbour and an event, in order of arrival.

Each has its terms (beyond the thesis; nothing by default).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class Table:
    """One table: Advertise and Subscribe (mote, event), or Event_Request (neighbour, event).

    An entry is there once.
    """

    def __init__(self) -> None:
        self._entries: dict[tuple[int, str], Any] = {}

    def add(self, who: int, event: str, terms: Any = b"") -> bool:
        """Add an entry; return False if it was there, with these terms."""
        new = self._entries.get((who, event)) != terms
        self._entries[who, event] = terms
        return new

    def remove(self, who: int, event: str) -> bool:
        """Remove an entry; return False if there was no such entry."""
        if (who, event) not in self._entries:
            return False
        del self._entries[who, event]
        return True

    def drop(self, who: int) -> list[str]:
        """Remove all entries of a mote or neighbour and return their events."""
        events = [event for one, event in self._entries if one == who]
        for event in events:
            del self._entries[who, event]
        return events

    def of(self, event: str) -> list[int]:
        """Return who has an entry for the event."""
        return [who for who, one in self._entries if one == event]

    def entries(self, event: str) -> list[tuple[int, Any]]:
        """Return who has an entry for the event, with the entry's terms."""
        return [(who, terms) for (who, one), terms in self._entries.items() if one == event]

    def terms(self, who: int, event: str) -> Any:
        """Return the terms of an entry that is there."""
        return self._entries[who, event]

    def events(self) -> list[str]:
        """Return the events of all entries, each once."""
        return list(dict.fromkeys(event for _, event in self._entries))

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Iterate over the entries."""
        return iter(self._entries)

    def __len__(self) -> int:
        """How many entries there are."""
        return len(self._entries)
