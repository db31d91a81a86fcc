# SPDX-License-Identifier: Apache-2.0
"""Two files that say the same have no differences, and each thing that differs is one."""

import re
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.csc import interfaces
from orchestrator.csc.difference import differences
from orchestrator.csc.fixing import fix_bytes
from orchestrator.csc.model import DirectedGraph, Edge, EndScript, Mote, MoteType, Simulation, Udgm
from orchestrator.csc.survey import survey
from orchestrator.csc.write import write
from tests.tier import examples


def seen(simulation, folder, name="a.csc"):
    data = simulation if isinstance(simulation, bytes) else write(simulation)
    (folder / name).write_bytes(data)
    return survey(folder / name)


def found(one, other, folder, **more):
    return [
        (each.part, each.of, each.what, each.before, each.after)
        for each in differences(seen(one, folder), seen(other, folder, "b.csc"), **more)
    ]


def test_formatting_and_windows_do_not_count(small, tmp_path):
    data = write(small)
    other = (
        re.sub(rb">\s+<", b"><", data)
        .replace(b'x="420"', b'x="1"')
        .replace(b"50.0", b"50")
        .replace(b"org.contikios.cooja.radio", b"se.sics.cooja.radio")
    )
    assert other != data
    assert found(data, other, tmp_path) == []


def test_each_thing_that_differs(small, tmp_path):
    one, two = small.motes
    other = replace(
        small,
        title="Other",
        seed=None,
        motedelay_us=5,
        medium=Udgm(60, 100, 1, 0.95),
        mote_types=(
            small.mote_types[0]._replace(
                commands="make all",
                interfaces=small.mote_types[0].interfaces[1:] + ("Position",),
            ),
        ),
        motes=(replace(two, x=31.0), replace(one, eeprom=b"\x52\x4f\x02"), Mote("mtype1", 9, 1, 2, 3)),
        script=EndScript(5_000_000),
    )
    told = found(small, other, tmp_path)
    assert told[:5] == [
        ("settings", "", "title", "Two motes & more", "Other"),
        ("settings", "", "seed", "7", "generated"),
        ("settings", "", "start delay", "1000000", "5"),
        ("medium", "", "transmitting_range", "50.0", "60.0"),
        ("mote type", "A node", "commands", "$(MAKE) -j$(CPUS) node.cooja TARGET=cooja", "make all"),
    ]
    assert told[5][2] == "order of interfaces"
    assert told[6:10] == [
        ("mote", "1", "EEPROM", "3 bytes, from byte 2 on: 01", "3 bytes, from byte 2 on: 02"),
        ("mote", "2", "moved", "(30.5, -4.0)", "(31.0, -4.0)"),
        ("mote", "9", "added", None, "(1.0, 2.0, 3.0)"),
        ("mote", "", "order (start delays are drawn in it)", "1 2", "2 1"),
    ]
    assert told[10][:3] == ("script", "", "changed")
    assert "+TIMEOUT(5000, log.testOK());" in told[10][4]
    assert len(told) == 11


def test_images_are_told_by_their_fields(small, tmp_path):
    def decode(source, image):
        assert source == "[CONFIG_DIR]/node.c"
        return {"role": "relay" if image[2] == 1 else "subscriber", "same": 4}

    other = replace(small, motes=(replace(small.motes[0], eeprom=b"\x52\x4f\x02"), small.motes[1]))
    assert found(small, other, tmp_path, decode=decode) == [
        ("mote", "1", "EEPROM role", "relay", "subscriber")
    ]


def test_edges_by_their_ends(small, tmp_path):
    one = replace(small, medium=DirectedGraph((Edge(1, 2, 0.5), Edge(2, 1))))
    other = replace(small, medium=DirectedGraph((Edge(2, 1, lqi=7),)))
    assert found(one, other, tmp_path) == [
        ("edge", "1 to 2", "removed", "there", None),
        ("edge", "2 to 1", "lqi", "105.0", "7.0"),
    ]


types = st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=3, unique=True)


@st.composite
def simulations(draw):
    kinds = [
        MoteType(name, name.upper(), f"[CONFIG_DIR]/{name}.c", "make", interfaces.STANDARD_INTERFACES)
        for name in draw(types)
    ]
    ids = draw(st.lists(st.integers(0, 99), max_size=6, unique=True))
    whole = st.integers(-5, 5).map(float)
    return Simulation(
        draw(st.sampled_from(["x", "y"])),
        draw(st.none() | st.integers(1, 2)),
        draw(st.integers(0, 1)),
        Udgm(draw(st.integers(1, 2))),
        tuple(kinds),
        tuple(
            Mote(
                draw(st.sampled_from(kinds)).identifier,
                one,
                draw(whole),
                draw(whole),
                draw(whole),
                draw(st.none() | st.binary(max_size=3)),
            )
            for one in ids
        ),
        EndScript(draw(st.integers(1, 2)) * 1000),
    )


@settings(
    max_examples=examples(120),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(simulations(), simulations())
def test_no_difference_if_and_only_if_they_are_the_same(tmp_path, one, other):
    assert found(one, one, tmp_path) == []
    there, back = found(one, other, tmp_path), found(other, one, tmp_path)
    unnamed = [
        replace(each, mote_types=tuple(sorted(each.mote_types, key=lambda kind: kind.identifier)))
        for each in (one, other)
    ]
    assert (there == []) is (unnamed[0] == unnamed[1])
    assert len(there) == len(back)


@settings(
    max_examples=examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(simulations())
def test_what_fix_changes_is_no_difference(tmp_path, simulation):
    old = (
        write(simulation)
        .replace(b"org.contikios", b"se.sics")
        .replace(b"<motedelay_us>0<", b"<motedelay>0<")
        .replace(b"</motedelay_us>", b"</motedelay>" if simulation.motedelay_us == 0 else b"</motedelay_us>")
    )
    assert found(old, fix_bytes(old)[0], tmp_path) == []


@pytest.mark.parametrize("text", ["nan", "inf", "1_0", "x", ""])
def test_what_is_no_number_is_kept_as_text(small, tmp_path, text):
    data = write(small).replace(b'x="30.5"', f'x="{text}"'.encode())
    mote = seen(data, tmp_path).motes[1]
    assert mote.x == text
    assert not mote.placed
