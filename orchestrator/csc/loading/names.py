# SPDX-License-Identifier: Apache-2.0
"""The names that each Cooja knows (mote types with their interfaces, radio media, plugins) and what became of others.

Read in Cooja at 2b9b0bf9 (rules 5.0) and b980125c (rules 2026.07). No extension of the user's is known here.
"""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.csc import classes, interfaces
from orchestrator.csc.classes import WINDOW_PLUGINS
from orchestrator.engines.model import RULES

VERSION = "2023090101"  # of the form that both write

_COMMON = "org.contikios.cooja.interfaces."
_MSP = "org.contikios.cooja.mspmote.interfaces."
_EVERY = tuple(_COMMON + name for name in ("Position", "IPAddress", "Mote2MoteRelations", "MoteAttributes"))
_EVERY_MSP = (*_EVERY, *(_MSP + name for name in ("MspClock", "MspMoteID", "MspDebugOutput")))
_802154 = (_MSP + "Msp802154Radio", _MSP + "Msp802154BitErrorRadio")


@dataclass(frozen=True)
class MoteKind:
    """A class of mote types: the make target that its firmware is of, the interfaces that it may list.

    `compiler`: what its target is built with, None for the host's own. `identity`: the interface that holds the mote's id, `clock` its time.
    """

    target: str
    interfaces: frozenset[str]
    compiler: str | None
    identity: str
    clock: str
    firmware_alone: bool  # runs a firmware file without a source

    @classmethod
    def msp(cls, target: str, *more: str, every: tuple[str, ...] = (*_EVERY_MSP, *_802154)) -> MoteKind:
        return cls(target, frozenset((*every, *(_MSP + name for name in more))), "msp430-gcc", _MSP + "MspMoteID",
                   _MSP + "MspClock", True)


COOJA_MOTE = MoteKind("cooja", frozenset(interfaces.INTERFACES.values()), None, interfaces.INTERFACES["ContikiMoteID"],
                      interfaces.INTERFACES["ContikiClock"], False)
_MOTE_TYPES = {
    classes.CONTIKI_MOTE_TYPE: COOJA_MOTE,
    "org.contikios.cooja.mspmote.SkyMoteType":
        MoteKind.msp("sky", "SkyButton", "SkyFlash", "SkyCoffeeFilesystem", "MspSerial", "MspLED", "SkyTemperature"),
    # MspSerial is not offered for a Z1, but taken.
    "org.contikios.cooja.mspmote.Z1MoteType": MoteKind.msp("z1", "MspButton", "MspDefaultSerial", "MspLED", "MspSerial"),
}
_MOTE_TYPES_2026 = {
    "org.contikios.cooja.mspmote.MspExp430Fr5969MoteType": MoteKind.msp(
        "msp-exp430fr5969", "MspButton", "MspDefaultSerial", "MspExp430Fr5969LED",
        every=tuple(name for name in _EVERY_MSP if not name.endswith("IPAddress"))),
}
# Made of a Java class: no firmware, no interfaces of their own in the file.
JAVA_MOTE_TYPES = frozenset({"org.contikios.cooja.motes.ImportAppMoteType", "org.contikios.cooja.motes.DisturberMoteType"})

MRM = "org.contikios.mrm.MRM"
MEDIA = frozenset({classes.UDGM, classes.UDGM_CONSTANT_LOSS, classes.DIRECTED_GRAPH, classes.LOGISTIC_LOSS,
                   classes.SILENT}) | classes.OTHER_MEDIA
SERIAL_SOCKETS = frozenset({"org.contikios.cooja.serialsocket.SerialSocketServer",
                            "org.contikios.cooja.serialsocket.SerialSocketClient"})
MOBILITY = "org.contikios.cooja.plugins.Mobility"
_ACTING = frozenset({classes.SCRIPT_RUNNER, MOBILITY, "org.contikios.cooja.plugins.PowerTracker"}) | SERIAL_SOCKETS

_PLUGINS = "org.contikios.cooja.plugins."
# Cooja passes over these in silence.
DROPPED_PLUGINS = frozenset(_PLUGINS + name for name in ("SimControl", "SimInformation", "MoteTypeInformation", "EventListener"))
VISUALIZERS = frozenset(_PLUGINS + name for name in ("VisUDGM", "VisBattery", "VisTraffic", "VisState"))
VISUALIZER = _PLUGINS + "Visualizer"
SKIPPED_PLUGINS = WINDOW_PLUGINS - DROPPED_PLUGINS - VISUALIZERS

# What was renamed and Cooja does not know by its old name any more.
RENAMED_PLUGINS = {
    "Mobility": MOBILITY,
    "PowerTracker": _PLUGINS + "PowerTracker",
    "SerialSocketServer": "org.contikios.cooja.serialsocket.SerialSocketServer",
    "SerialSocketClient": "org.contikios.cooja.serialsocket.SerialSocketClient",
}
# Only showed or recorded: a simulation runs the same without them.
REMOVED_VIEWERS = {
    _PLUGINS + "collectview.CollectView": "the collect view is gone from Cooja",
    "be.cetic.cooja.plugins.RadioLoggerHeadless": "an extension that recorded frames; `orchestrate` writes a pcap itself",
}
# Gone, and a simulation that had them needs something else: no program can decide what.
REMOVED_PLUGINS = {
    _PLUGINS + "NativeIPGateway": "its successor is a SerialSocketServer with tunslip6 at the other end",
}
REMOVED_MOTE_TYPES = {
    "org.contikios.cooja.mspmote.Exp5438MoteType": "Cooja has left its registration out; use a Z1 or a Cooja mote",
    "org.contikios.cooja.mspmote.WismoteMoteType": "Cooja has removed it; use a Z1 or a Cooja mote",
    "org.contikios.cooja.mspmote.ESBMoteType": "Cooja has removed it; use a Sky or a Cooja mote",
    "org.contikios.cooja.avrmote.MicaZMoteType": "Cooja has removed its AVR motes; use a Sky or a Cooja mote",
    "org.contikios.cooja.avrmote.RSS2MoteType": "Cooja has removed its AVR motes; use a Sky or a Cooja mote",
}
REMOVED_MEDIA = {"org.contikios.cooja.radiomediums.StandardRadioMedium": classes.UDGM}

# Interfaces by their old names; Cooja translates them in a mote type's list, but not in a mote's configuration.
RENAMED_INTERFACES = {
    "org.contikios.cooja.contikimote.interfaces.ContikiIPAddress": _COMMON + "IPAddress",
    _MSP + "MspIPAddress": _COMMON + "IPAddress",
    _MSP + "ESBLog": _MSP + "MspSerial",
    _MSP + "SkySerial": _MSP + "MspSerial",
    _MSP + "SkyLED": _MSP + "MspLED",
    _MSP + "SkyByteRadio": _MSP + "Msp802154Radio",
}
DROPPED_INTERFACE = _COMMON + "RimeAddress"
# Classes that an interface of each mote is of: a configuration under such a name finds it.
ABSTRACT_INTERFACES = frozenset(_COMMON + name for name in ("Beeper", "Button", "Clock", "LED", "PIR", "Radio", "SerialPort", "Log"))
# Mote ids of other mote types: Cooja gives such a configuration to whatever interface holds the id.
MOTE_ID_SUFFIX = "MoteID"


def mote_types(rules: str) -> dict[str, MoteKind]:
    return _MOTE_TYPES | (_MOTE_TYPES_2026 if rules == RULES[1] else {})


def acts_headless(plugin: str) -> bool:
    """Whether a plugin of that class name is started in a headless run."""
    return plugin in _ACTING
