# SPDX-License-Identifier: Apache-2.0
"""A .csc of a few motes with firmware of a few lines, which its own commands build."""

from __future__ import annotations

from pathlib import Path

from orchestrator.csc.interfaces import STANDARD_INTERFACES
from orchestrator.csc.model import EndScript, Mote, MoteType, Simulation, Udgm
from orchestrator.csc.write import write
from tests.engines.engine_firmware import HEAD

MAKEFILE = """\
%.cooja: %.c
	mkdir -p build/cooja
	gcc -O1 -fPIC -fno-common -shared -w $< -o build/cooja/$(notdir $(LIBNAME))
"""


def own_csc(folder: Path, body: str, motes: int = 1) -> Path:
    """Write the firmware (engine_firmware.HEAD and `body`), its Makefile and the .csc; return the latter.

    Motes 1, 2, ... are 10 m apart and start at once.
    """
    (folder / "own.c").write_text(HEAD + body)
    (folder / "Makefile").write_text(MAKEFILE)
    commands = "$(MAKE) own.cooja TARGET=cooja"
    kind = MoteType("own1", "own", "[CONFIG_DIR]/own.c", commands, STANDARD_INTERFACES)
    places = tuple(Mote("own1", number, 10.0 * number, 0.0) for number in range(1, motes + 1))
    simulation = Simulation(
        "own", 1, 0, Udgm(50.0, 100.0, 1.0, 1.0), (kind,), places, EndScript(1_000_000, None, None, True)
    )
    file = folder / "own.csc"
    file.write_bytes(write(simulation))
    return file
