# SPDX-License-Identifier: Apache-2.0
"""What the blackboard and the threads take on a microcontroller for eight events with six subscribers
each."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from orchestrator.build import sizes
from orchestrator.build.machines import MACHINES
from orchestrator.errors import MissingTool

APPLICATION = Path(__file__).parent / "eight_events"
DEFINITION_3 = 8 * (32 + 56 + 6 * 96) // 8  # bytes (Stelte 2010, 2.5)


@cache
def linked(name: str, flags: str = "") -> dict[str, sizes.Part]:
    machine = MACHINES[name]
    try:
        machine.compiler()
    except MissingTool as missing:
        pytest.skip(str(missing))
    return {part.name: part for part in sizes.application(APPLICATION, machine, {"CFLAGS": flags})}


def code(parts: dict[str, sizes.Part]) -> int:
    return sum(parts[f"middleware/{module}"].linked.flash() for module in ("threads", "blackboard"))


def test_with_the_scheduler_under_6_kb_on_a_cortex_m3():
    parts = linked("cortex-m3")
    variables = {name: size for size, _, name in parts["middleware/blackboard"].symbols}
    assert code(parts) < 6 * 1024
    assert variables["blackboard_frames"] + variables["blackboard_array"] == DEFINITION_3
    # Apart: deadlines, t_published, the queue of commands, the thread's stack.
    assert variables["blackboard_deadlines"] == 8 * 6 * 4
    assert variables["blackboard_published_at"] == 8 * 4


def test_sub_events_cost_code_only_where_there_can_be_any():
    """With them, and on an AVR, the module doesn't keep to 6 KB."""
    assert 300 < code(linked("cortex-m3", "-DCONDITIONS=2")) - code(linked("cortex-m3")) < 1100


def test_the_words_are_the_same_on_an_avr():
    variables = {name: size for size, _, name in linked("avr")["middleware/blackboard"].symbols}
    assert variables["blackboard_frames"] + variables["blackboard_array"] == DEFINITION_3
