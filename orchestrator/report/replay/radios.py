# SPDX-License-Identifier: Apache-2.0
"""Adds the states of the radios to a replay, which shows them as strips in its timeline."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from orchestrator.report.replay.columns import Trace

STATES = ("off", "listening", "receiving", "interfered", "transmitting")
_LONGEST = 2**32 - 1  # us that a column can hold; a longer state is repeated


def with_radios(trace: Trace, changes: Iterable[tuple[int, int, str]], sim_us: int) -> Trace:
    """Return the trace with the radios' states.

    `changes`: (time in us, mote, state that begins), in order of time. The last states end at `sim_us`.
    """
    places = {mote[0]: place for place, mote in enumerate(trace.facts["motes"])}
    steps: list[list[int]] = [[] for _ in places]
    states: list[list[int]] = [[] for _ in places]
    last = [0] * len(places)
    for time, mote, state in changes:
        if mote not in places or state not in STATES:
            continue
        place, code = places[mote], STATES.index(state)
        while time - last[place] > _LONGEST:
            steps[place].append(_LONGEST)
            states[place].append(states[place][-1] if states[place] else 0)
            last[place] += _LONGEST
        steps[place].append(time - last[place])
        states[place].append(code)
        last[place] = time
    return replace(
        trace,
        facts=trace.facts | {"radio_us": sim_us},
        columns=trace.columns
        | {
            "radio_first": np.cumsum([0, *map(len, steps)]).astype(np.uint32),
            "radio_step": np.array([step for mote in steps for step in mote], dtype=np.uint32),
            "radio_state": np.array([state for mote in states for state in mote], dtype=np.uint8),
        },
    )
