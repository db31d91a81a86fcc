# SPDX-License-Identifier: Apache-2.0
"""Motes' attributes in physical units, and their values over time, from files and functions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import FaultyInput, NoSuchThing, Unsupported, WrongUsage
from orchestrator.features.cosimulation import Attributes, drive, from_csv, from_function
from orchestrator.features.cosimulation.attributes import Quantity
from orchestrator.live import CallbackHung
from tests import needs
from tests.features.cosimulation.conftest import QUANTITIES
from tools.fuzz.targets import values

needs.a_compiler()


@pytest.fixture
def attributes(simulation):
    return Attributes(simulation, QUANTITIES)


def lines(outputs, mote=1):
    return [(output.time_us, output.text.decode()) for output in outputs if output.mote == mote]


def test_quantities_have_units_and_the_firmware_sees_them(simulation, attributes):
    assert attributes.read(1, QUANTITIES) == {"temperature": 20, "share": 0.5, "valve": 0, "title": "none"}
    attributes.write(1, {"temperature": 21.5049, "share": 0.25, "title": "much too long"})
    assert attributes.read(1, QUANTITIES) == {
        "temperature": pytest.approx(21.5),
        "share": 0.25,
        "valve": 0,
        "title": "much to",
    }
    assert lines(simulation.step("1 s")) == [(500_000, "measured 2150")]
    assert attributes.read(2, ["temperature"]) == {"temperature": 20}


def test_a_place_a_radio_and_power(simulation, attributes):
    attributes.write(2, {"y": 7.5})
    assert attributes.read(2, ["x", "y", "z", "radio", "on"]) == {
        "x": 20,
        "y": 7.5,
        "z": 0,
        "radio": "listening",
        "on": True,
    }
    simulation.step("2 s")
    attributes.write(2, {"on": False, "temperature": 1})
    assert attributes.read(2, ["temperature", "x", "on"]) == {"temperature": None, "x": None, "on": False}
    attributes.write(2, {"on": True, "temperature": 19})
    assert attributes.read(2, ["temperature", "on"]) == {"temperature": 19, "on": True}


def test_a_serial_line(simulation, attributes):
    attributes.write(3, {"serial": "open"})
    simulation.step(by="10 ms")
    assert attributes.read(3, ["valve"]) == {"valve": 1}
    attributes.write(3, {"serial": ["close", "nothing"]})
    simulation.step(by="10 ms")
    assert attributes.read(3, ["valve"]) == {"valve": 0}


def test_what_is_not_there(attributes):
    with pytest.raises(NoSuchThing, match="temperature"):
        attributes.read(1, ["temperatur"])
    with pytest.raises(NoSuchThing):
        attributes.write(1, {"radio": "off"})
    with pytest.raises(Unsupported, match="simButtonIsDown"):
        attributes.write(1, {"click": True})


@pytest.mark.parametrize("wrong", ["warm", None, float("nan"), float("inf"), 1e9])
def test_values_that_a_variable_cannot_hold(attributes, wrong):
    with pytest.raises(WrongUsage, match="centidegrees"):
        attributes.write(1, {"temperature": wrong})


@pytest.mark.parametrize(
    "text", ["centidegrees", "a:hh", "a:h*", "a:h*x", "a:h*0", "a:h*inf", "", ":h", "a:Q*1*2"]
)
def test_quantities_that_are_none(simulation, text):
    with pytest.raises(WrongUsage):
        Attributes(simulation, {"temperature": text})


def test_a_quantity_has_a_name_of_its_own(simulation):
    with pytest.raises(WrongUsage, match="x is"):
        Attributes(simulation, {"x": "centidegrees:h"})


@given(st.floats(-300, 300), st.sampled_from([0.01, 0.5, 1.0, 7.0]))
def test_rounding_loses_at_most_half_a_unit(value, unit):
    quantity = Quantity("v", "h", unit)
    assert abs(quantity.value_of(quantity.raw_of(value)) - value) <= unit / 2 * (1 + 1e-9)


def test_a_csv_file_sets_values_at_its_times(simulation, tmp_path):
    values = tmp_path / "values.csv"
    values.write_text(
        "time,mote,temperature,serial\n# all motes\n0,,19.5,\n0.75,1,18,\n"
        "1.6 s,1,,open\n1.6 s,2,17,\n90,,0,\n"
    )
    outputs = drive(simulation, "2.2 s", [from_csv(values)], QUANTITIES)
    assert simulation.now_us == 2_200_000
    assert [text for _, text in lines(outputs, 1)] == [
        "measured 1950",
        "measured 1800",
        "measured 1800",
        "opened",
        "measured 1800",
    ]
    assert [text for _, text in lines(outputs, 2)][-1] == "measured 1700"
    assert [text for _, text in lines(outputs, 3)][-1] == "measured 1950"


@given(
    st.binary(max_size=200)
    | st.lists(
        st.lists(st.sampled_from(["1", "2", "9", "1e9", "nan", "-1", "x", "", "2 min", '"', "#"]), max_size=5)
    )
    .map(lambda lines: "time,mote,temperature,title,serial\n" + "\n".join(map(",".join, lines)))
    .map(str.encode)
)
def test_any_file_of_values_is_read_or_has_faults(data):
    values(data)


def test_going_on_repeats_no_event_and_loses_no_value(simulation, tmp_path):
    values = tmp_path / "values.csv"
    values.write_text("time,temperature,serial\n0.1,18,open\n0.2,19,\n2,,close\n")
    asked = []
    sources = [
        from_csv(values),
        from_function(lambda mote, time_s: asked.append(time_s), "share", "1 s", motes=[1]),
    ]
    simulation.step("150 ms")
    first = [text for _, text in lines(drive(simulation, "2 s", sources, QUANTITIES))]
    assert first == ["measured 1900", "measured 1900", "measured 1900"]
    second = [text for _, text in lines(drive(simulation, "2.3 s", sources, QUANTITIES))]
    assert second == ["closed", "measured 1900"]
    assert asked == [0, 1, 2]


def test_every_fault_of_a_csv_file_has_its_line(simulation, tmp_path):
    values = tmp_path / "values.csv"
    values.write_text(
        "time,mote,temperature\n1,1,20\nx,1,20\n2,9,20\n3,1,warm\n2,1,20\n-1,1,5\n4,1,99999\n1,2,3,4\n"
    )
    with pytest.raises(FaultyInput) as raised:
        drive(simulation, "5 s", [from_csv(values)], QUANTITIES)
    assert [fault.line for fault in raised.value.faults] == [3, 4, 5, 6, 7, 8, 9]
    assert simulation.now_us == 0
    values.write_text("time,temprature\n")
    with pytest.raises(FaultyInput, match="temperature"):
        drive(simulation, "5 s", [from_csv(values)], QUANTITIES)
    with pytest.raises(NoSuchThing):
        drive(simulation, "5 s", [from_csv(tmp_path / "none.csv")], QUANTITIES)


def test_a_function_gives_values(simulation, tmp_path):
    asked = []

    def temperature(mote, time_s):
        asked.append((mote, time_s))
        return None if mote == 2 else 20 + mote + time_s

    events = tmp_path / "events.csv"
    events.write_text("time,serial\n0.6,open\n")
    sources = [from_function(temperature, "temperature", "400 ms", motes=[1, 2]), from_csv(events)]
    outputs = drive(simulation, "1.3 s", sources, QUANTITIES)
    assert asked == [(mote, time_s) for time_s in (0, 0.4, 0.8, 1.2) for mote in (1, 2)]
    assert [text for _, text in lines(outputs, 1)] == ["measured 2140", "opened", "measured 2180"]
    assert "measured 2000" in [text for _, text in lines(outputs, 2)]


def test_a_function_that_raises_or_never_returns(simulation):
    def raises(mote, time_s):
        return 1 / (2 - time_s)

    with pytest.raises(ZeroDivisionError) as raised:
        drive(simulation, "5 s", [from_function(raises, "temperature", "1 s")], QUANTITIES)
    assert "mote 1 at 2 s" in raised.value.__notes__[0]
    assert simulation.now_us == 1_000_000

    def hangs(mote, time_s):
        while True:
            pass

    with pytest.raises(CallbackHung, match="hangs"):
        drive(simulation, "5 s", [from_function(hangs, "temperature", "1 s", limit_s=0.3)], QUANTITIES)
    assert lines(simulation.step("3 s"))[-1] == (2_500_000, "measured 100")
    with pytest.raises(WrongUsage):
        from_function(raises, "temperature", 0)
