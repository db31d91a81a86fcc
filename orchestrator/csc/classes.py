# SPDX-License-Identifier: Apache-2.0
"""Cooja's class names as they stand in .csc files: what we run, what we know but refuse, what was renamed
(mote interfaces: interfaces.py). Names from before 2013 start with `se.sics` instead of `org.contikios`; Cooja
translates them, and so do we.
"""

from __future__ import annotations

CONTIKI_MOTE_TYPE = "org.contikios.cooja.contikimote.ContikiMoteType"
UDGM = "org.contikios.cooja.radiomediums.UDGM"
UDGM_CONSTANT_LOSS = "org.contikios.cooja.radiomediums.UDGMConstantLoss"
DIRECTED_GRAPH = "org.contikios.cooja.radiomediums.DirectedGraphMedium"
DIRECTED_GRAPH_DESTINATION = "org.contikios.cooja.radiomediums.DGRMDestinationRadio"
LOGISTIC_LOSS = "org.contikios.cooja.radiomediums.LogisticLoss"
SILENT = "org.contikios.cooja.radiomediums.SilentRadioMedium"
MOBILITY = "org.contikios.cooja.plugins.Mobility"
SCRIPT_RUNNER = "org.contikios.cooja.plugins.ScriptRunner"

# Other things that Cooja has and this version does not run.
OTHER_MEDIA = frozenset({
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


def today(name: str) -> str:
    """The class name without surrounding space, its package as named today."""
    name = name.strip()
    return "org.contikios" + name[len("se.sics"):] if name.startswith("se.sics.") else name
