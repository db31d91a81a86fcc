# SPDX-License-Identifier: Apache-2.0
"""What a parameter allows, in words, and how its values are written."""

import pytest

from orchestrator.vocabulary import units
from orchestrator.vocabulary.parameters import Parameter, listed


@pytest.mark.parametrize(
    ("declared", "limits"),
    [
        (Parameter("a", "bool"), "true or false"),
        (Parameter("a", "choice", choices=("x", "y")), "x, y"),
        (Parameter("a", "int", minimum=2, maximum=2), "only 2"),
        (Parameter("a", "int", minimum=0, maximum=2), "0 to 2"),
        (Parameter("a", "int", minimum=0), "at least 0"),
        (Parameter("a", units.TIME, maximum=1_500_000), "at most 1500 ms"),
        (Parameter("a", units.RATIO, minimum=0.0, maximum=1.0), "0 % to 100 %"),
        (Parameter("a", "text"), ""),
    ],
)
def test_limits_in_words(declared, limits):
    assert declared.limits() == limits


@pytest.mark.parametrize(
    ("kind", "value", "shown", "plain"),
    [
        (units.TIME, 900_000_000, "15 min", "15 min"),
        (units.LENGTH, 2.5, "2.5 m", "2.5 m"),
        (units.RATIO, 0.125, "12.5 %", "12.5 %"),
        ("bool", True, "true", True),
        ("bool", False, "false", False),
        ("int", 7, "7", 7),
        ("number", 1.5, "1.5", 1.5),
        ("text", "word", "word", "word"),
    ],
)
def test_values_as_a_file_writes_them_and_as_tables_have_them(kind, value, shown, plain):
    declared = Parameter("a", kind)
    assert declared.show(value) == shown
    assert declared.plain(value) == plain and type(declared.plain(value)) is type(plain)


def test_names_in_a_list():
    assert listed("none") == [] and listed("S P3") == ["S", "P3"]
