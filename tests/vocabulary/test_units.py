# SPDX-License-Identifier: Apache-2.0
"""Quantities: exact both ways, and a clear answer to what is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.vocabulary import units
from orchestrator.vocabulary.units import NotAQuantity


@pytest.mark.parametrize(
    ("text", "dimension", "value"),
    [
        ("15 min", "time", 900_000_000),
        ("15min", "time", 900_000_000),
        ("0.1 s", "time", 100_000),
        ("1.5 h", "time", 5_400_000_000),
        ("0 s", "time", 0),
        ("7 us", "time", 7),
        ("50 m", "length", 50.0),
        ("5 cm", "length", 0.05),
        ("1.2 km", "length", 1200.0),
        ("-3 m", "length", -3.0),
        ("95 %", "ratio", 0.95),
        ("0.95", "ratio", 0.95),
        ("250 kbit/s", "rate", 250_000),
        ("0.25 Mbit/s", "rate", 250_000),
        ("3 bit/s", "rate", 3),
        ("7 ms", "time", 7000),
        ("3 mm", "length", 0.003),
        ("2 GB", "size", 2 * 10**9),
        ("2 MB", "size", 2 * 10**6),
        ("2 kB", "size", 2000),
        ("+2 B", "size", 2),
        ("5" + "0" * 23 + " GB", "size", 5 * 10**32),  # no digit is rounded
        ("1" + "0" * 22 + "1.0000001 min", "time", 60 * 10**6 * (10**23 + 1) + 6),
    ],
)
def test_written_quantities(text, dimension, value):
    assert units.parse(text, dimension) == value


@pytest.mark.parametrize(
    ("text", "dimension", "what", "remedy"),
    [
        ("15", "time", "no unit", "15 min"),
        ("50 s", "length", "is a time, a length is needed", "m, cm"),
        ("5 sec", "time", "not a unit of time", "did you mean s?"),
        ("5 metres", "length", "not a unit of length", "did you mean m?"),
        (
            "5 SEC",
            "time",
            "'SEC' is not a unit of time",
            "did you mean s? use one of h, min, s, ms, us: 15 min",
        ),
        ("5 mss", "time", "'mss' is not a unit of time", "did you mean ms? use one of"),
        ("1.5 B", "size", "1.5 B is not a whole number of bytes", "write fewer digits"),
        ("1.5 bit/s", "rate", "1.5 bit/s is not a whole number of bit/s", "write fewer digits"),
        ("7", "length", "7 has no unit", "add one of km, m, cm, mm: 7 m"),
        ("1" * 25 + " s", "time", "is not a time", "write a number and a unit, such as 15 min"),
        (f"0.{'0' * 24}1 s", "time", "is not a time", ""),
        (f"0.{'0' * 23}1 s", "time", "is not a whole number of microseconds", ""),
        ("250 kbps", "rate", "not a unit of rate", "did you mean kbit/s?"),
        ("5 furlong", "length", "not a unit of length", "use one of"),
        ("1.5 us", "time", "not a whole number of microseconds", "fewer digits"),
        ("fast", "time", "is not a time", "15 min"),
        ("", "time", "is not a time", "15 min"),
        ("1e9 s", "time", "", ""),
        ("1e999999999 s", "time", "", ""),
        ("1" * 100 + " s", "time", "is not a time", "a number and a unit"),
        ("nan s", "time", "is not a time", ""),
        ("١٥ min", "time", "is not a time", ""),  # digits, but not ours
    ],
)
def test_what_is_no_quantity_gets_a_reason_and_a_remedy(text, dimension, what, remedy):
    with pytest.raises(NotAQuantity) as caught:
        units.parse(text, dimension)
    assert what in caught.value.what
    assert remedy in caught.value.remedy


@given(st.integers(0, 10**16))
def test_times_round_trip(microseconds):
    assert units.parse(units.show(microseconds, "time"), "time") == microseconds


@given(st.integers(0, 10**12))
def test_rates_round_trip(bits_per_second):
    assert units.parse(units.show(bits_per_second, "rate"), "rate") == bits_per_second


@given(st.floats(0, 1e6, allow_subnormal=False).filter(lambda value: value == 0 or value > 1e-6))
def test_lengths_round_trip(metres):
    assert units.parse(units.show(metres, "length"), "length") == metres


@given(st.floats(0, 1, allow_subnormal=False).filter(lambda value: value == 0 or value > 1e-4))
def test_ratios_round_trip(ratio):
    assert units.parse(units.show(ratio, "ratio"), "ratio") == ratio


@pytest.mark.parametrize(
    ("value", "text"),
    [(900_000_000, "15 min"), (5_400_000_000, "90 min"), (0, "0 s"), (1_500, "1500 us"), (250_000, "250 ms")],
)
def test_a_time_takes_the_largest_unit_that_divides_it(value, text):
    assert units.show(value, "time") == text


@given(st.text(max_size=40), st.sampled_from(sorted(units.UNITS)))
def test_any_text_is_a_quantity_or_not_one(text, dimension):
    try:
        units.parse(text, dimension)
    except NotAQuantity as wrong:
        assert wrong.what
        assert wrong.remedy
