# SPDX-License-Identifier: Apache-2.0
import pytest

from orchestrator.csc import interfaces
from orchestrator.csc.model import EndScript, Mote, MoteType, Simulation, Udgm


@pytest.fixture
def small() -> Simulation:
    """Two motes of one type, one with an EEPROM image."""
    mote_type = MoteType(
        "mtype1",
        "A node",
        "[CONFIG_DIR]/node.c",
        "$(MAKE) -j$(CPUS) node.cooja TARGET=cooja",
        interfaces.STANDARD_INTERFACES,
    )
    return Simulation(
        "Two motes & more",
        7,
        1_000_000,
        Udgm(50, 100, 1, 0.95),
        (mote_type,),
        (Mote("mtype1", 1, 0, 0, eeprom=b"\x52\x4f\x01"), Mote("mtype1", 2, 30.5, -4)),
        EndScript(60_000_000, "!run,end", "!run,unverified"),
    )
