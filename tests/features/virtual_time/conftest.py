# SPDX-License-Identifier: Apache-2.0
"""A network of a border router (mote 1), and motes that say their serial input back (2 and 3)."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator import live
from orchestrator.csc.model import Udgm
from orchestrator.features import virtual_time
from tests.engines.engine_firmware import compile_firmware

ROUTER = Path(__file__).with_name("border_router.c")
# Every 500 ms a mote says its time and what it got; "crash" it does.
MOTE = """
char simSerialReceivingFlag, simSerialReceivingData[2048];
int simSerialReceivingLength;
void cooja_tick(void) {
  if(first()) etimer(500);
  if(simSerialReceivingFlag) {
    if(simSerialReceivingLength >= 5 && !memcmp(simSerialReceivingData, "crash", 5)) *(volatile int *)8 = 1;
    print("got ", 4); print(simSerialReceivingData, simSerialReceivingLength); print("\\n", 1);
    simSerialReceivingFlag = simSerialReceivingLength = 0;
  }
  if(due()) { etimer(500); SAY("it is %d ms\\n", (int)simCurrentTime); }
}"""


@pytest.fixture(scope="session")
def libraries(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("firmware")
    return {
        "router": compile_firmware(folder, "router", ROUTER.read_text()),
        "mote": compile_firmware(folder, "mote", MOTE),
    }


@pytest.fixture
def network(libraries, tmp_path):
    """network() -> a simulation that has just begun, with the log `tmp_path/log`."""
    begun = []

    def begin(routers: int = 1) -> live.Live:
        stage = live.Stage(Udgm(50.0, 70.0, 1.0, 1.0), 1, tmp_path / "log")
        names = ["router"] * routers + ["mote"] * (3 - routers)
        motes = [
            live.LiveMote(libraries[name], number, 10.0 * number) for number, name in enumerate(names, 1)
        ]
        begun.append(live.Live(stage, motes))
        return begun[-1]

    yield begin
    for simulation in begun:
        simulation.close()


@pytest.fixture
def run(network):
    """run(main) -> the result of this coroutine function, in a session behind the border router."""

    def run(main, **settings):
        with virtual_time.Session(network(), **{"border_router": 1} | settings) as session:
            return session.run(main())

    return run
