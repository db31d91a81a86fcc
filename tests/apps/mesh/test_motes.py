# SPDX-License-Identifier: Apache-2.0
"""Parameters that are lists of motes: they are checked when read, named nodes must exist, and each mote gets
its place."""

import pytest

from orchestrator.errors import FaultyInput
from orchestrator.scenario.load import loads
from tests.placed import simulation

BASE = """\
experiment: trial
topology: {{shape: mesh, rows: 3, columns: 3}}
radio: {{range: 50 m, interference: 100 m}}
application: {{name: mesh, {parameters}}}
duration: 1 min
seeds: 1
"""


def images(parameters):
    cell = loads(BASE.format(parameters=parameters), "x.yaml").cells[0]
    return [mote.eeprom for mote in simulation(cell, 1).motes]


def test_each_mote_gets_its_place_in_the_lists():
    made = images("subscribers: P8 S, publishers: P3  P1 P8, killed: none")
    assert [image[7] for image in made] == [2, 0, 0, 0, 0, 0, 0, 0, 1]
    assert [image[8] for image in made] == [0, 2, 0, 1, 0, 0, 0, 0, 3]
    assert {image[9] for image in made} == {0}


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("P1 P1", "twice"),
        ("none P1", "none and others"),
        ("'P1, P2'", "is not a list of nodes"),
        ("P9", "no P9"),
        ("Q R", "no Q, R"),
    ],
)
def test_lists_that_cannot_be_are_told(written, said):
    with pytest.raises(FaultyInput) as faulty:
        images(f"publishers: {written}")
    assert said in str(faulty.value)
