# SPDX-License-Identifier: Apache-2.0
"""Lists the engines, simulators and testbeds, and the rules that simulators follow."""

from __future__ import annotations

from orchestrator import feature

SIMULATORS = ("embedded", "cooja")  # the engines that run .csc files
RULES = ("5.0", "2026.07")  # Cooja as Contiki-NG 5.0 pins it, and with the collision rules corrected since
DEFAULT_RULES = RULES[0]
# The version of the contract between Cooja and a tree's make that both Coojas pass to make.
COOJA_VERSION = "2023090701"


def engines() -> dict[str, str]:
    """Return the engines: name -> its module. Engines of features don't run .csc files."""
    return feature.named("engines")
