# SPDX-License-Identifier: Apache-2.0
"""The picture of a .csc: every mote and link, well-formed whatever the file says, the same bytes each
time."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from orchestrator.csc.links import islands, links
from orchestrator.csc.model import DirectedGraph, Edge, Mote, Udgm, UdgmConstantLoss
from orchestrator.csc.picture import MOST_LINKS, picture, summary
from orchestrator.csc.survey import survey
from orchestrator.csc.write import write
from tests.tier import examples

SVG = "{http://www.w3.org/2000/svg}"


def seen(simulation, folder):
    (folder / "a.csc").write_bytes(simulation if isinstance(simulation, bytes) else write(simulation))
    return survey(folder / "a.csc")


def drawn(simulation, folder):
    return etree.fromstring(picture(seen(simulation, folder)).svg().encode())


def line(small, medium, *xs):
    return replace(
        small, medium=medium, motes=tuple(Mote("mtype1", number, x, 0) for number, x in enumerate(xs, 1))
    )


def test_links_are_those_in_range_with_udgms_ratio(small, tmp_path):
    known = links(seen(line(small, Udgm(50, 100, 0.8, 0.6), 0, 25, 75, 130), tmp_path))
    assert known == {
        (0, 1): pytest.approx(0.8 * (1 - 0.25 * 0.4)),
        (1, 0): pytest.approx(0.8 * 0.9),
        (1, 2): pytest.approx(0.48),
        (2, 1): pytest.approx(0.48),
    }
    assert islands(4, known) == 2


def test_constant_loss_is_the_same_everywhere(small, tmp_path):
    assert set(links(seen(line(small, UdgmConstantLoss(50, 100, 1, 0.7), 0, 10, 50), tmp_path)).values()) == {
        0.7
    }


def test_edges_are_links_whatever_the_positions(small, tmp_path):
    simulation = line(small, DirectedGraph((Edge(1, 3, 0.25), Edge(3, 1), Edge(2, 1, 0.0))), 0, 1, 900)
    known = seen(simulation, tmp_path)
    assert links(known) == {(0, 2): 0.25, (2, 0): 1.0, (1, 0): 0.0}
    assert "2 links, 1 one way; in 2 parts that don't hear each other" in summary(known)
    text = picture(known).svg()
    assert ">0.25 / 1<" in text
    assert text.count("<polygon") == 1


def test_all_that_is_there_is_drawn(small, tmp_path):
    other = small.mote_types[0]._replace(identifier="b", description="B & <b>")
    simulation = replace(line(small, Udgm(), 0, 40, 80), mote_types=(*small.mote_types, other))
    simulation = replace(simulation, motes=(*simulation.motes, Mote("b", 4, 0, 0)), title="<&>")
    root = drawn(simulation, tmp_path)
    assert [one.text for one in root.iter(f"{SVG}title")] == [
        "<&>",
        "mote 1, A node, at (0 m, 0 m)",
        "mote 2, A node, at (40 m, 0 m)",
        "mote 3, A node, at (80 m, 0 m)",
        "mote 4, B & <b>, at (0 m, 0 m)",
    ]
    assert len(list(root.iter(f"{SVG}line"))) == 4
    words = " ".join(root.itertext())
    for said in (
        "3 x A node (ContikiMoteType)",
        "1 x B & <b> (ContikiMoteType)",
        "transmitting range 50 m".capitalize(),
    ):
        assert said in words


def test_a_crowd_is_drawn_without_its_links(small, tmp_path):
    crowd = replace(
        small, motes=tuple(Mote("mtype1", number, number % 40, number // 40) for number in range(160))
    )
    root = drawn(crowd, tmp_path)
    assert not list(root.iter(f"{SVG}line"))
    assert len(links(seen(crowd, tmp_path))) > MOST_LINKS
    assert "not drawn" in " ".join(root.itertext())


@settings(
    max_examples=examples(120),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    st.lists(st.tuples(*[st.sampled_from(["0", "1e300", "-1e-300", "5.5", "x", "nan", ""])] * 3), max_size=5),
    st.sampled_from(
        ["UDGM", "UDGMConstantLoss", "LogisticLoss", "SilentRadioMedium", "DirectedGraphMedium", "Else&lt;"]
    ),
    st.sampled_from(["50.0", "-1", "x", "1e308", "0"]),
)
def test_odd_files_are_drawn_well_formed(small, tmp_path, places, medium, reach):
    head, tail = write(replace(small, motes=())).split(b"<moteinterface>", 1)
    motes = "".join(
        f"<mote><interface_config>org.contikios.cooja.interfaces.Position<pos x='{x}' y='{y}' "
        f"z='{z}'/></interface_config></mote>"
        for x, y, z in places
    )
    data = head + motes.encode() + b"<moteinterface>" + tail
    data = data.replace(b"radiomediums.UDGM\n", f"radiomediums.{medium}\n".encode()).replace(
        b">50.0<", f">{reach}<".encode()
    )
    known = seen(data, tmp_path)
    text = picture(known).svg()
    root = etree.fromstring(text.encode())
    assert root.tag == f"{SVG}svg"
    assert "nan" not in text.replace("nano", "")
    assert "inf" not in "".join(value for one in root.iter() for value in one.attrib.values())
    assert picture(known).svg() == text


@pytest.mark.parametrize(("count", "tall"), [(2, 460.0), (100, 680.0), (400, 900.0)])
def test_a_picture_grows_with_its_motes_and_not_for_ever(small, tmp_path, count, tall):
    simulation = replace(
        small, motes=tuple(Mote("mtype1", number, 0, 10.0 * number) for number in range(1, count + 1))
    )
    at = [
        float(one.getparent().find(f"{SVG}circle").get("cy"))
        for one in drawn(simulation, tmp_path).iter(f"{SVG}title")
        if one.text.startswith("mote ")
    ]
    assert len(at) == count
    assert max(at) - min(at) == pytest.approx(tall, abs=0.1)


def test_a_range_far_wider_than_the_network_is_named_but_does_not_shrink_it(small, tmp_path):
    apart, wider = {}, {}
    for reach in (100, 200, 201, 3000):
        root = drawn(line(small, Udgm(reach, reach * 2), 0, 40, 80), tmp_path)
        words = " ".join(root.itertext())
        assert "the range of mote 2, the middle one, at full power" in words
        wider[reach] = "wider than the picture" in words
        left, *_, right = (
            float(one.getparent().find(f"{SVG}circle").get("cx"))
            for one in root.iter(f"{SVG}title")
            if one.text.startswith("mote ")
        )
        apart[reach] = right - left
    assert wider == {100: False, 200: False, 201: True, 3000: True}
    assert apart[200] < apart[100] < apart[201] == apart[3000]
