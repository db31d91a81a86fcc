# SPDX-License-Identifier: Apache-2.0
"""Definitions 1 to 3 of Stelte (2010), section 2.5: the bits of an event, its subscribers and its values."""

from __future__ import annotations

from math import ceil

from orchestrator.papers.data import Data

data = Data(__file__)
CONCEPTS = ("static", "dynamic", "mixed")
TITLES = {"static": "static", "dynamic": "dynamic", "mixed": "combined"}
A_FRAME = 6  # subscribers of a management frame


def bits(concept: str, subscribers: int, values: int = 1) -> int:
    """Return the bits of an event by definition 1, 2 or 3."""
    given = data.load("published.yaml")["definitions"][concept]
    if concept == "mixed":
        return mixed(frames(subscribers), values)
    return given["subscriber"] * subscribers + given["event"] + given["value"] * values


def mixed(frames: int, values: int = 1) -> int:
    """Return the bits of an event of the combination (definition 3) with so many management frames."""
    given = data.load("published.yaml")["definitions"]["mixed"]
    return given["value"] * values + (given["frame"] + given["subscribers"] * given["subscriber"]) * frames


def frames(subscribers: int) -> int:
    """Return the management frames by definition 3: six subscribers to a frame, rounded up."""
    return ceil(subscribers / A_FRAME)


def frames_with_forwarding(subscribers: int) -> int:
    """Return the management frames by section 3, where f frames hold 5 f + 1 subscribers.

    Each sub-event takes a forwarding subscription in the frame above it.
    """
    return max(1, ceil((subscribers - 1) / (A_FRAME - 1)))


def events(concept: str, subscribers: int, values: int = 1) -> int:
    """Return how many events with so many subscribers each fit in Figure 2's memory."""
    return data.load("published.yaml")["memory"] * 8 // bits(concept, subscribers, values)
