# SPDX-License-Identifier: Apache-2.0
"""Cooja's class names as they stand in .csc files: what we run, what we know but refuse, what was renamed.

Simple names are unique within each table; `full` and `simple` translate. Names from before 2013 start with `se.sics`
instead of `org.contikios`; Cooja translates them, and so do we.
"""

from __future__ import annotations

_CONTIKI = "org.contikios.cooja.contikimote.interfaces"
_COMMON = "org.contikios.cooja.interfaces"

CONTIKI_MOTE_TYPE = "org.contikios.cooja.contikimote.ContikiMoteType"
UDGM = "org.contikios.cooja.radiomediums.UDGM"
SCRIPT_RUNNER = "org.contikios.cooja.plugins.ScriptRunner"

# Interfaces of a Cooja mote, in the order in which Cooja itself adds them to a new mote type.
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
DEFAULT_INTERFACES: tuple[str, ...] = tuple(INTERFACES)

# The make variable that leaves an interface's driver out of the firmware; Cooja adds it to $(MAKE) for each
# interface that a mote type lacks (interfaces without a driver have none).
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

# Older names of interfaces; None: the interface is gone and Cooja ignores it.
RENAMED_INTERFACES: dict[str, str | None] = {
    f"{_CONTIKI}.ContikiIPAddress": f"{_COMMON}.IPAddress",
    f"{_COMMON}.RimeAddress": None,
}

# Other things that Cooja has and this version does not run.
OTHER_MEDIA = frozenset({
    "org.contikios.cooja.radiomediums.UDGMConstantLoss",
    "org.contikios.cooja.radiomediums.DirectedGraphMedium",
    "org.contikios.cooja.radiomediums.SilentRadioMedium",
    "org.contikios.cooja.radiomediums.LogisticLoss",
    "org.contikios.mrm.MRM",
})
OTHER_MOTE_TYPES = frozenset({
    "org.contikios.cooja.motes.ImportAppMoteType",
    "org.contikios.cooja.motes.DisturberMoteType",
    "org.contikios.cooja.mspmote.SkyMoteType",
    "org.contikios.cooja.mspmote.Z1MoteType",
    "org.contikios.cooja.mspmote.Exp5438MoteType",
    "org.contikios.cooja.mspmote.MspExp430Fr5969MoteType",
})
# Plugins that act in a headless run, and change what a run does or writes.
HEADLESS_PLUGINS = frozenset({
    "org.contikios.cooja.plugins.PowerTracker",
    "PowerTracker",
    "org.contikios.cooja.plugins.Mobility",
    "Mobility",
    "org.contikios.cooja.serialsocket.SerialSocketServer",
    "org.contikios.cooja.serialsocket.SerialSocketClient",
})
# Plugins that exist only in the window (headless Cooja skips them), and old ones that Cooja itself drops.
WINDOW_PLUGINS = frozenset(
    [f"org.contikios.cooja.plugins.{name}" for name in (
        "Visualizer", "LogListener", "TimeLine", "MoteInformation", "MoteInterfaceViewer", "VariableWatcher",
        "RadioLogger", "Notes", "BufferListener", "DGRMConfigurator", "BaseRSSIconf",
        "SimControl", "SimInformation", "MoteTypeInformation", "EventListener",
        "VisUDGM", "VisBattery", "VisTraffic", "VisState",
    )]
    + [f"org.contikios.cooja.mspmote.plugins.{name}" for name in (
        "MspCLI", "MspCodeWatcher", "MspStackWatcher", "MspCycleWatcher",
    )]
)
# Extensions that are part of Cooja itself now; it ignores their <project> elements.
BUILT_IN_PROJECTS = frozenset({
    "[APPS_DIR]/mrm", "[APPS_DIR]/mspsim", "[APPS_DIR]/powertracker", "[APPS_DIR]/serial_socket",
})

_SIMPLE = {full: simple for simple, full in INTERFACES.items()}


def today(name: str) -> str:
    """The class name without surrounding space, its package as named today."""
    name = name.strip()
    return "org.contikios" + name[len("se.sics"):] if name.startswith("se.sics.") else name


def full(simple: str) -> str | None:
    """The full class name of an interface, None if there is none of that name."""
    return INTERFACES.get(simple)


def simple(name: str) -> str | None:
    """The simple name of an interface's full class name, None if it is not one of a Cooja mote."""
    return _SIMPLE.get(name)
