# SPDX-License-Identifier: Apache-2.0
"""Lists the currents of the paper's platform, RCB128RFA1: the 2.4 GHz transceiver of an ATmega128RFA1.

RX_ON and BUSY_TX are in a distributor's listing of the chip. These two and SLEEP are in the simulator
AVRORA's model of it (class ATmega128RFA1Energy, by David Kopf; 25 degrees C). They were not compared with the
table of Atmel's datasheet (8266), which was not at hand. The microcontroller's currents were measured in the
slides "ATmega128RFA1 Power Measurement" (by "ami", on SlideServe): sensing without the transceiver, and
power-down with the watchdog on; the supply voltage is not given there. They count only for motes with
threads, because elsewhere computing takes no time in the simulation.
"""

from __future__ import annotations

SUPPLY_V = 3.0

# transceiver state -> mA
CURRENT_MA = {
    "RX_ON": 12.5,  # listening and receiving
    "BUSY_TX": 14.5,  # at the largest transmit power, 3.5 dBm
    "SLEEP": 0.00002,  # 20 nA
}

# state of an `nrg` record -> mA of the microcontroller
MCU_MA = {
    "cpu": 4.2,  # active
    "lpm": 0.0008,  # 800 nA, power-down
}

# state of an `nrg` record (Contiki's energest) -> transceiver state; Contiki's driver lets the transceiver
# sleep when the radio is off.
STATES = {"listen": "RX_ON", "transmit": "BUSY_TX", "off": "SLEEP"}

# state of a radio as the embedded engine tells it (and Cooja's PowerTracker) -> transceiver state
RADIO_STATES = {
    "off": "SLEEP",
    "listening": "RX_ON",
    "receiving": "RX_ON",
    "interfered": "RX_ON",
    "transmitting": "BUSY_TX",
}


def energy_mj(states_us: dict[str, int], model: dict[str, str] = STATES) -> float | None:
    """Return the transceiver's energy in mJ for the us in each state; None if the model knows no state."""
    # us * mA * V = nJ; 1e-6 makes it mJ
    known = [
        CURRENT_MA[radio] * SUPPLY_V * 1e-6 * states_us[state]
        for state, radio in model.items()
        if state in states_us
    ]
    return sum(known) if known else None
