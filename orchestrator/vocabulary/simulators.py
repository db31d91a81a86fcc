# SPDX-License-Identifier: Apache-2.0
"""Lists the engines, simulators and testbeds, and the rules that simulators follow."""

ENGINES = {
    "embedded": "orchestrator.engines.embedded.engine",
    "cooja": "orchestrator.engines.cooja.engine",
    "testbed": "orchestrator.engines.testbed.engine",
}  # name -> its module
SIMULATORS = ("embedded", "cooja")  # those that run .csc files
RULES = ("5.0", "2026.07")  # Cooja as Contiki-NG 5.0 pins it, and with the collision rules corrected since
DEFAULT_RULES = RULES[0]

# The version of the contract between Cooja and a tree's make that both Coojas pass to make.
COOJA_VERSION = "2023090701"
