# SPDX-License-Identifier: Apache-2.0
"""Motes in mosaik: what others set they have at that time, and what they print comes when they printed it."""

from __future__ import annotations

import mosaik
import mosaik_api_v3
import pytest

from orchestrator.errors import NoSuchThing, WrongUsage
from tests import needs
from tests.features.cosimulation.conftest import QUANTITIES

needs.a_compiler()
MODULE = "orchestrator.features.cosimulation.mosaik"
INSIDE = {"python": f"{MODULE}:MoteSimulator"}
BESIDE = {"cmd": f"%(python)s -m {MODULE} %(addr)s"}
MODELS = {"Sensor": QUANTITIES}


class Plan(mosaik_api_v3.Simulator):
    """Gives values at times, as events."""

    def __init__(self):
        super().__init__({"type": "event-based", "models": {}})

    def init(self, sid, time_resolution, attribute, values):
        self._attribute, self._values = attribute, values
        self.meta["models"] = {"Plan": {"public": True, "params": [], "attrs": [attribute]}}
        return self.meta

    def create(self, num, model):
        return [{"eid": "plan", "type": model}]

    def step(self, time, inputs, max_advance):
        self._now = time
        return min((at for at in self._values if at > time), default=None)

    def get_data(self, outputs):
        value = self._values.get(self._now)
        return {} if value is None else {"plan": {self._attribute: value}}


SEEN: list[tuple[int, str, dict]] = []


class Seen(mosaik_api_v3.Simulator):
    """Keeps what comes, with its time."""

    def __init__(self):
        super().__init__({"type": "event-based", "models": {}})

    def init(self, sid, time_resolution, attributes):
        self.meta["models"] = {"Seen": {"public": True, "params": [], "attrs": attributes}}
        return self.meta

    def create(self, num, model):
        return [{"eid": "seen", "type": model}]

    def step(self, time, inputs, max_advance):
        SEEN.extend((time, name, by_source) for name, by_source in sorted(inputs["seen"].items()))

    def get_data(self, outputs):
        return {}


@pytest.fixture
def world():
    SEEN.clear()
    simulators = {
        "Motes": INSIDE,
        "Beside": BESIDE,
        "Plan": {"python": f"{__name__}:Plan"},
        "Seen": {"python": f"{__name__}:Seen"},
    }
    worlds = []

    def begin(resolution=1.0):
        worlds.append(mosaik.World(simulators, time_resolution=resolution, skip_greetings=True))
        return worlds[-1]

    yield begin
    for one in worlds:
        one.shutdown()


def plan(world, attribute, values):
    entity = world.start("Plan", attribute=attribute, values=values).Plan()
    world.set_initial_event(entity.sid, min(values))
    return entity


def came(name):
    return [
        (time, value)
        for time, attribute, by_source in SEEN
        if attribute == name
        for value in by_source.values()
    ]


def test_lines_come_when_they_are_printed(world, file):
    """In units of 100 ms; the mote prints every 500 ms, and at once when its serial line says something."""
    world = world(0.1)
    mote = world.start("Motes", file=str(file), models=MODELS).Sensor(mote=2)
    world.connect(plan(world, "serial", {3: "open", 7: ["close", "open"]}), mote, "serial")
    world.connect(plan(world, "temperature", {8: 23.0}), mote, "temperature")
    world.connect(mote, world.start("Seen", attributes=["lines"]).Seen(), "lines")
    world.run(until=17, print_progress=False)
    assert came("lines") == [
        (4, ["opened"]),
        (6, ["measured 2000"]),
        (8, ["closed"]),
        (11, ["measured 2300"]),
        (16, ["measured 2300"]),
    ]


def test_time_steps_give_values_and_the_lines_since_the_last(world, file):
    world = world(0.1)
    motes = world.start("Motes", file=str(file), models=MODELS, step_size=4)
    first, second = motes.Sensor.create(2)
    world.connect(plan(world, "temperature", {0: 15.0, 9: 16.0}), first, "temperature")
    seen = world.start("Seen", attributes=["lines", "temperature", "x"]).Seen()
    for name in ("lines", "temperature", "x"):
        world.connect(first, seen, name)
    world.run(until=16, print_progress=False)
    assert came("lines") == [(0, []), (4, []), (8, ["measured 1500"]), (12, ["measured 1500"])]
    assert came("temperature") == [(0, 20), (4, 15), (8, 15), (12, 15)]
    assert came("x") == [(time, 10) for time in (0, 4, 8, 12)]


@pytest.mark.parametrize("step_size", [None, 4])
def test_the_same_bytes_in_mosaiks_process_and_in_another(world, file, tmp_path, step_size):
    logs = []
    for where in ("Motes", "Beside", "Motes"):
        logs.append(tmp_path / f"log{len(logs)}")
        one = world(0.1)
        mote = one.start(where, file=str(file), models=MODELS, log=str(logs[-1]), step_size=step_size).Sensor(
            mote=3
        )
        one.connect(plan(one, "serial", {3: "open", 17: "close"}), mote, "serial")
        one.connect(mote, one.start("Seen", attributes=["lines", "valve"]).Seen(), "lines", "valve")
        one.run(until=50, print_progress=False)
        one.shutdown()
    texts = [log.read_bytes() for log in logs]
    assert texts[0] == texts[1] == texts[2]
    assert texts[0].endswith(b"TEST OK\nTest ended at simulation time: 5000000\n") and b"opened" in texts[0]


def test_entities_are_motes_that_are_there(world, file):
    motes = world().start("Motes", file=str(file))
    assert [motes.Mote(mote=2).eid, *(one.eid for one in motes.Mote.create(2))] == [
        "mote-2",
        "mote-1",
        "mote-3",
    ]
    for wrong in ({"mote": 2}, {"mote": 9}, {}):
        with pytest.raises(NoSuchThing):
            motes.Mote(**wrong)


def test_a_variable_that_is_not_there_is_named_when_the_entity_is_made(world, file):
    motes = world().start("Motes", file=str(file), models={"Sensor": {"temperature": "centidegree:h"}})
    with pytest.raises(NoSuchThing, match="centidegrees"):
        motes.Sensor()


@pytest.mark.parametrize("wrong", [{"step_size": 0}, {"models": {"S": {"t": "t"}}}])
def test_wrong_settings(world, file, wrong):
    with pytest.raises(WrongUsage):
        world().start("Motes", file=str(file), **wrong)


def test_a_time_shorter_than_a_microsecond(world, file):
    with pytest.raises(WrongUsage, match="microsecond"):
        world(1e-7).start("Motes", file=str(file))


def test_two_that_set_one_variable(world, file, tmp_path):
    world = world()
    mote = world.start("Motes", file=str(file), models=MODELS, log=str(tmp_path / "log")).Sensor()
    for value in (20.0, 21.0):
        world.connect(plan(world, "temperature", {3: value}), mote, "temperature")
    with pytest.raises(WrongUsage, match="Plan-0.plan and Plan-1.plan"):
        world.run(until=10, print_progress=False)
    world.shutdown()
    assert b"TEST FAILED" in (tmp_path / "log").read_bytes()
