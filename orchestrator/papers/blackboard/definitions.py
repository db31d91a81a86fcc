# SPDX-License-Identifier: Apache-2.0
"""Definitions 1 to 3 of Stelte (2010), section 2.5: bits of one event with its subscribers and published
values.
"""

from __future__ import annotations

from math import ceil

from orchestrator.papers.data import Data

data = Data(__file__)
CONCEPTS = ("static", "dynamic", "mixed")
TITLES = {"static": "static", "dynamic": "dynamic", "mixed": "combined"}
A_FRAME = 6  # subscribers of a management frame


def bits(concept: str, subscribers: int, values: int = 1) -> int:
    """Of one event, to the letter of definition 1, 2 or 3."""
    given = data.load("published.yaml")["definitions"][concept]
    if concept == "mixed":
        return mixed(frames(subscribers), values)
    return given["subscriber"] * subscribers + given["event"] + given["value"] * values


def mixed(frames: int, values: int = 1) -> int:
    """Of one event of the combination that takes so many management frames."""
    given = data.load("published.yaml")["definitions"]["mixed"]
    return given["value"] * values + (given["frame"] + given["subscribers"] * given["subscriber"]) * frames


def frames(subscribers: int) -> int:
    """Definition 3's: six subscribers to a frame, rounded up."""
    return ceil(subscribers / A_FRAME)


def frames_with_forwarding(subscribers: int) -> int:
    """By section 3: each sub-event costs a forwarding subscription in the frame above it, so f frames hold 5
    f + 1.
    """
    return max(1, ceil((subscribers - 1) / (A_FRAME - 1)))


def octets(bits: int) -> int:
    """Whole bytes that hold so many bits."""
    return ceil(bits / 8)


def events(concept: str, subscribers: int, values: int = 1) -> int:
    """How many events with that many subscribers each have room in Figure 2's memory."""
    return data.load("published.yaml")["memory"] * 8 // bits(concept, subscribers, values)
