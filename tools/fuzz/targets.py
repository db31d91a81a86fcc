# SPDX-License-Identifier: Apache-2.0
"""The fuzzer's targets, one function for each format: they take bytes and must give an error of ours or a
sound value, otherwise they raise AssertionError.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from ipaddress import IPv6Interface
from pathlib import Path

import test_parse

from orchestrator.csc.read import read_bytes
from orchestrator.csc.write import write
from orchestrator.engines.embedded import input_record
from orchestrator.errors import FaultyInput, OrchestrateError
from orchestrator.features.cosimulation import Attributes, from_csv
from orchestrator.features.policies.application import read, together
from orchestrator.features.policies.c_code.table import code
from orchestrator.features.policies.extensions import built_in
from orchestrator.features.policies.findings import ERROR
from orchestrator.features.policies.formatter import formatted
from orchestrator.features.policies.interpreter import Event
from orchestrator.features.policies.manager import Manager
from orchestrator.features.policies.model import Point
from orchestrator.features.policies.overview import page
from orchestrator.features.policies.parse import parse
from orchestrator.features.virtual_time import slip
from orchestrator.features.virtual_time.host import Host
from orchestrator.features.virtual_time.link import SlipLink
from orchestrator.scenario.load import loads
from orchestrator.vocabulary import document
from orchestrator.vocabulary.faults import Faults
from tests.placed import simulation as simulation_of
from tools.fuzz import ROOT

MOST_PUBLISHERS = 40  # of a layout that is made, so that an input takes milliseconds


def scenario(data: bytes) -> None:
    """A scenario, whose first cell can be placed and written as .csc, or faults with line and remedy."""
    faults = Faults("x.yaml")
    try:
        text = document.decode(data, faults)
        faults.raise_any()
        found = loads(text, "x.yaml")
    except FaultyInput as faulty:
        assert faulty.faults
        for fault in faulty.faults:
            assert fault.what and fault.remedy, fault
            assert 0 <= fault.line <= data.count(b"\n") + data.count(b"\r") + 1, fault
        return
    assert found.cells and found.seeds
    cell = found.cells[0]
    if any(isinstance(value, int) and value > MOST_PUBLISHERS for value in cell.topology.parameters.values()):
        return
    try:
        simulation = simulation_of(cell, found.seeds[0])
        written = write(simulation)
    except OrchestrateError as error:
        assert str(error)
    else:
        assert write(read_bytes(written)) == written


def csc(data: bytes) -> None:
    """A simulation that reads back as it was written, or an error of ours."""
    try:
        simulation = read_bytes(data)
    except FaultyInput as faulty:
        for fault in faulty.faults:
            assert fault.what and fault.remedy, fault
            assert 0 <= fault.line <= data.count(b"\n") + data.count(b"\r") + 1, fault
    except OrchestrateError as error:
        assert str(error)
    else:
        assert write(read_bytes(write(simulation))) == write(simulation)


def log(data: bytes) -> None:
    """The same rows and the same counted damage as the specification read line by line, in blocks of any
    size.
    """
    block = (64, 1 << 20)[len(data) % 2]
    with tempfile.TemporaryDirectory() as folder:
        test_parse.assert_as_specified(test_parse.parsed(Path(folder), data, block=block), data)


def policy(data: bytes) -> None:
    """Policies that are formatted to the same policies, compiled, drawn and executed; or faults in words."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.escape"
        path.write_bytes(data)
        source, faults = read(path)
        application, found = together([source], faults)
    for one in found:
        assert one.what and one.remedy, one
        assert 0 <= one.at.line <= data.count(b"\n") + data.count(b"\r") + 1, one
    if faults:
        return
    text = formatted(data.decode(), source)
    again, faults = parse(text, source.file)
    assert not faults and again.policies == source.policies, text
    if any(one.severity == ERROR for one in found):
        return
    assert code(application, built_in())
    assert page(application)
    manager = Manager(application)
    for running in manager.policies:
        for handler in running.policy.handlers:
            if isinstance(handler.trigger, Point):
                manager.event(Event(handler.trigger, [40000, -1.5, bytes(8)]))
    manager.advance(6000)


def serial_input(data: bytes) -> None:
    """A record whose input comes in its order to motes that can be there, or faults with their lines."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "serial-input.jsonl")
        file.write_bytes(data)
        try:
            found = input_record.read(file)
        except FaultyInput as faulty:
            for fault in faulty.faults:
                assert fault.what and fault.remedy and 1 <= fault.line <= data.count(b"\n") + 1, fault
            return
    times = [time_us for time_us, _, _ in found.inputs] + ([found.stop[0]] if found.stop else [])
    assert times == sorted(times) and all(time_us > 0 for time_us in times)
    assert all(mote >= 0 and bytes.fromhex(text) for _, mote, text in found.inputs)


class _Line:
    """A clock with one mote, to which nothing is sent."""

    now_us = 0

    def hear(self, _mote: int, taker: Callable[[bytes], None]) -> None:
        self.taker = taker

    def at(self, _time_us: int, action: Callable[[], None]) -> None:
        action()

    def write(self, _mote: int, data: bytes) -> None:
        assert data


def border_router(data: bytes) -> None:
    """Whatever a border router sends, the host behind it counts it, answers it or drops it."""
    clock, host = _Line(), Host(lambda action: action())
    host.links.append(SlipLink(clock, 1, IPv6Interface("fd00::1/64"), 115200, host.take))
    at = len(data) // 2
    clock.taker(data[:at])
    clock.taker(data[at:])
    clock.taker(slip.encode(data))  # and as one frame
    counters, link = host.counters, host.links[0]
    assert 0 <= counters.wrong + counters.others <= counters.received <= data.count(slip.END) + 1
    assert (
        link.unreadable + counters.received <= data.count(slip.END) + 1
        and len(link.last_text) <= slip.LONGEST
    )


def values(data: bytes) -> None:
    """Values of a CSV file in the order of their times, or faults with line and remedy."""
    attributes = Attributes(None, {"temperature": "t:h*0.01", "title": "s:8s", "share": "f:f"})
    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        file.write(data)
        file.flush()
        try:
            changes = list(from_csv(file.name).changes([1, 2], attributes, 0, 1))
        except FaultyInput as faulty:
            for fault in faulty.faults:
                assert fault.what and fault.remedy, fault
            return
    assert [at_us for at_us, *_ in changes] == sorted(at_us for at_us, *_ in changes)
    assert {mote for _, mote, _ in changes} <= {1, 2}


TARGETS: dict[str, Callable[[bytes], None]] = {
    "scenario": scenario,
    "csc": csc,
    "log": log,
    "policy": policy,
    "serial-input": serial_input,
    "border-router": border_router,
    "values": values,
}


def seeds(target: str) -> list[Path]:
    """Good inputs of the repository that mutation starts from."""
    patterns = {
        "scenario": ("orchestrator/papers/*/*.yaml", "tests/scenario/*.yaml", "contiki-apps/apps/*/*.yaml"),
        "csc": ("tests/golden/cooja/*/simulation.csc", "csc-templates/**/*.csc"),
        "log": (),
        "serial-input": (),
        "border-router": (),
        "values": (),
        "policy": ("contiki-apps/policies/*.escape",),
    }[target]
    return [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]


def finds(target: str) -> list[Path]:
    """What the fuzzer found once: each stays as a test."""
    return sorted((ROOT / "tests" / "fuzz" / "finds").glob(f"{target}/*"))
