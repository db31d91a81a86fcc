# SPDX-License-Identifier: Apache-2.0
"""How a node is drawn: names that can be read, in the mark or beside it, and none upon another."""

import re
from xml.etree import ElementTree

import pytest

from orchestrator.report.letters import width
from orchestrator.scenario.model import TopologySpec
from orchestrator.topology.draw import picture
from orchestrator.topology.shapes import layout

SVG = "{http://www.w3.org/2000/svg}"
READABLE = 8.0  # pixels


def names(of) -> dict[str, tuple[float, tuple[float, float, float, float], tuple[float, float, float]]]:
    """name -> its size, the box of its text, and its mark's middle and radius, pixels."""
    found = {}
    for group in ElementTree.fromstring(picture(of, 50.0).svg()).iter(f"{SVG}g"):
        title, mark = group.find(f"{SVG}title"), group.find(f"{SVG}circle")
        text = next((one for one in group.findall(f"{SVG}text") if one.text.startswith("P")), None)
        if title is None or mark is None or text is None:
            continue
        size, x, y = (float(text.get(key)) for key in ("font-size", "x", "y"))
        wide = width(text.text, size) * 1.1  # bold
        box = (
            (x - wide / 2, y - 0.75 * size, x + wide / 2, y)
            if text.get("text-anchor")
            else (x - 0.75 * size, y - wide, x, y)
        )
        assert (text.get("text-anchor") == "middle") != bool(
            re.match(r"rotate\(-90 ", text.get("transform") or "")
        )
        found[text.text] = size, box, tuple(float(mark.get(key)) for key in ("cx", "cy", "r"))
    return found


@pytest.mark.parametrize(
    ("shape", "arguments"),
    [
        ("chain", {"publishers": 20}),
        ("chain", {"publishers": 35}),
        ("chain", {"publishers": 45}),
        ("chain", {"publishers": 75}),
        ("folded-chain", {"publishers": 34}),
        ("tree", {"depth": 5}),
        ("mesh", {"rows": 9, "columns": 12}),
        ("grid", {"rows": 6, "columns": 6}),
    ],
    ids=str,
)
def test_every_name_is_there_readable_and_upon_no_other(shape, arguments):
    of = layout(TopologySpec(shape, arguments), 50.0)
    found = names(of)
    assert set(found) == {node.name for node in of.nodes if node.role == "publisher"}
    assert min(size for size, *_ in found.values()) >= READABLE
    boxes = list(found.values())
    for place, (_, one, (_, y, radius)) in enumerate(boxes):
        inside = one[1] >= y - radius and one[3] <= y + radius
        assert inside or one[3] <= y - radius  # in its mark or clear of it
        assert not any(
            one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
            for _, other, _ in boxes[:place]
        )


def test_names_that_would_cover_each_other_are_left_to_the_pointer():
    assert names(layout(TopologySpec("chain", {"publishers": 150}), 50.0)) == {}
    assert (
        picture(layout(TopologySpec("chain", {"publishers": 150}), 50.0), 50.0).svg().count("<title>P") == 150
    )
