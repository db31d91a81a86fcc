# SPDX-License-Identifier: Apache-2.0
"""Lists the engines, simulators and testbeds, and the rules that simulators follow."""

from __future__ import annotations

from orchestrator import feature

SIMULATORS = ("embedded", "cooja")  # the engines that run .csc files
RULES = ("5.0", "2026.07")  # Cooja as Contiki-NG 5.0 pins it, and with the collision rules corrected since
DEFAULT_RULES = RULES[0]


def engines() -> dict[str, str]:
    """Return the engines: name -> its module. Engines of features don't run .csc files."""
    return feature.named("engines")
