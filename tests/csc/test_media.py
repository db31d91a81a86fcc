# SPDX-License-Identifier: Apache-2.0
"""Radio media other than the plain unit disk graph: defaults, and what is wrong with an edge."""

from dataclasses import replace

import pytest

from orchestrator.csc.model import (
    DirectedGraph,
    Edge,
    LogisticLoss,
    OwnSignal,
    Silent,
    UdgmConstantLoss,
)
from orchestrator.csc.read import read_bytes
from orchestrator.csc.write import write
from orchestrator.errors import FaultyInput, Unsupported
from orchestrator.media.log_distance import LogDistance

EDGE = "<edge><source>{}</source><dest>org.contikios.cooja.radiomediums.DGRMDestinationRadio<radio>{}</radio>{}</dest></edge>"  # noqa: E501


def with_edges(small, *edges: str) -> bytes:
    text = write(replace(small, medium=DirectedGraph())).decode()
    end = text.index("</radiomedium>")
    return (text[:end] + "\n".join(edges) + text[end:]).encode()


def test_an_edge_s_defaults_are_cooja_s(small):
    one, other = (mote.id for mote in small.motes)
    found = read_bytes(
        with_edges(small, EDGE.format(one, other, ""), EDGE.format(other, one, "<ratio> 0.5 </ratio>"))
    )
    assert found.medium == DirectedGraph((Edge(one, other, 1.0, -10.0, 105, 0, -1), Edge(other, one, 0.5)))


def test_the_old_package_name(small):
    data = with_edges(small, EDGE.format(1, 2, "")).replace(
        b"org.contikios.cooja.radiomediums", b"se.sics.cooja.radiomediums"
    )
    assert read_bytes(data).medium == DirectedGraph((Edge(1, 2),))


def test_the_window_draws_the_medium(small):
    assert b"UDGMVisualizerSkin" in write(replace(small, medium=UdgmConstantLoss()))
    graph = write(replace(small, medium=DirectedGraph()))
    assert b"DGRMVisualizerSkin" in graph
    assert b"UDGMVisualizerSkin" not in graph


def test_several_edges_between_two_radios_and_to_itself_are_read_in_their_order(small):
    found = read_bytes(
        with_edges(small, EDGE.format(1, 2, ""), EDGE.format(2, 2, ""), EDGE.format(1, 2, "<lqi>7</lqi>"))
    )
    assert found.medium == DirectedGraph((Edge(1, 2), Edge(2, 2), Edge(1, 2, lqi=7)))


def medium_of(small, name: str, content: str):
    """The medium of that class and content in place of a directed graph."""
    return read_bytes(with_edges(small, content).replace(b"DirectedGraphMedium", name.encode())).medium


def test_logistic_loss_has_cooja_s_defaults_and_takes_what_another_medium_left(small):
    assert medium_of(small, "LogisticLoss", "") == LogisticLoss(
        20.0, 1.0, -100.0, -92.0, 3.0, 3.0, False, -10.0, 10.0
    )
    assert medium_of(
        small,
        "LogisticLoss",
        "<interference_range>9</interference_range><success_ratio_rx>2</success_ratio_rx>"
        "<enable_time_variation>TRUE</enable_time_variation><awgn_sigma>-1.5</awgn_sigma>",
    ) == LogisticLoss(awgn_sigma=-1.5, enable_time_variation=True)
    file, line = medium_of(
        small, "LogisticLoss", "\n<enable_time_variation>true</enable_time_variation>"
    ).varies_at.split(":")
    before = int(
        medium_of(
            small, "LogisticLoss", "<enable_time_variation>true</enable_time_variation>"
        ).varies_at.split(":")[1]
    )
    assert file and int(line) == before + 1


def test_the_silent_medium_takes_anything(small):
    assert medium_of(small, "SilentRadioMedium", EDGE.format(77, 78, "")) == Silent()


def test_motes_without_a_radio_have_no_edge_and_no_signal(small):
    deaf = tuple(
        kind._replace(interfaces=tuple(name for name in kind.interfaces if name != "ContikiRadio"))
        for kind in small.mote_types
    )
    text = with_edges(
        replace(small, mote_types=deaf),
        EDGE.format(1, 2, ""),
        '<BaseRSSIConfig Mote="2">-90</BaseRSSIConfig>',
    )
    with pytest.raises(FaultyInput) as raised:
        read_bytes(text)
    assert [fault.what for fault in raised.value.faults] == [
        "an edge of mote 1, which has no radio",
        "an edge of mote 2, which has no radio",
        "a signal strength of mote 2, which has no radio",
    ]
    assert all(fault.line > 1 for fault in raised.value.faults)


FAULTY = {
    "a signal strength of mote 77, which is not in the simulation": "<BaseRSSIConfig "
    'Mote="77">-90</BaseRSSIConfig>',
    "<SendRSSIConfig> without the attribute Mote": "<SendRSSIConfig>-90</SendRSSIConfig>",
    "Mote: 'x' is not a whole number": '<SendRSSIConfig Mote="x">-90</SendRSSIConfig>',
    "BaseRSSIConfig: 'low' is not a decimal number": '<BaseRSSIConfig Mote="1">low</BaseRSSIConfig>',
    "an edge of mote 77, which is not in the simulation": EDGE.format(1, 77, ""),
    "ratio: 1.5 is out of range": EDGE.format(1, 2, "<ratio>1.5</ratio>"),
    "signal: 'loud' is not a decimal number": EDGE.format(1, 2, "<signal>loud</signal>"),
    "lqi: '1.5' is not a whole number": EDGE.format(1, 2, "<lqi>1.5</lqi>"),
    "delay: -1 is outside": EDGE.format(1, 2, "<delay>-1</delay>"),
    "without <source> or <dest>": "<edge><source>1</source></edge>",
    "without <radio>": EDGE.format(1, 2, "").replace("<radio>2</radio>", ""),
}
UNSUPPORTED = {
    "an edge of the class 'org.example.Other'": EDGE.format(1, 2, "").replace(
        "org.contikios.cooja.radiomediums.DGRMDestinationRadio", "org.example.Other"
    ),
    "in the form of before 2009": "<edge><src>Mote 1</src><ratio>1.0</ratio><dest>Mote 2</dest></edge>",
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


@pytest.mark.parametrize(
    ("name", "raised", "what"),
    [
        ("NoSuchMedium", FaultyInput, "unknown radio medium 'org.contikios.cooja.radiomediums.NoSuchMedium'"),
        ("MRM", FaultyInput, "not supported: radio medium org.contikios.mrm.MRM"),  # UDGM's parameters
    ],
)
def test_a_medium_that_is_not_run_is_told_beside_the_file_s_other_faults(small, name, raised, what):
    package = "mrm" if name == "MRM" else "cooja.radiomediums"
    data = write(small).replace(
        b"org.contikios.cooja.radiomediums.UDGM\n", f"org.contikios.{package}.{name}\n".encode()
    )
    with pytest.raises(raised) as found:
        read_bytes(data)
    assert what in str(found.value)
    with pytest.raises(FaultyInput, match="'two' is not a whole number"):
        read_bytes(data.replace(b"<id>2</id>", b"<id>two</id>"))


def test_log_distance_is_written_under_a_name_that_no_cooja_has(small):
    medium = LogDistance(-45.5, 3.2, 4.0, 1.5, -88.0, 0.0, 6.0, (OwnSignal(1, -97.0),))
    data = write(replace(small, medium=medium))
    assert b"orchestrate.radiomediums.LogDistance" in data and b"org.contikios.cooja.radiomediums" not in data
    assert read_bytes(data).medium == medium
    assert read_bytes(data.replace(b"<width_db>0.0</width_db>", b"")).medium == replace(medium, width_db=1.0)


def test_what_is_wrong_with_log_distance_is_told_with_its_line(small):
    data = write(replace(small, medium=LogDistance()))
    for wrong, message in (
        (b"<shadowing_db>-1", "shadowing_db: -1.0 is negative"),
        (b"<shadowing_db>x", "shadowing_db"),
        (b"<shadowing_db>0</shadowing_db><range>1</range><shadowing_db>0", "unknown element <range>"),
    ):
        with pytest.raises(FaultyInput, match=message):
            read_bytes(data.replace(b"<shadowing_db>0.0", wrong))
    assert read_bytes(
        data.replace(b"<sensitivity_dbm>-90.0", b"<sensitivity_dbm>-95.5")
    ).medium == LogDistance(sensitivity_dbm=-95.5)
