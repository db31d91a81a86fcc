# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from orchestrate_testbed.model import Board, Endpoint, Gateway, Lab, Mote, Spot

from orchestrator.csc.model import Udgm
from orchestrator.features.testbed.virtual_testbed import plan_of


def test_a_spare_stands_on_its_board_where_a_radio_reaches_it():
    def mote(name: str, column: int, spare: bool = False, board: str | None = "B") -> Mote:
        return Mote(
            name, "G", "sky", f"/dev/{name}", name, board, (1, column), 0.2 * column, 0.0, spare=spare
        )

    motes = (mote("A", 1), mote("S", 2, spare=True), mote("X", 3), mote("L", 4, spare=True, board="other"))
    lab = Lab("l", (Gateway("G", Endpoint("G", "h")),), motes, (Board("B", "G", 1, 4, (0.2, 0.2)),))
    server = SimpleNamespace(devices=Path("/t/dev"))
    testbed = SimpleNamespace(folder=Path("/t"), server=lambda name: server)
    plan = plan_of(lab, testbed, {"A": Spot("A", 5.2, 1.0)}, Udgm(1.0, 2.0, 1.0, 1.0), 1)
    x = {each.name: round(each.x, 6) for each in plan.motes}
    assert (x["A"], x["S"]) == (5.2, 5.4)
    assert x["X"] > 1000 and x["L"] > 1000, "who takes no part is out of reach"
