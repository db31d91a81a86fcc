# SPDX-License-Identifier: Apache-2.0
"""Blocks that the sections of this paper's page share."""

from __future__ import annotations

MODELLED = (
    "Modelled: computing takes the simulated time that the firmware says (cpu_use: 0.5 ms for each run of "
    "publisher, blackboard and subscriber, our assumption)."
)
