# SPDX-License-Identifier: Apache-2.0
"""What a deployment becomes for the simulators."""

from orchestrator.csc.deployed import simulation
from orchestrator.csc.interfaces import STANDARD_INTERFACES
from orchestrator.csc.model import EndScript, Mote, Udgm
from orchestrator.engines.deployment import DeployedMote, Deployment, FirmwareSource

DEPLOYED = Deployment(
    title="two motes",
    seed=7,
    start_delay_us=1_000_000,
    medium=Udgm(30.0),
    firmware=FirmwareSource("node", "A node", "[CONFIG_DIR]/node.c", "make node.cooja"),
    motes=(
        DeployedMote(1, "S", "subscriber", 0.0, 5.0, b""),
        DeployedMote(4, "P1", "publisher", 12.5, -3.0, b"\x01\x02"),
    ),
    ends=EndScript(5_000_000, "done", None),
)


def test_a_deployment_is_a_simulation_with_one_type_of_motes():
    made = simulation(DEPLOYED)
    (mote_type,) = made.mote_types
    assert mote_type[:4] == ("node", "A node", "[CONFIG_DIR]/node.c", "make node.cooja")
    assert mote_type.interfaces == STANDARD_INTERFACES
    assert (made.title, made.seed, made.motedelay_us) == ("two motes", 7, 1_000_000)
    assert made.medium is DEPLOYED.medium and made.script is DEPLOYED.ends


def test_motes_keep_their_places_and_only_those_with_an_image_get_one():
    assert simulation(DEPLOYED).motes == (
        Mote("node", 1, 0.0, 5.0),
        Mote("node", 4, 12.5, -3.0, eeprom=b"\x01\x02"),
    )


def test_a_simulation_stays_what_it_is():
    made = simulation(DEPLOYED)
    assert simulation(made) is made
