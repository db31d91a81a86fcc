# SPDX-License-Identifier: Apache-2.0
"""The firmware of motes: copies that are kept, each tried in a simulation before a mote gets it."""

from __future__ import annotations

import hashlib
from pathlib import Path

from orchestrator.csc.model import Silent
from orchestrator.durable import rewrite
from orchestrator.engines.embedded.live import Live, LiveMote, SimulationEnded, Stage
from orchestrator.engines.embedded.live.variables import is_msp430
from orchestrator.errors import OrchestrateError

_INPUT = b"simSerialReceivingData"  # the variable of firmware that takes serial input
LARGEST_IMAGE = 1024  # bytes of a mote's EEPROM
_TRIAL_US = 1


class Unfit(Exception):
    """Firmware that can't be loaded into a mote; the text says why."""


class Firmware:
    """A folder of libraries by content."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._tried: set[tuple[str, int]] = set()
        folder.mkdir(parents=True, exist_ok=True)

    def kept(self, library: Path, image: bytes) -> Path:
        """Return a copy of the library, after a boot of it in a simulation of its own. Raises Unfit."""
        try:
            content = library.read_bytes()
        except OSError as error:
            raise Unfit(f"{library} can't be read: {error.strerror}") from None
        if is_msp430(library):
            raise Unfit(
                f"{library} is firmware of a Tmote Sky, and a virtual testbed has Cooja's motes; build it "
                "with TARGET=cooja"
            )
        digest = hashlib.sha256(content).hexdigest()
        copy = self._folder / f"{digest}.cooja"
        if not copy.exists():
            rewrite(copy, content)
        if (digest, len(image)) not in self._tried:
            self._try(copy, library, image)
            self._tried.add((digest, len(image)))
        return copy

    def hears(self, copy: Path) -> bool:
        """Return whether the firmware takes serial input."""
        return _INPUT in copy.read_bytes()

    def _try(self, copy: Path, library: Path, image: bytes) -> None:
        if len(image) > LARGEST_IMAGE:
            raise Unfit(f"the EEPROM image has {len(image)} bytes; a mote's EEPROM has {LARGEST_IMAGE}")
        stage = Stage(Silent(), 1, self._folder / "trial.log", step_limit_s=10)
        try:
            with Live(stage, [LiveMote(copy, 1, image=image)]) as live:
                live.advance(_TRIAL_US)
        except SimulationEnded as ended:
            why = ended.result.evidence[0].removeprefix(f"{copy}: ").replace(str(copy), "it")
            raise Unfit(f"{library}: {why}") from None
        except OrchestrateError as error:
            raise Unfit(f"{library}: {error}") from None
