# SPDX-License-Identifier: Apache-2.0
"""From a publication to the subscriber's first instruction, executed on an emulated Cortex-M3: how many
passes of the scheduler it takes, and how many instructions, by events (Stelte 2010, section 5.4: O(n) in the
events)."""

from __future__ import annotations

from pathlib import Path

import cortex_m3
import pytest
from c_tests import HOST, MIDDLEWARE

from tests import needs

needs.a_program(cortex_m3.EMULATOR)

STATIC, DYNAMIC, COMBINED = 1, 2, 3  # blackboard-conf.h
SIZES = (4, 8, 16)
MOST_ALONE, MOST_TOGETHER = 15_000, 80_000  # instructions, at the largest of SIZES
PROGRAM = Path(__file__).parent / "preemption" / "publish_to_notified.c"
MODULES = ("threads", "blackboard")
CONTIKI = ("thread-contiki.c", "thread-log.c", "blackboard-log.c")  # need Contiki's processes and printf


def way(folder: Path, concept: int, events: int, subscribers: int) -> list[list[tuple[str, int]]]:
    """Of the last event published alone, and of all of them together: the functions entered on the way, with
    the instructions executed since the publisher's call."""
    sources = [
        path
        for name in MODULES
        for path in sorted((MIDDLEWARE / name).glob("*.c"))
        if path.name not in CONTIKI
    ]
    program = cortex_m3.build(
        folder,
        [*sources, PROGRAM],
        [*(MIDDLEWARE / name for name in MODULES), HOST],
        {
            "BLACKBOARD_CONF_CONCEPT": str(concept),
            "SUBSCRIBERS": str(subscribers),
            "BLACKBOARD_CONF_QUEUE": str(max(events, 2)),
            "BLACKBOARD_CONF_EVENTS(X)": " ".join(f"X({event}, SIGNED, 1, 6)" for event in range(events)),
        },
    )
    ways: list[list[tuple[str, int]]] = []
    for name, at in cortex_m3.entries(program, ("test_publishes", "test_notified", "thread_switch_enter")):
        if name == "test_publishes":
            ways.append([])
            began = at
        if ways:
            ways[-1].append((name, at - began))
    return ways


@pytest.mark.parametrize(
    ("concept", "subscribers"), [(COMBINED, 1), (COMBINED, 6), (DYNAMIC, 6), (STATIC, 6)]
)
def test_instructions_grow_with_the_events(concept, subscribers, tmp_path):
    alone, together = [], []
    for events in SIZES:
        one, every = way(tmp_path, concept, events, subscribers)
        for found in (one, every):  # one pass: the blackboard's thread, then the subscriber's, nobody between
            assert [name for name, _ in found[:4]] == [
                "test_publishes",
                "thread_switch_enter",
                "thread_switch_enter",
                "test_notified",
            ]
        alone.append(one[3][1])
        together.append(every[3][1])
    print(
        f"concept {concept}, {subscribers} subscribers, {SIZES} events: one published {alone}, all published "
        f"{together}"
    )
    for counts, most in ((alone, MOST_ALONE), (together, MOST_TOGETHER)):
        each = [(b - a) / (y - x) for a, b, x, y in zip(counts, counts[1:], SIZES, SIZES[1:], strict=False)]
        assert max(each) <= 1.15 * min(each)  # about as many for every event: O(events)
        assert counts[-1] < most
