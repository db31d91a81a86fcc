# SPDX-License-Identifier: Apache-2.0
"""A simulation that Python drives step by step; `orchestrator.live` is its public place.

One process of the kernel, which stands still between two calls (kernel/run/door.h).
"""

from orchestrator.engines.embedded.live.callbacks import CallbackHung, call
from orchestrator.engines.embedded.live.driver import time_us
from orchestrator.engines.embedded.live.simulation import MOST_ADDED, MOST_TYPES, Live
from orchestrator.engines.embedded.live.values import (
    Frame,
    LiveMote,
    MoteState,
    Output,
    SimulationEnded,
    Stage,
)

__all__ = [
    "MOST_ADDED",
    "MOST_TYPES",
    "CallbackHung",
    "Frame",
    "Live",
    "LiveMote",
    "MoteState",
    "Output",
    "SimulationEnded",
    "Stage",
    "call",
    "time_us",
]
