# SPDX-License-Identifier: Apache-2.0
"""Currents of the paper's platform, RCB128RFA1: the 2.4 GHz transceiver of an ATmega128RFA1.

Source: Atmel, ATmega128RFA1 datasheet (8266), features and electrical characteristics of the transceiver, at 3 V and
25 degrees C. The microcontroller's own current is left out: computing takes no time in the simulation.
"""

from __future__ import annotations

SUPPLY_V = 3.0

# transceiver state -> mA
CURRENT_MA = {
    "RX_ON": 12.5,  # listening and receiving
    "BUSY_TX": 14.5,  # at the largest transmit power, 3.5 dBm
    "TRX_OFF": 0.4,
    "SLEEP": 0.00002,
}

# state of an `nrg` record (Contiki's energest) -> transceiver state; Contiki's driver lets the transceiver sleep when
# the radio is off. States of the microcontroller (cpu, lpm) have no entry.
STATES = {"listen": "RX_ON", "transmit": "BUSY_TX", "off": "SLEEP"}
