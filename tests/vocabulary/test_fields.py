# SPDX-License-Identifier: Apache-2.0
"""Named entries of a user's file and the declared keys of each."""

import re

import pytest

from orchestrator.errors import FaultyInput
from orchestrator.vocabulary.document import parse
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.fields import Fields, entries, known_keys, own_name
from orchestrator.vocabulary.parameters import Parameter

DECLARED = {
    "size": Parameter("size", "int", minimum=1, help="how large it is"),
    "name": Parameter("name", "text", default="", help="what it is called"),
    "deep": Parameter("deep", "bool", default=False),
}


@pytest.fixture
def faults() -> Faults:
    return Faults("x.yaml")


def said(faults: Faults) -> list[tuple[int, str]]:
    return [(line, what) for line, what, _ in advised(faults)]


def advised(faults: Faults) -> list[tuple[int, str, str]]:
    with pytest.raises(FaultyInput) as raised:
        faults.raise_any()
    return [(fault.line, fault.what, fault.remedy) for fault in raised.value.faults]


def test_what_the_file_gives_what_its_defaults_give_and_what_is_declared(faults):
    node = parse("size: 3\nfree: [1]\n", faults)
    defaults = parse("size: 9\ndeep: true\nother: 1\n", faults)
    fields = Fields("box A", node, defaults, DECLARED, faults, others=["free"])
    assert (fields["size"], fields["name"], fields["deep"]) == (3, "", True)
    assert [fields.given(name) for name in ("size", "deep", "name", "free")] == [True, True, False, True]
    assert fields.node("free").line == 2 and fields.node("name") is None
    assert (fields.at("size"), fields.at("name")) == (1, fields.line)
    assert len(faults) == 0


def test_faults_are_in_the_line_of_their_key(faults):
    fields = Fields("box A", parse("name: 'a b'\ndeep: maybe\nsise: 1\n", faults), None, DECLARED, faults)
    assert fields.formed("name", re.compile("[a-z]+"), "write letters") is None
    fields.fault("deep", "too deep", "less")
    assert said(faults) == [
        (1, "box A has no size"),
        (1, "box A: name 'a b' is not valid"),
        (2, "box A: deep: 'maybe' is neither true nor false"),
        (2, "box A: too deep"),
        (3, "box A: 'sise' is unknown"),
    ]


def test_a_text_has_its_form_or_is_empty(faults):
    fields = Fields("box A", parse("size: 1\nname: abc\n", faults), None, DECLARED, faults)
    assert fields.formed("name", re.compile("[a-z]+"), "")[0] == "abc"
    empty = Fields("box A", parse("size: 1\n", faults), None, DECLARED, faults)
    assert empty.formed("name", re.compile("[a-z]+"), "") is None
    assert len(faults) == 0


def listed(text: str, faults: Faults, most: int = 3) -> list[str]:
    named = entries(parse(text, faults), "boxes", most, re.compile("[A-Z]+"), "write capitals", faults)
    return [name for name, _ in named]


def test_entries_without_those_that_are_wrong(faults):
    assert listed("other: 1\n", faults) == []
    assert listed("boxes: {A: {x: 1}, B: {}, C: {}}\n", faults) == ["A", "B", "C"]
    assert len(faults) == 0
    assert listed("boxes:\n  A: {}\n  b: {}\n  C: 1\n", faults) == ["A"]
    assert said(faults) == [(3, "boxes: 'b' is not a valid name"), (4, "C is one value")]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("boxes: [A]\n", "boxes is a list"),
        ("boxes: {A: {}, B: {}, C: {}, D: {}}\n", "boxes has 4 entries"),
    ],
)
def test_a_section_that_is_none_or_too_long_has_no_entries(text, what, faults):
    assert listed(text, faults) == []
    assert said(faults) == [(1, what)]


def test_keys_that_nobody_knows(faults):
    known_keys(parse("one: 1\ntow: 2\n", faults), "here: ", iter(["one", "two"]), faults)
    with pytest.raises(FaultyInput) as raised:
        faults.raise_any()
    (fault,) = raised.value.faults
    assert (fault.line, fault.what) == (2, "here: 'tow' is unknown") and "two" in fault.remedy


@pytest.mark.parametrize("form", ["[a-z]+", re.compile("[a-z]+")])
@pytest.mark.parametrize(
    ("text", "use", "name", "noted"),
    [
        ("of: box\n", "it is on the lid", "box", []),
        ("\nsize: 1\n", "", "", [(2, "no of", "add `of: a-name`")]),
        ("\nsize: 1\n", "it is on the lid", "", [(2, "no of", "add `of: a-name`; it is on the lid")]),
        ("size: 1\nof: box7\n", "", "", [(2, "of: 'box7' is not a valid name", "write letters")]),
        ("size: 1\nof:\n  a: b\n", "", "", [(3, "of: a mapping is not a valid name", "write letters")]),
    ],
)
def test_a_file_gives_itself_a_name(text, use, name, noted, form, faults):
    assert own_name(parse(text, faults), "of", form, "write letters", faults, use) == name
    assert (advised(faults) if noted else []) == noted
    assert len(faults) == len(noted)
