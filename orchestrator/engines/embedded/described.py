# SPDX-License-Identifier: Apache-2.0
"""A simulation as the kernel reads it, apart from what may differ between its runs.

Runs may differ in rules, seed and firmware. These are plain texts, so that they can be kept (remembered.py).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from orchestrator.csc.mote_type import MspType
from orchestrator.errors import Unsupported
from orchestrator.vocabulary import mote_images as images
from orchestrator.vocabulary.simulators import RULES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from orchestrator.csc.model import Simulation
    from orchestrator.csc.mote_type import MoteType
    from orchestrator.csc.serial_socket import SerialSocket


class Described:
    """A simulation's description for the kernel (kernel/run/description.h has the format).

    `setting` are its lines before the mote types, `motes` those behind them. `seed`: the simulation's own,
    None for "generated". `javascript`: its script is none of our templates. `simulation()` returns the
    simulation itself. `notes`: what of the file was read past. `serial_sockets` and `speed_limit` are as in
    csc/model.py.
    """

    __slots__ = (
        "javascript",
        "mote_types",
        "motes",
        "notes",
        "seed",
        "serial_sockets",
        "setting",
        "simulation",
        "speed_limit",
    )

    def __init__(
        self,
        seed: int | None,
        mote_types: tuple[MoteType | MspType, ...],
        setting: bytes,
        motes: bytes,
        javascript: bool,
        simulation: Callable[[], Simulation],
        notes: tuple[str, ...] = (),
        serial_sockets: tuple[SerialSocket, ...] = (),
        speed_limit: float | None = None,
    ) -> None:
        """Describe a simulation."""
        self.seed, self.mote_types, self.setting, self.motes = seed, mote_types, setting, motes
        self.javascript, self.simulation, self.notes = javascript, simulation, notes
        self.serial_sockets, self.speed_limit = serial_sockets, speed_limit

    def mote_ids(self) -> list[int]:
        """Return the ids of the motes, in the order in which sockets and records count them from 0."""
        return [int(line.split()[2]) for line in self.motes.split(b"\n") if line.startswith(b"mote ")]

    def text(self, seed: int, firmware: dict[str, Path], ruleset: str) -> bytes:
        """Write the description of a run. Raises Unsupported for what the format can't express."""
        if ruleset not in RULES:
            raise Unsupported(f"no rule set {ruleset!r}; there are: {', '.join(RULES)}")
        lines = [f"simulation 1\nrules {ruleset}\nseed {seed}".encode(), self.setting]
        for mote_type in self.mote_types:
            if mote_type.identifier not in firmware:
                raise Unsupported(f"no firmware is given for the mote type {mote_type.identifier!r}")
            keyword = "sky" if isinstance(mote_type, MspType) else "type"
            lines += type_lines(firmware[mote_type.identifier], mote_type.interfaces, keyword)
            if keyword == "sky" and (held := images.table(images.taken_out(mote_type.commands)[1])):
                lines.append(b"images " + held.hex().encode())
        return b"\n".join([*lines, self.motes])


def type_lines(library: Path, interfaces: tuple[str, ...], keyword: str = "type") -> list[bytes]:
    """Return a mote type and its interfaces as lines."""
    path = os.path.abspath(library)
    return [f"{keyword} ".encode() + _one_line(path, "the path of a firmware")] + [
        b"interface " + _one_line(name, "the name of an interface") for name in interfaces
    ]


def _one_line(text: str, what: str) -> bytes:
    encoded = os.fsencode(text)
    if b"\n" in encoded or b"\0" in encoded:
        raise Unsupported(f"{what} must be one line without a byte 0: {text!r}")
    return encoded
