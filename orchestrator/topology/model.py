# SPDX-License-Identifier: Apache-2.0
"""A layout: where nodes stand and which way events flow. Made by the shapes in this folder, used by all."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Node:
    """One mote of a layout.

    `mote` is its Cooja id (1-based, unique), `name` what the report calls it ("S", "P3", "C"), `role` one of
    "subscriber", "publisher", "relay", "control" (an application may use others), `x` and `y` metres,
    `parent` the mote id of the next hop towards the subscriber, 0 for none. Where a layout has two topics,
    `topic` is the one that a publisher publishes on, and `second` the next hop of the second one's events, 0
    if that is `parent`. `also` is a second role ("publisher" of a subscriber), "" for none; `dies`: the run
    lets it die.
    """

    mote: int
    name: str
    role: str
    x: float
    y: float
    parent: int = 0
    topic: int = 1
    second: int = 0
    also: str = ""
    dies: bool = False


@dataclass(frozen=True)
class Layout:
    """Nodes in mote-id order and the shape they came from."""

    shape: str
    nodes: tuple[Node, ...]
