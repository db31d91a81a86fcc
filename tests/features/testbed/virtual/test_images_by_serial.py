# SPDX-License-Identifier: Apache-2.0
"""Motes without an EEPROM on a virtual testbed: real gateway software sends real firmware their images."""

from __future__ import annotations

import pytest
from orchestrate_testbed.ssh import Network
from orchestrate_testbed.transfer import blob
from orchestrate_testbed.virtual import server, testbed

from orchestrator.applications import descriptor, place
from orchestrator.build import host
from orchestrator.csc.model import Udgm
from orchestrator.features.testbed import virtual_testbed
from orchestrator.features.testbed.deploy import SERIAL_LINE, Wanted, deploy
from orchestrator.features.testbed.gateways import AtGateway
from orchestrator.scenario.load import loads
from tests import needs
from tests.features.event_service.gateways.test_cosimulation import SCENARIO
from tests.waiting import wait_until

needs.a_compiler()

LAB = """
lab: box
gateways:
  G1: {host: 192.0.2.1}
motes:
  M1: {gateway: G1, platform: sky, eui64: '0012740000000001', device: /dev/serial/by-id/usb-1}
  M2: {gateway: G1, platform: avr-rfa1, eui64: '0012740000000002', device: /dev/serial/by-id/usb-2}
"""


def images() -> dict[int, bytes]:
    cell = loads(SCENARIO.format(application="consumers: P3", boards=1, duration="3 s"), "boards.yaml").cells[
        0
    ]
    return {mote.id: mote.image for mote in place.place(cell).deployment(1).motes}


def printed(twin: virtual_testbed.Twin, mote: int) -> list[str]:
    log = (twin.testbed.folder / "motes" / "motes.log").read_text().splitlines()
    return [line.split("\t")[2] for line in log if f"\tID:{mote}\t" in line]


@pytest.mark.sshd
def test_a_mote_whose_platform_has_no_eeprom_gets_its_image_by_the_serial_line(tmp_path):
    try:
        server.sshd()
    except server.NotStarted as error:
        pytest.skip(str(error))
    (tmp_path / "lab.yaml").write_text(LAB)
    firmware = blob(host.firmware(descriptor.load("event-service"), {"MAC": "csma"}).path)
    twin = virtual_testbed.up(tmp_path / "lab.yaml", Udgm(0.3, 0.6), "all", 1)
    try:
        wanted = []
        for number, mote in zip((4, 5), twin.lab.motes, strict=True):
            (tmp_path / mote.name).write_bytes(images()[number])
            wanted.append(Wanted(mote, firmware, blob(tmp_path / mote.name), number))
        with Network(twin.lab.known_hosts) as network, AtGateway(twin.lab.gateway("G1"), network) as place_:
            done = deploy(twin.lab, {"G1": place_}, wanted)
            assert [(one.state, one.why) for one in done.motes.values()] == [("flashed", "")] * 2
            again = deploy(twin.lab, {"G1": place_}, wanted)
            assert (again.sent, [one.state for one in again.motes.values()]) == (0, ["kept", "kept"])
            assert [place_.kept.flashed[name]["image-by"] for name in ("M1", "M2")] == [
                SERIAL_LINE,
                "stand-in",
            ]
            by_serial = twin.lab.motes[0]
            twin.testbed.ask(reset=by_serial.name)  # and what it had in RAM is gone
            assert place_.send_image(by_serial, wanted[0].image.name) == ""
        twin.testbed.ask(end=True)
        log = twin.testbed.folder / "motes" / "motes.log"
        wait_until(lambda: "Test ended" in log.read_text())
        stored = [line for line in printed(twin, 4) if line.startswith("image stored")]
        assert len(stored) == 2 and stored[0] == stored[1]
        assert not [line for line in printed(twin, 5) if line.startswith("image")]
    finally:
        testbed.down(twin.testbed.folder)
