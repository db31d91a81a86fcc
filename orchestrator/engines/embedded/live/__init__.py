# SPDX-License-Identifier: Apache-2.0
"""A simulation that Python drives step by step; `orchestrator.live` is its public place.

One process of the kernel, which stands still between two calls (kernel/run/door.h).
"""

from orchestrator.engines.embedded.live.simulation import MOST_ADDED, MOST_TYPES, Live
from orchestrator.engines.embedded.live.values import LiveMote, Output, SimulationEnded, Stage

__all__ = ["MOST_ADDED", "MOST_TYPES", "Live", "LiveMote", "Output", "SimulationEnded", "Stage"]
