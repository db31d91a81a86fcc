# SPDX-License-Identifier: Apache-2.0
"""A value's schema takes what the loader takes."""

import re
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.vocabulary import json_schema, units
from orchestrator.vocabulary.document import Scalar
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.parameters import QUANTITIES, Parameter, check
from orchestrator.vocabulary.units import NotAQuantity
from tests.tier import examples

UNITS = [(dimension, unit) for dimension in QUANTITIES for unit in units.UNITS[dimension]]


def is_taken(dimension: str, text: str) -> bool:
    return re.search(json_schema.definitions()[dimension]["pattern"], text) is not None


def is_read(dimension: str, text: str) -> bool:
    try:
        units.parse(text, dimension)
    except NotAQuantity:
        return False
    return True


@settings(max_examples=examples(400), deadline=None)
@given(st.sampled_from(UNITS), st.integers(0, 999), st.text("0125", max_size=10), st.sampled_from(["", " "]))
def test_numbers_with_units_are_taken_if_they_are_read(of, whole, decimals, space):
    dimension, unit = of
    text = f"{whole}.{decimals}{space}{unit}" if decimals else f"{whole}{space}{unit}"
    assert is_taken(dimension, text) is is_read(dimension, text)


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("0.000001 s", True),
        ("0.0000001 s", False),
        ("0.0000005 s", False),
        ("0.0000001 min", True),  # 6 us
        ("0.00000005 min", True),  # 3 us
        ("0.00000001 min", False),
        ("0.00000025 h", True),  # 900 us
        ("1.5 us", False),
        ("1.0 us", True),
        ("1 furlong", False),
        ("1", False),
        (" 1 s ", True),
        ("+1 s", True),
        ("s", False),
    ],
)
def test_a_time_is_whole_microseconds(text, taken):
    assert is_taken(units.TIME, text) is taken is is_read(units.TIME, text)


@pytest.mark.parametrize("holds", [1, 5, 8, 12, 25, 50, 250])
def test_decimals_are_those_of_any_unit_whatever_it_holds(holds, monkeypatch):
    monkeypatch.setattr(units, "UNITS", units.UNITS | {units.SIZE: {"box": Decimal(holds)}})
    texts = [f"1.{number:0{digits}d}box" for digits in (1, 2, 3) for number in range(10**digits)]
    assert [text for text in texts if is_taken(units.SIZE, text) is not is_read(units.SIZE, text)] == []


def test_a_ratio_may_have_no_unit_and_says_what_it_is_like():
    assert is_taken(units.RATIO, "0.5") and is_taken(units.RATIO, "50 %")
    assert json_schema.definitions()[units.RATIO]["type"] == ["string", "number"]
    assert json_schema.definitions()[units.TIME]["type"] == "string"
    for dimension, schema in json_schema.definitions().items():
        assert all(re.search(schema["pattern"], one) for one in schema["examples"])
        assert f"a {dimension} is a number with one of " in schema["patternErrorMessage"]


@pytest.mark.parametrize(
    ("declared", "schema"),
    [
        (
            Parameter("n", "int", 3, 1, 9, help="how many"),
            {"type": ["integer", "string"], "minimum": 1, "maximum": 9, "default": 3,
             "description": "how many (1 to 9)"},
        ),
        (
            Parameter("n", "number", minimum=0.5, help="how much"),
            {"type": ["number", "string"], "minimum": 0.5, "description": "how much (at least 0.5)"},
        ),
        (
            Parameter("b", "bool", False, help="whether"),
            {"type": ["boolean", "string"], "default": False, "description": "whether (true or false)"},
        ),
        (
            Parameter("c", "choice", "1", choices=("1", "true", "false", "x"), help="which"),
            {"enum": ["1", "true", "false", "x", 1.0, True, False], "default": "1",
             "description": "which (1, true, false, x)"},
        ),
        (
            Parameter("d", units.TIME, 2_000_000, 1, help="how long"),
            {"$ref": f"#/$defs/{units.TIME}", "default": "2 s", "description": "how long (at least 1 us)"},
        ),
        (
            Parameter("r", units.RATIO, maximum=0.5, help="share"),
            {"$ref": f"#/$defs/{units.RATIO}", "maximum": 0.5, "description": "share (at most 50 %)"},
        ),
        (
            Parameter("t", "text", help="any"),
            {"type": ["string", "number", "boolean"], "minLength": 1, "description": "any"},
        ),
    ],
    ids=lambda one: getattr(one, "type", ""),
)  # fmt: skip
def test_the_schema_of_a_setting(declared, schema):
    assert {key: value for key, value in json_schema.value(declared).items() if key != "pattern"} == schema


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        ("int", ["1", "-12", "+3", "1.5", "x", ""]),
        ("number", ["1", "1.5", "-0.25", ".5", "1.", "1e3"]),
        ("bool", ["true", "false", "yes", "True"]),
        ("motes", ["S", "S  P3", "none", "3", "S,P"]),
        ("policies", ["a.escape", "a.escape  b/c.escape", "none", "a.yaml", "-.escape"]),
        ("bytecode", ["a.escape", "a.escape b.escape", "none", "a"]),
    ],
)
def test_a_pattern_takes_what_is_read(kind, texts):
    declared = Parameter("one", kind)
    pattern = json_schema.value(declared)["pattern"]
    for text in texts:
        faults = Faults("x.yaml")
        check(declared, Scalar(text, 1), "one", faults)
        assert (re.search(pattern, text) is not None) is (len(faults) == 0), text
