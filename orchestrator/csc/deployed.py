# SPDX-License-Identifier: Apache-2.0
"""Makes a deployment into a simulation for the simulators, with one type of motes."""

from __future__ import annotations

from orchestrator.csc import sky
from orchestrator.csc.interfaces import STANDARD_INTERFACES
from orchestrator.csc.model import Mote, MoteType, Simulation
from orchestrator.engines.deployment import Deployment


def simulation(deployed: Deployment | Simulation) -> Simulation:
    """Return the deployment as a .csc's values; a simulation is returned as it is."""
    if isinstance(deployed, Simulation):
        return deployed
    firmware = deployed.firmware
    mote_type = MoteType(
        firmware.identifier, firmware.description, firmware.source, firmware.commands, STANDARD_INTERFACES
    )
    has_eeprom = firmware.target != sky.KIND.target  # else the build command has the images
    if not has_eeprom:
        mote_type = sky.usual_type(
            firmware.identifier, firmware.description, firmware.source, firmware.commands
        )
    return Simulation(
        title=deployed.title,
        seed=deployed.seed,
        motedelay_us=deployed.start_delay_us,
        medium=deployed.medium,
        mote_types=(mote_type,),
        motes=tuple(
            Mote(firmware.identifier, mote.id, mote.x, mote.y, eeprom=(has_eeprom and mote.image) or None)
            for mote in deployed.motes
        ),
        script=deployed.ends,
    )
