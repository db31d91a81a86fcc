# SPDX-License-Identifier: Apache-2.0
"""The file that says what a mote host simulates."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import get_args

from orchestrator import durable
from orchestrator.csc.model import Edge, Medium, OwnSignal

_MEDIA = {each.__name__: each for each in get_args(Medium)}


@dataclass(frozen=True)
class VirtualMote:
    """A mote of the lab. `number`: by which the medium knows it, and its id until it is flashed with another.

    `link`: the path of its serial device, a link that exists while the mote is plugged in.
    """

    name: str
    number: int
    link: Path
    baud: int
    platform: str
    eui64: str
    board: str
    x: float
    y: float


@dataclass(frozen=True)
class Plan:
    """The whole plan of a mote host.

    `folder`: for its log, its copies of firmware and its socket. `step_us`: between two looks at the ports.
    """

    folder: Path
    medium: Medium
    motes: tuple[VirtualMote, ...]
    seed: int = 1
    step_us: int = 5000

    @property
    def socket(self) -> Path:
        """Where requests come."""
        return self.folder / "socket"

    @property
    def log(self) -> Path:
        """All that the motes printed, with simulated times."""
        return self.folder / "motes.log"


def write(plan: Plan, path: Path) -> None:
    """Write the file."""
    data = asdict(plan) | {"medium": {"kind": type(plan.medium).__name__, **asdict(plan.medium)}}
    durable.rewrite(path, json.dumps(data, default=str, indent=1).encode())


def read(path: Path) -> Plan:
    """Read the file that `write` made."""
    data = json.loads(path.read_text())
    motes = tuple(VirtualMote(**{**mote, "link": Path(mote["link"])}) for mote in data.pop("motes"))
    kind = data["medium"].pop("kind")
    signals = tuple(OwnSignal(**each) for each in data["medium"].pop("own_signals", ()))
    settings = data.pop("medium") | ({"own_signals": signals} if signals else {})
    if "edges" in settings:
        settings["edges"] = tuple(Edge(**each) for each in settings["edges"])
    return Plan(
        **{**data, "folder": Path(data["folder"]), "medium": _MEDIA[kind](**settings), "motes": motes}
    )
