# SPDX-License-Identifier: Apache-2.0
"""The interfaces of a Cooja mote: names, full class names, and make variables that omit their drivers."""

from __future__ import annotations

_CONTIKI = "org.contikios.cooja.contikimote.interfaces"
_COMMON = "org.contikios.cooja.interfaces"

# In the order in which Cooja itself adds them to a new mote type.
INTERFACES: dict[str, str] = {
    "Position": f"{_COMMON}.Position",
    "Battery": f"{_COMMON}.Battery",
    "ContikiVib": f"{_CONTIKI}.ContikiVib",
    "ContikiMoteID": f"{_CONTIKI}.ContikiMoteID",
    "ContikiRS232": f"{_CONTIKI}.ContikiRS232",
    "ContikiBeeper": f"{_CONTIKI}.ContikiBeeper",
    "IPAddress": f"{_COMMON}.IPAddress",
    "ContikiRadio": f"{_CONTIKI}.ContikiRadio",
    "ContikiButton": f"{_CONTIKI}.ContikiButton",
    "ContikiPIR": f"{_CONTIKI}.ContikiPIR",
    "ContikiClock": f"{_CONTIKI}.ContikiClock",
    "ContikiLED": f"{_CONTIKI}.ContikiLED",
    "ContikiCFS": f"{_CONTIKI}.ContikiCFS",
    "ContikiEEPROM": f"{_CONTIKI}.ContikiEEPROM",
    "Mote2MoteRelations": f"{_COMMON}.Mote2MoteRelations",
    "MoteAttributes": f"{_COMMON}.MoteAttributes",
}
STANDARD_INTERFACES: tuple[str, ...] = tuple(INTERFACES)

# Cooja adds this to $(MAKE) for each interface that a mote type lacks (interfaces without a driver have
# none).
MAKE_FLAGS: dict[str, str] = {
    "ContikiVib": "COOJA_VIB_SENSOR=0",
    "ContikiRS232": "COOJA_SERIAL=0",
    "ContikiBeeper": "COOJA_BEEP=0",
    "IPAddress": "COOJA_IP=0",
    "ContikiRadio": "COOJA_RADIO=0",
    "ContikiButton": "COOJA_BUTTON=0",
    "ContikiPIR": "COOJA_PIR_SENSOR=0",
    "ContikiLED": "COOJA_LED=0",
    "ContikiCFS": "COOJA_CFS=0",
    "ContikiEEPROM": "COOJA_EEPROM=0",
}

SIMPLE = {full: simple for simple, full in INTERFACES.items()}  # simple names by full class names


def make_flags(interfaces: tuple[str, ...]) -> list[str]:
    """Return what Cooja adds to $(MAKE) for a mote type with these interfaces."""
    return [flag for name, flag in MAKE_FLAGS.items() if name not in interfaces]
