# SPDX-License-Identifier: Apache-2.0
"""Simulations that a Python program drives step by step (docs/live.md).

`open` begins one with a .csc, a scenario's cell or a stored run. A `Live` is the simulation under way: time
goes on only in its calls, and the same calls give the same bytes in the log.
"""

from orchestrator.engines.embedded.live import (
    CallbackHung,
    Frame,
    Live,
    LiveMote,
    MoteState,
    Output,
    SimulationEnded,
    Stage,
    call,
    time_us,
)
from orchestrator.live.opening import open

__all__ = [
    "CallbackHung",
    "Frame",
    "Live",
    "LiveMote",
    "MoteState",
    "Output",
    "SimulationEnded",
    "Stage",
    "call",
    "open",
    "time_us",
]
