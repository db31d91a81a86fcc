# SPDX-License-Identifier: Apache-2.0
"""The class names in .csc files: which each Cooja knows, what replaced them, which the engine runs.

Read in Cooja at 2b9b0bf9 (rules 5.0) and b980125c (rules 2026.07). No extension of the user's is known here.
Names from before 2013 start with `se.sics` instead of `org.contikios`; Cooja translates them, and so do we.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from orchestrator.csc import interfaces
from orchestrator.vocabulary.simulators import RULES

VERSION = "2023090101"  # of the form that both write

_COMMON = "org.contikios.cooja.interfaces."
_MSP = "org.contikios.cooja.mspmote.interfaces."
_MSP_MOTES = "org.contikios.cooja.mspmote."
_MEDIA = "org.contikios.cooja.radiomediums."
_PLUGINS = "org.contikios.cooja.plugins."

UDGM, UDGM_CONSTANT_LOSS, LOGISTIC_LOSS = (
    _MEDIA + "UDGM",
    _MEDIA + "UDGMConstantLoss",
    _MEDIA + "LogisticLoss",
)
DIRECTED_GRAPH, DIRECTED_GRAPH_DESTINATION = _MEDIA + "DirectedGraphMedium", _MEDIA + "DGRMDestinationRadio"
SILENT = _MEDIA + "SilentRadioMedium"
MRM = "org.contikios.mrm.MRM"
OTHER_MEDIA = frozenset({MRM})  # that the embedded engine does not run
MEDIA = frozenset({UDGM, UDGM_CONSTANT_LOSS, DIRECTED_GRAPH, LOGISTIC_LOSS, SILENT}) | OTHER_MEDIA
REMOVED_MEDIA = {_MEDIA + "StandardRadioMedium": UDGM}


class MoteKind(NamedTuple):
    """A class of mote types: the make target that its firmware is of, the interfaces that it may list.

    `compiler`: what its target is built with, None for the host's own. `identity`: the interface that holds
    the mote's id, `clock` its time.
    """

    target: str
    interfaces: frozenset[str]
    compiler: str | None
    identity: str
    clock: str
    firmware_alone: bool  # runs a firmware file without a source

    @classmethod
    def msp(cls, target: str, *more: str, without: str = "") -> MoteKind:
        every = [
            _COMMON + name
            for name in ("Position", "IPAddress", "Mote2MoteRelations", "MoteAttributes")
            if name != without
        ]
        own = ("MspClock", "MspMoteID", "MspDebugOutput", *more)
        return cls(
            target,
            frozenset((*every, *(_MSP + name for name in own))),
            "msp430-gcc",
            _MSP + "MspMoteID",
            _MSP + "MspClock",
            True,
        )


CONTIKI_MOTE_TYPE = "org.contikios.cooja.contikimote.ContikiMoteType"
SKY_MOTE_TYPE = _MSP_MOTES + "SkyMoteType"
COOJA_MOTE = MoteKind(
    "cooja",
    frozenset(interfaces.INTERFACES.values()),
    None,
    interfaces.INTERFACES["ContikiMoteID"],
    interfaces.INTERFACES["ContikiClock"],
    False,
)
_802154 = ("Msp802154Radio", "Msp802154BitErrorRadio")
_MOTE_TYPES = {
    CONTIKI_MOTE_TYPE: COOJA_MOTE,
    SKY_MOTE_TYPE: MoteKind.msp(
        "sky",
        *_802154,
        "SkyButton",
        "SkyFlash",
        "SkyCoffeeFilesystem",
        "MspSerial",
        "MspLED",
        "SkyTemperature",
    ),
    # MspSerial is not offered for a Z1, but taken.
    _MSP_MOTES + "Z1MoteType": MoteKind.msp(
        "z1", *_802154, "MspButton", "MspDefaultSerial", "MspLED", "MspSerial"
    ),
}
_MOTE_TYPES_2026 = {
    _MSP_MOTES + "MspExp430Fr5969MoteType": MoteKind.msp(
        "msp-exp430fr5969", "MspButton", "MspDefaultSerial", "MspExp430Fr5969LED", without="IPAddress"
    ),
}
# These are made of a Java class: they have no firmware, and no interfaces of their own in the file.
JAVA_MOTE_TYPES = frozenset(
    {"org.contikios.cooja.motes.ImportAppMoteType", "org.contikios.cooja.motes.DisturberMoteType"}
)
_EXP5438 = _MSP_MOTES + "Exp5438MoteType"
REMOVED_MOTE_TYPES = {
    _EXP5438: "Cooja has left its registration out; use a Z1 or a Cooja mote",
    _MSP_MOTES + "WismoteMoteType": "Cooja has removed it; use a Z1 or a Cooja mote",
    _MSP_MOTES + "ESBMoteType": "Cooja has removed it; use a Sky or a Cooja mote",
    "org.contikios.cooja.avrmote.MicaZMoteType": "Cooja has removed its AVR motes; use a Sky or a Cooja mote",
    "org.contikios.cooja.avrmote.RSS2MoteType": "Cooja has removed its AVR motes; use a Sky or a Cooja mote",
}


def mote_types(rules: str) -> dict[str, MoteKind]:
    """Return the mote types that a Cooja of these rules knows, by class name."""
    return _MOTE_TYPES | (_MOTE_TYPES_2026 if rules == RULES[1] else {})


# Classes that the embedded engine does not run.
OTHER_MOTE_TYPES = (JAVA_MOTE_TYPES | {*mote_types(RULES[1]), _EXP5438}) - {
    CONTIKI_MOTE_TYPE,
    SKY_MOTE_TYPE,
}

# Mote interfaces by their old names; Cooja translates them in a mote type's list, but not in a mote's
# configuration.
RENAMED_INTERFACES = {
    "org.contikios.cooja.contikimote.interfaces.ContikiIPAddress": _COMMON + "IPAddress",
    _MSP + "MspIPAddress": _COMMON + "IPAddress",
    _MSP + "ESBLog": _MSP + "MspSerial",
    _MSP + "SkySerial": _MSP + "MspSerial",
    _MSP + "SkyLED": _MSP + "MspLED",
    _MSP + "SkyByteRadio": _MSP + "Msp802154Radio",
}
POSITION = interfaces.INTERFACES["Position"]
DROPPED_INTERFACE = _COMMON + "RimeAddress"
# Classes that an interface of each mote is of: a configuration under such a name finds it.
ABSTRACT_INTERFACES = frozenset(
    _COMMON + name for name in ("Beeper", "Button", "Clock", "LED", "PIR", "Radio", "SerialPort", "Log")
)
# Mote ids of other mote types: Cooja gives such a configuration to whatever interface holds the id.
MOTE_ID_SUFFIX = "MoteID"

# Plugins that act in a headless run.
SCRIPT_RUNNER, MOBILITY, POWER_TRACKER = (
    _PLUGINS + "ScriptRunner",
    _PLUGINS + "Mobility",
    _PLUGINS + "PowerTracker",
)
SOCKET_SERVER, SOCKET_CLIENT = (
    f"org.contikios.cooja.serialsocket.SerialSocket{end}" for end in ("Server", "Client")
)
SERIAL_SOCKETS = frozenset({SOCKET_SERVER, SOCKET_CLIENT})
ACTING_PLUGINS = SERIAL_SOCKETS | {SCRIPT_RUNNER, MOBILITY, POWER_TRACKER}
# Cooja passes over these in silence.
DROPPED_PLUGINS = frozenset(
    _PLUGINS + name for name in ("SimControl", "SimInformation", "MoteTypeInformation", "EventListener")
)
VISUALIZER = _PLUGINS + "Visualizer"
OLD_VISUALIZERS = frozenset(_PLUGINS + name for name in ("VisUDGM", "VisBattery", "VisTraffic", "VisState"))
# Those of the window: a headless Cooja does not start them.
SKIPPED_PLUGINS = (
    OLD_VISUALIZERS
    | {VISUALIZER}
    | {
        _PLUGINS + name
        for name in (
            "LogListener",
            "TimeLine",
            "MoteInformation",
            "MoteInterfaceViewer",
            "VariableWatcher",
            "RadioLogger",
            "Notes",
            "BufferListener",
            "DGRMConfigurator",
            "BaseRSSIconf",
        )
    }
    | {f"{_MSP_MOTES}plugins.Msp{name}" for name in ("CLI", "CodeWatcher", "StackWatcher", "CycleWatcher")}
)
# Renamed classes that Cooja no longer knows by their old names.
RENAMED_PLUGINS = {
    "Mobility": MOBILITY,
    "PowerTracker": POWER_TRACKER,
    "SerialSocketServer": SOCKET_SERVER,
    "SerialSocketClient": SOCKET_CLIENT,
}
# Only showed or recorded: a simulation runs the same without them.
REMOVED_VIEWERS = {
    _PLUGINS + "collectview.CollectView": "the collect view is gone from Cooja",
    **{
        f"org.contikios.mrm.{name}": "a viewer of MRM, which Cooja does not know without a window"
        for name in ("AreaViewer", "FormulaViewer")
    },
    "be.cetic.cooja.plugins.RadioLoggerHeadless": "an extension that recorded frames; `orchestrate` writes a "
    "pcap itself",
}
# These are gone, and a simulation that had them needs something else, which no program can choose.
REMOVED_PLUGINS = {
    _PLUGINS + "NativeIPGateway": "its successor is a SerialSocketServer with tunslip6 at the other end",
}

# Extensions that are part of Cooja itself now; it ignores their <project> elements.
BUILT_IN_PROJECTS = frozenset(
    {
        "[APPS_DIR]/mrm",
        "[APPS_DIR]/mspsim",
        "[APPS_DIR]/powertracker",
        "[APPS_DIR]/serial_socket",
    }
)


def is_older(version: str) -> bool:
    """Whether a file of that version is of an older form than VERSION."""
    return re.fullmatch("[0-9]{1,19}", version) is not None and int(version) < int(VERSION)


def today(name: str) -> str:
    """Return the class name without surrounding space, its package as named today."""
    name = name.strip()
    return "org.contikios" + name[len("se.sics") :] if name.startswith("se.sics.") else name


@lru_cache(512)  # each of a hundred thousand motes names the same ones
def interface_today(name: str) -> str | None:
    """Return a mote interface's name of today, None for one that is gone."""
    name = today(name)
    return None if name == DROPPED_INTERFACE else RENAMED_INTERFACES.get(name, name)


def plugin_today(name: str) -> str:
    """Return a plugin's name of today; one that is gone keeps its own."""
    name = today(name)
    return VISUALIZER if name in OLD_VISUALIZERS else RENAMED_PLUGINS.get(name, name)


def short(name: str) -> str:
    """Return a class name without its package."""
    return name.rsplit(".")[-1]
