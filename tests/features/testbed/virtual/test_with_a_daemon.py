# SPDX-License-Identifier: Apache-2.0
"""Real gateway software on a virtual testbed: deployed over SSH, every line collected that motes printed."""

from __future__ import annotations

import pytest
from orchestrate_testbed.collect import collect
from orchestrate_testbed.merge import MoteLines, lines
from orchestrate_testbed.ssh import Network
from orchestrate_testbed.transfer import blob
from orchestrate_testbed.virtual import failures, server, testbed

from orchestrator.csc.model import Udgm
from orchestrator.features.testbed import virtual_testbed
from orchestrator.features.testbed.deploy import Wanted, deploy
from orchestrator.features.testbed.gateways import AtGateway
from tests import needs
from tests.engines.engine_firmware import compile_firmware
from tests.waiting import wait_until

needs.a_compiler()

LAB = """
lab: box
gateways:
  G1: {host: 192.0.2.1}
boards:
  B1: {gateway: G1, size: 1 x 2, spacing: 20 cm}
motes:
  M1: {board: B1, place: '1, 1', platform: sky, eui64: '0012740000000001', device: /dev/serial/by-id/usb-1}
  M2: {board: B1, place: '1, 2', platform: sky, eui64: '0012740000000002', device: /dev/serial/by-id/usb-2}
"""
BODY = """
static int count;
void cooja_tick(void) {
  if(first()) { SAY("boot %d\\n", simMoteID); etimer(10); return; }
  if(!simReceiving && simInSize > 0) { SAY("from %d\\n", simInDataBuffer[0]); simInSize = 0; }
  if(due()) { etimer(20); simOutSize = 20; simOutDataBuffer[0] = simMoteID; SAY("line %d\\n", ++count); }
}"""


@pytest.mark.sshd
def test_every_line_is_collected_over_a_cut(tmp_path):
    try:
        server.sshd()
    except server.NotStarted as error:
        pytest.skip(str(error))
    (tmp_path / "lab.yaml").write_text(LAB)
    library = compile_firmware(tmp_path, "talks", BODY)
    twin = virtual_testbed.up(tmp_path / "lab.yaml", Udgm(0.3, 0.6), "all", 1)
    try:
        with Network(twin.lab.known_hosts) as network, AtGateway(twin.lab.gateway("G1"), network) as place:
            done = deploy(twin.lab, {"G1": place}, [Wanted(mote, blob(library)) for mote in twin.lab.motes])
            assert [one.state for one in done.motes.values()] == ["flashed", "flashed"]
            for mote in twin.lab.motes:
                place.daemon.open("r", mote.name, place.device(mote), mote.baud)
            for mote in twin.lab.motes:
                assert place.host.run(mote.command(mote.reset, place.device(mote))).code == 0
            talked(twin, 400)
            failures.cut_link(twin.testbed, "G1")
            talked(twin, 900)
            failures.join_link(twin.testbed, "G1")
            for mote in twin.lab.motes:
                twin.testbed.ask(off=mote.name)
            wait_until(lambda: not any(mote["on_the_line"] for mote in status(twin)))
            sent = sum(mote["heard"] for mote in status(twin))
            wait_until(lambda: logged(place) >= sent)
            found = collect(place.daemon, "r", tmp_path / "collected").segments
        twin.testbed.ask(end=True)
        log = twin.testbed.folder / "motes" / "motes.log"
        wait_until(lambda: "Test ended" in log.read_text())
        for number, mote in enumerate(twin.lab.motes, 1):
            said = [
                line.split("\t")[2] for line in log.read_text().splitlines() if f"\tID:{number}\t" in line
            ]
            came = [text.decode() for _, _, text in lines(found[mote.name], MoteLines(number))]
            boot = f"boot {number}"
            assert said.count(boot) == 2 and came.count(boot) == 1, "the first was before the ports were open"
            assert came[came.index(boot) :] == said[said.index(boot, 1) :]
            assert any(text.startswith("from") for text in came) and len(came) > 50
    finally:
        testbed.down(twin.testbed.folder)


def talked(twin: virtual_testbed.Twin, bytes_: int) -> None:
    """Wait until the gateway has been sent so many bytes of each mote."""
    wait_until(lambda: all(mote["heard"] >= bytes_ for mote in status(twin)))


def status(twin: virtual_testbed.Twin) -> list[dict]:
    return list(twin.testbed.ask(status=True)["motes"].values())


def logged(place: AtGateway) -> int:
    """Bytes in the daemon's logs."""
    return sum(mote["port"]["bytes"] for mote in place.daemon.status("r")["motes"].values())
