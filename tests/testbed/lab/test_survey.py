# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from orchestrate_testbed.model import Lab, Layout, Spot

from orchestrator.csc.model import DirectedGraph
from orchestrator.scenario.load import load
from orchestrator.testbed.survey import (
    links_csv,
    measure,
    over_time_csv,
    positions_csv,
    scenario,
)
from tests.placed import simulation as simulation_of

NAMES = {1: "M1", 2: "M2", 3: "M3"}


def log(heard_by_two: set[int], heard_by_one: set[int]):
    """Motes 1 and 2 count to 8 within 80 s; 3 says and hears nothing of them."""
    yield "Random seed: 1\n"
    for frame in range(1, 9):
        time = frame * 10_000_000
        yield f"{time}\tID:1\tsay {frame}\n"
        if frame in heard_by_two:
            yield f"{time + 900}\tID:2\theard {frame} from 1\n"
        yield f"{time + 1000}\tID:2\tsay {frame}\n"
        if frame in heard_by_one:
            yield f"{time + 1900}\tID:1\theard {frame} from 2\n"
    yield "90000000\tID:1\tsay 9\n"  # who heard that is not known yet
    yield "TEST OK\n"


def test_each_direction_and_stretch_is_counted_apart():
    found = {(link.source, link.destination): link for link in measure(log({1, 2, 3, 4, 5, 6}, {8}), NAMES)}
    assert len(found) == 6
    assert found[1, 2].ratio == pytest.approx(6 / 8) and found[2, 1].ratio == pytest.approx(1 / 8)
    assert found[1, 2].sent == (2, 2, 2, 2) and found[1, 2].heard == (2, 2, 2, 0)
    assert found[1, 3].ratio == found[3, 1].ratio == 0 and sum(found[3, 1].sent) == 0


def test_what_was_heard_twice_counts_once():
    doubled = [line for line in log({1}, set()) for _ in range(2)]
    found = {(link.source, link.destination): link for link in measure(doubled, NAMES)}
    assert sum(found[1, 2].heard) == 1 and sum(found[1, 2].sent) == 8


def test_a_survey_is_a_medium_of_the_simulator(tmp_path):
    links = measure(log({1, 2, 3, 4, 5, 6}, {7, 8}), [1, 2])
    (tmp_path / "links.csv").write_text(links_csv(links, NAMES))
    layout = Layout("l", (Spot("M1", 0, 0), Spot("M2", 0.2286, 0)))
    (tmp_path / "positions.csv").write_text(positions_csv(layout))
    path = tmp_path / "simulate.yaml"
    radio = "{medium: directed-graph, links: links.csv}"
    path.write_text(scenario(Lab("l", (), ()), "1 min", "embedded", radio))
    (cell,) = load(path).cells
    medium = simulation_of(cell, 1).medium
    assert isinstance(medium, DirectedGraph)
    assert [(edge.source, edge.destination, edge.ratio) for edge in medium.edges] == [
        (1, 2, 0.75),
        (2, 1, 0.25),
    ]
    assert over_time_csv(links, NAMES).splitlines()[:2] == ["from,to,stretch,sent,heard", "M1,M2,1,2,2"]
