# SPDX-License-Identifier: Apache-2.0
"""Conditions: what the text says, what code it becomes, and that gateways and motes agree on any code."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from orchestrate_testbed.gateway.event_service import condition as code
from orchestrate_testbed.gateway.event_service.condition import NotACondition, holds

from orchestrator.applications import descriptor
from orchestrator.features.event_service.event_types.condition import Unclear, compile_condition
from orchestrator.features.event_service.event_types.description import load
from orchestrator.features.event_service.event_types.files import DESCRIPTION
from tests import needs
from tests.tier import examples
from tests.waiting import HANG_S

CLIMATE = load(descriptor.load("event-service").file.parent / DESCRIPTION)["climate"]
MIDDLEWARE = Path(__file__).parents[4] / "contiki-apps" / "middleware"


def climate(temperature: int, humidity: int) -> bytes:
    return CLIMATE.encode({"temperature": temperature, "humidity": humidity})


def wanted(text: str, temperature: int, humidity: int = 0) -> bool:
    return holds(compile_condition(text, CLIMATE), climate(temperature, humidity))


def test_the_issue_s_own_condition():
    text = "temperature > 50 and < 60 and humidity > 40 %"
    for temperature in (4999, 5000, 5001, 5500, 5999, 6000):
        for humidity in (3999, 4000, 4001):
            expected = 5000 < temperature < 6000 and humidity > 4000
            assert wanted(text, temperature, humidity) is expected


atoms = st.tuples(
    st.sampled_from(["temperature", "humidity"]),
    st.sampled_from(["<", "<=", ">", ">=", "==", "!="]),
    st.integers(0, 8),
)
texts = st.recursive(
    atoms.map(lambda one: f"{one[0]} {one[1]} 0.0{one[2]}"),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(" ".join),
        inner.map(lambda one: f"not ({one})"),
        inner.map(lambda one: f"({one})"),
    ),
    max_leaves=5,
)


@settings(max_examples=examples(150), deadline=None)
@given(texts, st.integers(0, 8), st.integers(0, 8))
def test_text_means_what_python_makes_of_it(text, temperature, humidity):
    names = {"temperature": temperature / 100, "humidity": humidity / 100}
    assert wanted(text, temperature, humidity) is bool(eval(text, {}, names))


@pytest.mark.parametrize(
    ("text", "at", "expected"),
    [
        ("temperature > 20.005", (2000, 2001), (False, True)),
        ("temperature >= 20.005", (2000, 2001), (False, True)),
        ("temperature < 20.005", (2000, 2001), (True, False)),
        ("temperature <= 20.005", (2000, 2001), (True, False)),
        ("temperature = -3", (-300, 300), (True, False)),
    ],
)
def test_numbers_between_two_steps_are_exact(text, at, expected):
    assert tuple(wanted(text, one) for one in at) == expected


def test_what_the_data_does_not_have_is_not_met():
    assert not holds(compile_condition("humidity < 100", CLIMATE), b"\0\0\0")
    assert holds(compile_condition("not humidity < 100", CLIMATE), b"\0\0\0")
    assert holds(b"", b"")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("warmth > 5", "no field 'warmth'"),
        ("> 5", "a field's name is expected"),
        ("temperature 5", "a comparison is expected"),
        ("temperature > hot", "a number is expected"),
        ("temperature > 5 %", "its unit is °C"),
        ("temperature > 5 humidity", "its unit is °C"),
        ("(temperature > 5", "a bracket is open at its end"),
        ("temperature > 5)", "is too much"),
        ("temperature == 20.005", "never true"),
        ("temperature != 20.005", "always true"),
        ("temperature > 400", "from -327.68 to 327.67 °C"),
        ("humidity < 0.00", None),
        (" and ".join(["temperature > 1"] * 9), "32 bytes"),
        ("not " * 19 + "temperature > 1", None),
        ("not " * 20 + "temperature > 1", "brackets"),
        ("(" * 19 + "temperature > 1" + ")" * 19, None),
        ("(" * 20 + "temperature > 1" + ")" * 20, "brackets"),
        ("", "its end"),
    ],
)
def test_texts_that_are_none(text, what):
    if what is None:
        compile_condition(text, CLIMATE)
        return
    with pytest.raises(Unclear, match=re.escape(what)) as caught:
        compile_condition(text, CLIMATE)
    assert caught.value.remedy


@pytest.mark.parametrize(
    "wrong",
    [
        b"\x01",
        b"\x03",
        b"\x40\0",
        b"\x40\0\0\x40\0\0",
        b"\x7f\0\0",
        b"\x46\0\0",
        b"\x40\0\0" * 9,
        b"\x02" * 33,
    ],
    ids=bytes.hex,
)
def test_code_that_is_none(wrong):
    with pytest.raises(NotACondition):
        code.read(wrong)


@pytest.fixture(scope="module")
def on_motes(tmp_path_factory):
    """Says of each (code, data) what a mote makes of it: n none, 0 or 1."""
    needs.a_compiler()
    program = tmp_path_factory.mktemp("condition") / "condition"
    source = Path(__file__).parent / "condition_main.c"
    terms = MIDDLEWARE / "event-terms"
    flags = ["-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    subprocess.run(
        ["cc", *flags, f"-I{terms}", source, terms / "event-condition.c", "-o", program], check=True
    )

    def said(pairs: list[tuple[bytes, bytes]]) -> str:
        fed = b"".join(bytes([len(one), len(data)]) + one + data for one, data in pairs)
        done = subprocess.run([program], input=fed, capture_output=True, timeout=HANG_S, check=True)
        return done.stdout.decode()

    return said


octet = st.one_of(st.sampled_from([1, 2, 3, 0x40, 0x52, 0x62, 0x6D]), st.integers(0, 255))
comparison = st.tuples(
    st.integers(0, 5), st.integers(0, 5), st.integers(0, 9), st.binary(min_size=4, max_size=4)
).map(lambda one: bytes([0x40 | one[0] << 3 | one[1], one[2]]) + one[3][: 1 << one[0] % 3])
conditions = st.recursive(
    comparison,
    lambda inner: st.one_of(
        st.tuples(inner, inner, st.sampled_from([b"\1", b"\2"])).map(b"".join),
        inner.map(lambda one: one + b"\3"),
    ),
    max_leaves=6,
)


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(
        st.tuples(conditions | st.lists(octet, max_size=34).map(bytes), st.binary(max_size=12)),
        min_size=1,
        max_size=60,
    )
)
def test_motes_and_gateways_agree(on_motes, pairs):
    def here(one: bytes, data: bytes) -> str:
        try:
            return str(int(holds(one, data)))
        except NotACondition:
            return "n"

    assert on_motes(pairs) == "".join(here(*pair) for pair in pairs)
