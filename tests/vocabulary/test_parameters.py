# SPDX-License-Identifier: Apache-2.0
"""What a parameter allows, in words, and how its values are written."""

import pytest

from orchestrator.errors import FaultyInput
from orchestrator.vocabulary import units
from orchestrator.vocabulary.document import Scalar
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.parameters import MOST_TEXT, Parameter, check


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


def checked(declared: Parameter, node):
    """The inner value, or the text and the remedy of the one fault."""
    faults = Faults("x.yaml")
    value = check(declared, node, "it", faults)
    if not len(faults):
        return value
    assert value is None
    with pytest.raises(FaultyInput) as raised:
        faults.raise_any()
    (fault,) = raised.value.faults
    assert fault.line == 7
    return fault.what, fault.remedy


LONG = "a" * MOST_TEXT
FILES = f"a.escape{' ' * (MOST_TEXT - 15)}b.escape"


@pytest.mark.parametrize(
    ("declared", "text", "value"),
    [
        (Parameter("a", "int", minimum=-2, maximum=3), "-2", -2),
        (Parameter("a", "int", minimum=-2, maximum=3), "+3", 3),
        (Parameter("a", "int"), "9" * 18, int("9" * 18)),
        (Parameter("a", "number", minimum=0.5), "0.5", 0.5),
        (Parameter("a", "bool"), "true", True),
        (Parameter("a", "bool"), "false", False),
        (Parameter("a", "choice", choices=("x", "y")), "y", "y"),
        (Parameter("a", "text"), LONG, LONG),
        (Parameter("a", "file"), "x y.csv", "x y.csv"),
        (Parameter("a", units.TIME, maximum=1_000_000), "1 s", 1_000_000),
        (Parameter("a", "motes"), "S   P3", "S P3"),
        (Parameter("a", "motes"), "none", "none"),
        (Parameter("a", "policies"), "b.escape  a.escape b.escape", "b.escape a.escape"),
        (Parameter("a", "policies"), "none", "none"),
        (Parameter("a", "policies"), f"a.escape{' ' * (MOST_TEXT - 16)}b.escape", "a.escape b.escape"),
        (Parameter("a", "bytecode"), "x/y.escape", "x/y.escape"),
        (Parameter("a", "bytecode"), "none", "none"),
    ],
)  # fmt: skip
def test_what_is_allowed_up_to_both_limits(declared, text, value):
    found = checked(declared, Scalar(text, 7))
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize(
    ("declared", "text", "what", "remedy"),
    [
        (Parameter("a", "int", 1, -2, 3), "-3", "'-3' is out of range", "allowed: -2 to 3"),
        (Parameter("a", "int", 1, -2, 3), "4", "'4' is out of range", "allowed: -2 to 3"),
        (Parameter("a", "int", 1), "x", "'x' is not a whole number", "write one, such as 1, without a unit"),
        (Parameter("a", "int", minimum=1), "1.5", "'1.5' is not a whole number",
         "write one (at least 1), without a unit"),
        (Parameter("a", "int"), "1" * 19, f"'{'1' * 19}' is not a whole number", "write one, without a unit"),
        (Parameter("a", "number", 0.5), "x", "'x' is not a number", "write one, such as 0.5, without a unit"),
        (Parameter("a", "bool"), "yes", "'yes' is neither true nor false", "write true or false"),
        (Parameter("a", "choice", choices=("one", "two")), "tow", "'tow' is not one of its choices",
         "did you mean two? there are: one, two"),
        (Parameter("a", "text"), LONG + "a", f"'{'a' * 37}...' is not a plain line of text",
         "write at most 256 printable characters"),
        (Parameter("a", "file"), "a\nb", "'a\\nb' is not a plain line of text",
         "write at most 256 printable characters"),
        (Parameter("a", units.TIME), "5 m", "5 m is a length, a time is needed",
         "use one of h, min, s, ms, us: 15 min"),
        (Parameter("a", "motes"), "S,P", "'S,P' is not a list of nodes",
         "write their names with spaces between them, such as S P3, or none"),
        (Parameter("a", "motes"), "S P S", "'S P S' names S twice", "name each node once"),
        (Parameter("a", "motes"), "S none", "'S none' has none and others", "name each node once"),
        (Parameter("a", "policies"), "a.escape b.yaml", "'b.yaml' is not a file of policies",
         "write the names of .escape files with spaces between them, or none"),
        (Parameter("a", "policies"), "none a.escape", "'none' is not a file of policies",
         "write the names of .escape files with spaces between them, or none"),
        (Parameter("a", "policies"), FILES, f"'{FILES[:37]}...' is not a file of policies",
         "write the names of .escape files with spaces between them, or none"),
        (Parameter("a", "bytecode"), "a.escape b.escape", "'a.escape b.escape' is not a file of policies",
         "write the name of one .escape file, or none"),
    ],
)  # fmt: skip
def test_what_is_not_allowed_gets_a_reason_and_a_remedy(declared, text, what, remedy):
    assert checked(declared, Scalar(text, 7)) == (f"it: {what}", remedy)
