# SPDX-License-Identifier: Apache-2.0
"""The places where the thesis contradicts itself or leaves a choice, each with its readings.

The defaults work. The others follow the text or the pseudo-code to the letter, so that their effects can be
measured.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

# Option -> reading -> its effect.
READINGS: dict[str, dict[str, str]] = {
    "formation": {
        "at-once": "the controller instructs every gateway, then waits for all answers",
        "as-written": "5.1: the controller instructs the next gateway only when the one before has answered, "
        "and that one answers only when its children have connected, which nobody has told yet: "
        "every tree of more than one gateway waits for itself",
    },
    "propagation": {
        "per-neighbour": "a neighbour hears of an event as soon as anybody but itself needs it, once",
        "flag": "5.3.2's text: an event that was propagated once is never propagated again, so that the "
        "neighbour from which the first request came is never asked for it",
        "subscribe-table": "5.3.2's pseudo-code: a request is propagated unless the Subscribe table has the "
        "event already; searched before the new entry is made; a request can be repeated",
        "subscribe-table-after": "5.3.1's step 3, then 5.3.2's pseudo-code to the letter: the entry is made "
        "before the search finds it, so that a local subscription is never propagated",
    },
    "relay": {
        "relay": "4.2 and 5.4.2: an event from another gateway goes on to the gateways that requested it",
        "deliver-only": "5.4.1's pseudo-code: an event from another gateway goes to the base station and no "
        "further, so that the root of three forwards nothing",
    },
    "sender": {
        "excluded": "an event never goes back to the gateway that it came from",
        "included": "5.4.2's pseudo-code: an event goes to every gateway in the Event_Request table, the "
        "one that it came from too; two gateways that both requested it send it back and forth",
    },
    "delivery": {
        "once": "5.4.1's pseudo-code: the base station gets an event once, for all of its consumers",
        "each": "the base station gets an event once for each consumer",
    },
}


@dataclass(frozen=True)
class Readings:
    """One reading for each option. Raises ValueError for an option's unknown reading."""

    formation: str = "at-once"
    propagation: str = "per-neighbour"
    relay: str = "relay"
    sender: str = "excluded"
    delivery: str = "once"

    def __post_init__(self) -> None:
        """Refuse what READINGS doesn't list."""
        mine = [(one.name, getattr(self, one.name)) for one in fields(self)]
        wrong = [
            f"{name} is {value!r}: one of {', '.join(READINGS[name])}"
            for name, value in mine
            if value not in READINGS[name]
        ]
        if wrong:
            raise ValueError("; ".join(wrong))


DEFAULTS = Readings()
