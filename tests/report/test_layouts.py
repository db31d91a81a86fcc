# SPDX-License-Identifier: Apache-2.0
"""The topology section: what a run's radio says is what is drawn."""

from types import SimpleNamespace

from orchestrator.report import layouts
from tests.manifests import RADIO, manifest, parameters

MOTES = [
    {"mote": 1, "name": "S", "role": "subscriber", "x": 0, "y": 0, "parent": 0},
    {"mote": 2, "name": "P1", "role": "publisher", "x": 5, "y": 3, "parent": 1},
]
LINK = {
    "source": "S",
    "destination": "P1",
    "ratio": 0.75,
    "rssi_dbm": -60.0,
    "lqi": 105,
    "delay_us": 0,
    "channel": -1,
}


def figure(radio: dict):
    made = manifest(motes=MOTES, parameters=parameters(radio=RADIO | radio))
    results = SimpleNamespace(cells=["base"], manifest=lambda cell: made)
    return layouts.section(results).blocks[0].figures[0]


def test_measured_links_are_drawn_instead_of_a_range():
    links = [LINK, LINK | {"source": "P1", "destination": "S", "ratio": 0.5}]
    made = figure({"medium": "directed-graph", "file": "links.csv", "links": links})
    assert "measured links" in made.caption
    assert "50 m" not in made.caption
    assert "radio range 50 m" in figure({"medium": "udgm", "range_m": 50.0}).caption
