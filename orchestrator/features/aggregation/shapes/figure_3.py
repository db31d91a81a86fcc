# SPDX-License-Identifier: Apache-2.0
"""Two topics, routed differently where they part.

Figure 3 of M. Schiefer, C. Steup and J. Kaiser (2013), "Real World Testing of Aggregation in
Publish/Subscribe Systems", section 4: R5 sends events of topic one to R3, where they meet those of the other
publisher of topic one, and events of topic two to R6, where they meet those of the other publisher of topic
two. With `routes: common` everything goes by R3, which sends more packets. The paper's P1,1 and P1,2 are P1
and P2, its P2,1 and P2,2 are P3 and P4. The positions are ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from orchestrator.topology.model import Layout
from orchestrator.topology.shape import Shape, choice, publisher, relay, spacing, subscriber

_STEP, _ASIDE = 0.8, 0.25  # of the spacing: keeps every link below it


def layout(parameters: Mapping[str, Any], range_m: float) -> Layout:
    """Place the nodes of the aggregation paper's Figure 3."""
    step, aside = _STEP * parameters["spacing"], _ASIDE * parameters["spacing"]
    r1, r2, r3, r4, r5, r6 = range(6, 12)
    by_topic = r6 if parameters["routes"] == "by-topic" else 0
    return Layout("figure-3", (
        subscriber(),
        publisher(1, 4 * step, aside, parent=r5),
        publisher(2, 4 * step, 3 * aside, parent=r4),
        replace(publisher(3, 4 * step, -aside, parent=r5), topic=2),
        replace(publisher(4, 3 * step, -2 * aside, parent=r6), topic=2),
        relay(r1, 1, step, aside, parent=1),
        relay(r2, 2, step, -aside, parent=1),
        relay(r3, 3, 2 * step, aside, parent=r1),
        relay(r4, 4, 3 * step, 2 * aside, parent=r3),
        replace(relay(r5, 5, 3 * step, 0.0, parent=r3), second=by_topic),
        relay(r6, 6, 2 * step, -aside, parent=r2),
    ))  # fmt: skip


SHAPE = Shape(
    "figure-3",
    "two topics that part at R5, each to meet its own (the aggregation paper's Figure 3)",
    (
        choice("routes", "by-topic", "common", help="whether R5 sends topic two by R6, or all by R3"),
        spacing(30.0, "longest link"),
    ),
    layout,
)
