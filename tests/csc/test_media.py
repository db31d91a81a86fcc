# SPDX-License-Identifier: Apache-2.0
"""Radio media other than the plain unit disk graph: defaults, and what is wrong with an edge."""

from dataclasses import replace

import pytest

from orchestrator.csc.model import DirectedGraph, Edge, UdgmConstantLoss
from orchestrator.csc.read import read_bytes
from orchestrator.csc.write import write
from orchestrator.errors import FaultyInput, Unsupported

EDGE = "<edge><source>{}</source><dest>org.contikios.cooja.radiomediums.DGRMDestinationRadio<radio>{}</radio>{}</dest></edge>"


def with_edges(small, *edges: str) -> bytes:
    text = write(replace(small, medium=DirectedGraph())).decode()
    end = text.index("</radiomedium>")
    return (text[:end] + "\n".join(edges) + text[end:]).encode()


def test_an_edge_s_defaults_are_cooja_s(small):
    one, other = (mote.id for mote in small.motes)
    found = read_bytes(with_edges(small, EDGE.format(one, other, ""), EDGE.format(other, one, "<ratio> 0.5 </ratio>")))
    assert found.medium == DirectedGraph((Edge(one, other, 1.0, -10.0, 105, 0, -1), Edge(other, one, 0.5)))


def test_the_old_package_name(small):
    data = with_edges(small, EDGE.format(1, 2, "")).replace(b"org.contikios.cooja.radiomediums", b"se.sics.cooja.radiomediums")
    assert read_bytes(data).medium == DirectedGraph((Edge(1, 2),))


def test_the_window_draws_the_medium(small):
    assert b"UDGMVisualizerSkin" in write(replace(small, medium=UdgmConstantLoss()))
    graph = write(replace(small, medium=DirectedGraph()))
    assert b"DGRMVisualizerSkin" in graph
    assert b"UDGMVisualizerSkin" not in graph


FAULTY = {
    "an edge of mote 77, which is not in the simulation": EDGE.format(1, 77, ""),
    "ratio: 1.5 is out of range": EDGE.format(1, 2, "<ratio>1.5</ratio>"),
    "signal: 'loud' is not a decimal number": EDGE.format(1, 2, "<signal>loud</signal>"),
    "lqi: '1.5' is not a whole number": EDGE.format(1, 2, "<lqi>1.5</lqi>"),
    "delay: -1 is outside": EDGE.format(1, 2, "<delay>-1</delay>"),
    "unknown element <speed> of an edge": EDGE.format(1, 2, "<speed>1</speed>"),
    "without <source> or <dest>": "<edge><source>1</source></edge>",
    "without <radio>": EDGE.format(1, 2, "").replace("<radio>2</radio>", ""),
    "unknown element <transmitting_range> of the radio medium": "<transmitting_range>5</transmitting_range>",
}
UNSUPPORTED = {
    "an edge from mote 1 to itself": EDGE.format(1, 1, ""),
    "a second edge from mote 1 to mote 2": EDGE.format(1, 2, "") * 2,
    "an edge of the class 'org.example.Other'": EDGE.format(1, 2, "").replace(
        "org.contikios.cooja.radiomediums.DGRMDestinationRadio", "org.example.Other"),
    "in the form of before 2009": "<edge><src>Mote 1</src><ratio>1.0</ratio><dest>Mote 2</dest></edge>",
    "<BaseRSSIConfig>, a mote's own signal strength": '<BaseRSSIConfig Mote="1">-90.0</BaseRSSIConfig>',
}


@pytest.mark.parametrize("what", FAULTY)
def test_faults_have_their_lines(small, what):
    with pytest.raises(FaultyInput) as raised:
        read_bytes(with_edges(small, FAULTY[what]))
    fault = raised.value.faults[0]
    assert what in fault.what
    assert fault.line > 1
    assert fault.remedy


@pytest.mark.parametrize("what", UNSUPPORTED)
def test_what_is_not_supported_is_named(small, what):
    with pytest.raises(Unsupported) as raised:
        read_bytes(with_edges(small, UNSUPPORTED[what]))
    assert what in str(raised.value)
