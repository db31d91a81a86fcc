# SPDX-License-Identifier: Apache-2.0
"""Firmware for Cooja's motes: make's name for it, and the version of its contract.

Cooja of Contiki-NG 5.0 passes that version to make.
"""

COOJA = "cooja"
COOJA_VERSION = "2023090701"
