# SPDX-License-Identifier: Apache-2.0
"""Boards of motes: trees around their base stations, in rows."""

import math

import pytest

from orchestrator.topology.boards import layout, places


@pytest.mark.parametrize(
    ("depth", "fan_out", "parents"),
    [
        (1, 1, [-1, 0]),
        (3, 1, [-1, 0, 1, 2]),
        (2, 2, [-1, 0, 0, 1, 1, 2, 2]),  # the thesis's tree of seven
        (2, 3, [-1, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]),
    ],
)
def test_a_board_is_a_full_tree_with_links_of_one_length_outwards(depth, fan_out, parents):
    found = places(depth, fan_out, 2.0)
    assert [parent for parent, _, _ in found] == parents
    for parent, x, y in found[1:]:
        _, before_x, before_y = found[parent]
        assert math.hypot(x - before_x, y - before_y) == pytest.approx(2.0)
        assert math.hypot(x, y) > math.hypot(before_x, before_y)
    assert len({(round(x, 6), round(y, 6)) for _, x, y in found}) == len(found)


def test_children_turn_to_sides_of_their_own():
    """A base station's stand around it, others' 30 degrees to each side of the way from their parent."""
    found = [(round(x, 6), round(y, 6)) for _, x, y in places(2, 2, 1.0)]
    across, up = round(1 + math.cos(math.pi / 6), 6), 0.5
    assert found == [(0, 0), (1, 0), (-1, 0), (across, -up), (across, up), (-across, up), (-across, -up)]


def test_boards_stand_in_rows_with_names_and_ids_board_by_board():
    made = layout(
        {"boards": 3, "depth": 2, "fan-out": 2, "spacing": 1.0, "board-spacing": 10.0}, range_m=50.0
    )
    assert [node.name for node in made.nodes] == [
        *("S", "R1", "R2", "P1", "P2", "P3", "P4"),
        *("S2", "R3", "R4", "P5", "P6", "P7", "P8"),
        *("S3", "R5", "R6", "P9", "P10", "P11", "P12"),
    ]
    assert [node.mote for node in made.nodes] == list(range(1, 22))
    assert [node.parent for node in made.nodes[7:14]] == [0, 8, 8, 9, 9, 10, 10]
    bases = [(node.x, node.y) for node in made.nodes if node.name.startswith("S")]
    assert bases == [(0, 0), (10, 0), (0, 10)]
    assert not any(node.dies for node in made.nodes)
