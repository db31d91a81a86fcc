# SPDX-License-Identifier: Apache-2.0
"""Writes the inventory of a lab's virtual twin: the same gateways, motes, boards and layouts elsewhere."""

from __future__ import annotations

from pathlib import Path

import yaml
from orchestrate_testbed.model import Lab
from orchestrate_testbed.virtual.server import Server

from orchestrator.features.testbed.deploy import image_by_serial

PLATFORM = "virtual"
SIMULATED = frozenset({PLATFORM, "cooja"})  # platforms whose motes run what simulators run
TOOL = "stand-in"
SWITCHES = {"reset": "reset", "power-on": "on", "power-off": "off"}  # key of a mote: word of mote-tool
_OF_HARDWARE = ("flash", "options", *SWITCHES)


def device(server: Server, real: str) -> Path:
    """Return the path of a mote's serial device on its virtual gateway."""
    return server.devices / Path(real).name


def text(inventory: Path, lab: Lab, servers: dict[str, Server], known_hosts: Path, key: Path) -> str:
    """Return the twin's inventory, without the lab's addresses and hardware."""
    data = yaml.load(inventory.read_bytes(), yaml.BaseLoader)  # all values stay as they are written
    data["known-hosts"] = str(known_hosts)
    defaults = data.get("defaults") or {}
    for section in ("gateway", "mote"):
        for name in ("user", "key", "port", *_OF_HARDWARE):
            (defaults.get(section) or {}).pop(name, None)
    for section in ("jump-hosts", "gateways"):
        for name, entry in (data.get(section) or {}).items():
            server = servers.get(name)  # None: a jump host that no gateway needs
            if server is not None:
                entry.pop("user", None)
                entry.update(host=server.address, port=server.port, key=str(key))
    for mote in lab.motes:
        entry = data["motes"][mote.name]
        for name in _OF_HARDWARE:
            entry.pop(name, None)
        if image_by_serial(mote):
            entry["options"] = {"eeprom": "no"}  # its twin has none either
        entry.update(
            platform=PLATFORM,
            tool=TOOL,
            device=str(device(servers[mote.gateway], mote.device)),
            **{name: ["mote-tool", word, "{device}"] for name, word in SWITCHES.items()},
        )
    return f"# The virtual twin of {inventory.name}: `orchestrate testbed up` wrote it.\n" + yaml.safe_dump(
        data, sort_keys=False, width=110
    )
