# SPDX-License-Identifier: Apache-2.0
"""Checks what of a lab is really there: gateways that answer, what they have, and motes that are plugged in.

Only what is seen counts as there, and a gateway's answer is believed only in its defined form.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from orchestrate_testbed.errors import LabError, RemoteFailed
from orchestrate_testbed.model import Gateway, Lab, Mote
from orchestrate_testbed.ssh import Network, together
from orchestrate_testbed.transfer import record
from orchestrate_testbed.untrusted import shown

from orchestrator.features.testbed.pool import why_out

_MOST = 300  # characters of one value
# A gateway without Python needs these; elsewhere the daemon does their work.
NEEDED = ("sha256sum", "stty", "cat")
OLDEST_PYTHON = (3, 7)
LEAST_FREE = 50_000  # kB; an hour of 96 motes that print at full speed needs more, a short run less
# The platforms that have a USB serial converter, by its vendor and product.
CONVERTERS = {
    "0403:6001": {"sky", "z1", "micaz", "telosb"},  # FTDI FT232: Tmote Sky, TelosB
    "0403:6010": {"openmote", "openmote-cc2538", "cc2538dk", "zoul"},  # FTDI FT2232: OpenMote base
    "0451:16a8": {"cc2538dk"},
    "10c4:ea60": {"zoul", "z1", "remote", "firefly", "cc2538dk", "avr-rfa1"},  # Silicon Labs CP210x: Zolertia
    "1366:1015": {"nrf52840", "nrf52dk", "nrf"},  # SEGGER J-Link on Nordic's kits
    "1366:1051": {"nrf52840", "nrf52dk", "nrf"},
    "1915:520f": {"nrf52840", "nrf"},  # Nordic: the dongle's bootloader
    "1915:521f": {"nrf52840", "nrf"},
}

# States of a mote's device that isn't present.
_STATES = {
    "absent": {"state": "absent", "detail": "no such device: unplugged, or dead"},
    "no-device": {"state": "no device", "detail": "the path is not a serial device"},
    "forbidden": {
        "state": "forbidden",
        "detail": "the user may not open it: add them to the group dialout",
    },
}


@dataclass(frozen=True)
class MoteFound:
    """A mote as its gateway sees it.

    `state`: "present", or why it isn't. `usb`: what the device says of itself. `flashed`: the digest of the
    firmware that was flashed last according to our record. `out`: why it is out of the pool; empty if it is
    in.
    """

    mote: Mote
    state: str
    detail: str = ""
    usb: str = ""
    flashed: str = ""
    out: str = ""

    @property
    def present(self) -> bool:
        return self.state == "present"

    @property
    def other_platform(self) -> str | None:
        """The platform that the device seems to be, if it can't be the one that the inventory names."""
        kinds = CONVERTERS.get(self.usb.split(" ", 1)[0])
        if kinds is None or self.mote.platform in kinds:
            return None
        return f"{self.usb} (as on {', '.join(sorted(kinds))})"


@dataclass
class GatewayFound:
    """A gateway as it answers.

    `error`: why it doesn't answer. `clock_s`: its clock minus ours, in whole s.
    """

    gateway: Gateway
    error: str = ""
    system: str = ""
    python: str = ""
    tools: set[str] = field(default_factory=set)
    free_kb: int = 0
    clock_s: int | None = None
    motes: list[MoteFound] = field(default_factory=list)
    others: list[str] = field(default_factory=list)  # devices that the inventory doesn't have
    linked: bool = False  # our folder there is a symbolic link

    @property
    def without_python(self) -> bool:
        """Whether sshd, stty and cat do the daemon's work: the inventory says so, or Python is missing."""
        return self.gateway.python is None or not (self.error or self.python)

    def lacks(self) -> list[str]:
        """Return what a run needs and the gateway lacks, in words."""
        if self.error:
            return [self.error]
        missing = []
        if self.without_python:
            also = "" if self.gateway.python is None else "no Python (3.7 or later), and without it "
            missing += [f"{also}no {tool}" for tool in NEEDED if tool not in self.tools]
        elif tuple(int(part) for part in self.python.split(".")) < OLDEST_PYTHON:
            missing.append(f"Python {self.python}, but the daemon needs 3.7")
        if self.free_kb < LEAST_FREE:
            missing.append(f"only {self.free_kb / 1000:.0f} MB free")
        if self.linked:
            missing.append(f"{self.gateway.root} is a symbolic link: remove it")
        return missing


def check(lab: Lab, network: Network) -> list[GatewayFound]:
    """Ask every gateway, all at once, in one round trip each."""
    answers = together(lab.gateways, lambda gateway: ask(lab, gateway, network))
    return [
        GatewayFound(
            gateway,
            str(answer),
            motes=[MoteFound(mote, "gateway silent") for mote in lab.behind(gateway.name)],
        )
        if isinstance(answer, LabError)
        else answer
        for gateway, answer in zip(lab.gateways, answers, strict=True)
    ]


def ask(lab: Lab, gateway: Gateway, network: Network) -> GatewayFound:
    """Ask one gateway. Raises LabError."""
    script = files("orchestrator.features.testbed").joinpath("examine.sh").read_text(encoding="utf-8")
    motes = lab.behind(gateway.name)
    operands = [text for mote in motes for text in (mote.name, mote.device, str(mote.baud))]
    host = network.host(gateway.ssh)
    begun = time.time()
    ran = host.script(script, gateway.root, *operands)
    middle = (begun + time.time()) / 2
    if ran.code != 0:
        raise RemoteFailed(f"{gateway.name}: its shell can't say what is there: {ran.said}")
    return _read(lab, gateway, ran.out, middle)


def _read(lab: Lab, gateway: Gateway, output: bytes, now_s: float) -> GatewayFound:
    gateway_check, motes = GatewayFound(gateway), lab.behind(gateway.name)
    about: dict[str, dict[str, str]] = {mote.name: dict(_STATES["absent"]) for mote in motes}
    devices = {mote.device for mote in motes}
    for line in output.decode("utf-8", "replace").splitlines():
        word, _, value = line.partition(" ")
        value = shown(value.strip()[:_MOST])
        name, _, rest = value.partition(" ")
        if word == "system":
            gateway_check.system = value
        elif word == "python" and re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,3}){1,2}", value):
            gateway_check.python = value
        elif word == "tool":
            gateway_check.tools.add(value)
        elif word == "free" and value.isdecimal():
            gateway_check.free_kb = int(value[:15])
        elif word == "clock" and value.isdecimal():
            gateway_check.clock_s = round(int(value[:15]) - now_s)
        elif word == "link":
            gateway_check.linked = True
        elif word == "device" and value not in devices:
            gateway_check.others.append(value)
        elif name not in about:
            continue
        elif word == "present":
            about[name] |= {"state": word, "detail": rest}
        elif word in _STATES:
            about[name] |= _STATES[word]
        elif word == "usb":
            about[name]["usb"] = rest.strip()
        elif word == "flashed":
            about[name]["flashed"] = str(_record(line).get("firmware", ""))
        elif word == "failed":
            about[name]["out"] = why_out(lab, _record(line)) or ""
    gateway_check.motes += [MoteFound(mote, **about[mote.name]) for mote in motes]
    return gateway_check


def _record(line: str) -> Mapping[str, Any]:
    """Return the JSON record of a line `word mote record`."""
    return record(line.split(" ", 2)[-1])
