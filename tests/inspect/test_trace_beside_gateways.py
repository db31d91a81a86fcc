# SPDX-License-Identifier: Apache-2.0
"""The way of an event over boards and their gateways, and what is not made up about it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from orchestrator.cli.app import main
from orchestrator.errors import Unsupported
from orchestrator.execution import again
from orchestrator.inspect.find import find
from orchestrator.runs.store import Store
from tests import needs

needs.a_compiler()

SCENARIO = """\
experiment: boards
topology: {shape: boards, boards: 2}
radio: {range: 2.54 m, interference: 5.08 m}
application: {name: event-service, suppliers: P1, consumers: P2 P5, pushes: 3, interval: 500 ms, warm-up: 4 s}
duration: 3 s
drain: 2 s
start-delay: 1 s
seeds: 1
trace: true
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("boards")
    (folder / "boards.yaml").write_text(SCENARIO)
    assert main(["run", str(folder / "boards.yaml"), "--store", str(folder / "store"), "--no-report"]) == 0
    return folder / "store"


def test_frames_that_arrive_are_received_though_their_receivers_don_t_know_the_number(store, capsys):
    assert main(["trace", "boards/base/1", "--event", "P1/1", "--store", str(store), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert sorted(each["mote"] for each in told["deliveries"]) == ["P2", "P5"]
    assert {hop["fate"] for hop in told["hops"]} == {"received"} and told["ends"] == []
    assert [(hop["from"], hop["to"]) for hop in told["hops"]][:2] == [("P1", "R1"), ("R1", "S")]


def test_what_is_more_than_its_csc_is_not_made_again(store):
    found = find(Store(store), ["boards/base/1"])
    with pytest.raises(Unsupported, match="its gateways were simulated beside its motes"):
        again.record(found.where, found.manifest)
    with pytest.raises(Unsupported, match="its gateways were simulated beside its motes"):
        again.trace(found.where, found.manifest)
    used = replace(found.manifest, engine=replace(found.manifest.engine, name="testbed"))
    with pytest.raises(Unsupported, match="it ran on a testbed"):
        again.record(found.where, used)
