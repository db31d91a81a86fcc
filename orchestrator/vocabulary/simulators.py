# SPDX-License-Identifier: Apache-2.0
"""Which simulators there are, and whose rules they follow."""

ENGINES = {
    "embedded": "orchestrator.engines.embedded.engine",
    "cooja": "orchestrator.engines.cooja.engine",
}  # name -> its module
RULES = ("5.0", "2026.07")  # Cooja as Contiki-NG 5.0 pins it, and with the collision rules corrected since
DEFAULT_RULES = RULES[0]
