# SPDX-License-Identifier: Apache-2.0
"""When a run begins and ends: known beforehand, unless the radio loses frames and the motes begin when they
are ready.
"""

from __future__ import annotations

import pytest

from orchestrator.applications import descriptor, place
from orchestrator.applications.course import course
from orchestrator.scenario.load import load, loads
from tests.placed import simulation

SCENARIO = """\
experiment: trial
topology: {{shape: chain, publishers: {publishers}, spacing: 5 m}}
radio: {{range: 50 m, interference: 100 m{radio}}}
application: {{name: {application}}}
duration: 1 min
drain: 10 s
start-delay: {delay}
seeds: 1
"""
LOSSY = ", rx: 95 %"


def cell_of(application, publishers=5, radio="", delay="1 s"):
    text = SCENARIO.format(application=application, publishers=publishers, radio=radio, delay=delay)
    return loads(text, "x.yaml").cells[0]


def times(cell):
    app = descriptor.load(cell.application.where)
    found = course(app, place.place(cell).acting, cell)
    return found.begins_us / 1e6, found.ends_us / 1e6, found.is_known


@pytest.mark.parametrize(
    ("cell", "begins", "ends", "is_known"),
    [
        (cell_of("aggregation"), 40, 1 + 40 + 70 + 2, True),
        (cell_of("aggregation", delay="0 s"), 40, 40 + 70 + 2, True),
        (cell_of("aggregation", publishers=10), 100, 1 + 100 + 70 + 2, True),
        (cell_of("aggregation, begin: 30 s"), 30, 1 + 30 + 70 + 2, True),
        (cell_of("aggregation", radio=LOSSY), 300, 1 + 300 + 70 + 2, False),
        (cell_of("aggregation", radio=", tx: 95 %"), 300, 1 + 300 + 70 + 2, False),
        (cell_of("aggregation", publishers=40, radio=LOSSY), 480, 1 + 480 + 70 + 2, False),
        (cell_of("aggregation, begin: 40 s", radio=LOSSY), 40, 1 + 40 + 70 + 2, True),
        (cell_of("mesh, warm-up: 20 s", radio=LOSSY), 20, 1 + 20 + 70 + 7, True),
        (cell_of("mesh, warm-up: 0 s"), 0, 1 + 70 + 7, True),
        (cell_of("hello-nullnet"), 0, 70, True),
    ],
)
def test_the_times_of_a_run(cell, begins, ends, is_known):
    assert times(cell) == (begins, ends, is_known)


def test_links_that_lose_frames_do_as_well(tmp_path):
    links, scenario = tmp_path / "links.csv", tmp_path / "x.yaml"
    for ratio, is_known in (("1.0", True), ("0.9", False)):
        links.write_text(f"from,to,ratio\nS,P1,1.0\nP1,S,{ratio}\n")
        text = SCENARIO.format(application="aggregation", publishers=1, radio="", delay="1 s").replace(
            "radio: {range: 50 m, interference: 100 m}", "radio: {medium: directed-graph, links: links.csv}"
        )
        scenario.write_text(text)
        assert times(load(scenario).cells[0])[2] is is_known


def test_a_known_end_is_the_time_out_and_another_is_the_line_that_says_so():
    known = simulation(cell_of("aggregation"), 1)
    assert (known.script.timeout_us, known.script.ends_at_verdict) == (113_000_000, False)
    unknown = simulation(cell_of("aggregation", radio=LOSSY), 1)
    assert (unknown.script.timeout_us, unknown.script.ends_at_verdict) == (373_000_000, True)
    # The motes are told when it begins; 0 means when they are ready.
    told = (40_000).to_bytes(4, "little")
    assert all(told in mote.eeprom for mote in known.motes)
    assert not any(
        told in mote.eeprom or (300_000).to_bytes(4, "little") in mote.eeprom for mote in unknown.motes
    )
