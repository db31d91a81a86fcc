# SPDX-License-Identifier: Apache-2.0
"""YAML as nodes with lines: within limits, alike by libyaml and by PyYAML, and written again."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.errors import FaultyInput, NoSuchThing
from orchestrator.vocabulary import document
from orchestrator.vocabulary.document import (
    MOST_DEPTH,
    MOST_NODES,
    LineOf,
    Mapping,
    Scalar,
    Sequence,
    moved,
    names,
    parse,
    written,
)
from orchestrator.vocabulary.faults import Faults


def read(text: str):
    faults = Faults("x.yaml")
    root = parse(text, faults)
    try:
        faults.raise_any()
    except FaultyInput as error:
        return root, error.faults
    return root, ()


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\nb: [x, 'y z', \"q\"]\nc: {d: ~, e: null}\nf:\n",
        "base: &b {x: 1}\nmore: *b\ntext: |\n  one\n  two\nfolded: >\n  a\n  b\n",
        "a: 1\na: 2\n",  # faults of our own
        "a: !!int 1\n",
        "a: 1\n---\nb: 2\n",
        "a: [1, 2\nb: 3\n",  # and of YAML's
        "a:\n\t- x\n",
        "a: 'b\n",
        "? a b\n: c\n",
        "stra\u00dfe: \u2028x\n",
        "a: \x01\n",
        "",
    ],
)
def test_libyaml_and_pyyaml_give_the_same_document(text, monkeypatch):
    fast = read(text)
    monkeypatch.setattr(document, "_loader", lambda yaml, text: yaml.SafeLoader)
    assert fast == read(text)


def test_a_file_that_a_user_named_is_read_or_told(tmp_path):
    file = tmp_path / "x.yaml"
    with pytest.raises(NoSuchThing, match=r"no plan '.*x.yaml': No such file or directory\n    write one"):
        document.read(file, "plan", "write one")
    with pytest.raises(NoSuchThing, match="null byte"):
        document.read(Path("a\0b"), "plan", "write one")
    file.write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert document.read(file, "plan", "write one")[:2] == ("a: 1\n", b"\xef\xbb\xbfa: 1\n")
    assert len(document.read(file, "plan", "", 8)[2]) == 0
    with pytest.raises(FaultyInput, match="the file has more than 7 bytes"):
        document.read(file, "plan", "", 7)


def test_a_quote_that_is_never_closed_is_a_fault_where_it_opens():
    root, (fault,) = read("a: 1\nb: 'open\nc: 2\nd: 3\n")
    assert root is None
    assert fault.line == 2 and "end of stream" in fault.what


def test_other_faults_of_yaml_are_where_they_are():
    assert [fault.line for fault in read("a: 1\nb: [1, 2\nc: 3\nd: 4\n")[1]] == [3]
    (tab,) = read("a:\n  b: 1\n\t c: 2\n")[1]
    assert (tab.line, tab.what) == (3, "a tab where YAML wants spaces")


def told(text: str) -> list[tuple[int, str, str]]:
    return [(fault.line, fault.what, fault.remedy) for fault in read(text)[1]]


@pytest.mark.parametrize(
    ("text", "what", "remedy"),
    [
        ("a: 1\na: 2\na: 3\n", "'a' is set twice (first in line 1)", "keep one of them"),
        ("\na: !!int 1\n", "tag 'tag:yaml.org,2002:int'",
         "remove it; values are plain text, numbers and lists here"),
        ("a: 1\n---\nb: 2\n", "a second document", "remove the line `---` before it"),
        ("\na: *b\n", "alias '*b' names nothing before it", "write the value out"),
        ("\na: &b [*b]\n", "alias '*b' names nothing before it", "write the value out"),
        ("x: 1\n[a, b]: 2\n", "a list as a name", "a name before a colon is one word"),
        ("x: 1\n{a: b}: 2\n", "a mapping as a name", "a name before a colon is one word"),
        ("x:\n\t- a\n", "a tab where YAML wants spaces", "indent with spaces"),
        ("x:\na: \x01\n", "character U+0001 is not allowed in YAML",
         "remove it; save the file as plain text"),
        ("x: 1\na: b: c\n", "not YAML: mapping values are not allowed here",
         "look at this line and the one before: indentation, colon and space, quotes"),
        ("x: 1\na: " + "[" * MOST_DEPTH + "]" * MOST_DEPTH, f"nested more than {MOST_DEPTH} deep",
         "close the brackets; settings are two or three deep"),
    ],
)  # fmt: skip
def test_what_is_no_settings_file_gets_a_line_a_reason_and_a_remedy(text, what, remedy):
    assert (2, what, remedy) in told(text)


@pytest.mark.parametrize(
    ("text", "values"),
    [("[1, 2, 3]", 4), ("a: 1\nb: 2\n", 5), ("a: &x [1, 2]\nb: *x\n", 9), ("[&x [1], *x, *x]", 7)],
)
def test_values_are_counted_with_those_that_aliases_repeat(text, values):
    for most in (values, values - 1):
        faults = Faults("x.yaml")
        assert (parse(text, faults, most_nodes=most) is None) is (most < values) is bool(len(faults))
    with pytest.raises(FaultyInput, match=rf"more than {most} values \(aliases counted in full\)"):
        faults.raise_any()


def test_a_file_of_few_bytes_can_t_have_more_values_than_the_limit():
    line = f"[{','.join('1' * 100)}]"
    assert told("\n".join(f"- {line}" for _ in range(MOST_NODES // 101))) == []
    ((at, what, remedy),) = told("\n".join(f"- {line}" for _ in range(MOST_NODES // 101 + 1)))
    assert (at, what[:22], remedy) == (199, "more than 20000 values", "make the file smaller")


def test_bytes_that_are_no_text_are_told_with_their_line():
    faults = Faults("x.yaml")
    assert document.decode(b"a: 1\nb: \xff\n", faults) is None
    with pytest.raises(FaultyInput) as raised:
        faults.raise_any()
    (fault,) = raised.value.faults
    assert (fault.line, fault.what) == (2, "byte 0xff is not UTF-8 text")
    assert fault.remedy == "save the file as UTF-8"


def test_no_value_is_an_empty_text_unless_it_is_quoted():
    assert parse("[a, '~', ~, null, 'null', ' b ']", Faults("x")) == Sequence(
        tuple(Scalar(text, 1) for text in ("a", "~", "", "", "null", "b")), 1
    )
    assert read("")[0] is None


NESTED = "first: 1\nsecond:\n  - third: {fourth: 0012}\n  - 'true'\n"


def test_a_mapping_gives_its_pairs_in_order_and_a_value_by_its_name():
    root = read(NESTED)[0]
    assert [key.text for key, _ in root] == ["first", "second"]
    assert root.get("first") == Scalar("1", 1)
    assert root.get("second").line == 3 and root.get("third") is None


def test_what_came_from_another_file_knows_it():
    node = moved(read(NESTED)[0], "other.yaml")
    assert node == read(NESTED)[0]  # a line is the same number

    def lines(node):
        yield node.line
        for child in getattr(node, "items", ()) or [
            part for pair in getattr(node, "pairs", ()) for part in pair
        ]:
            yield from lines(child)

    assert {(type(line), line.file) for line in lines(node)} == {(LineOf, "other.yaml")}
    assert sorted(lines(node)) == [1, 1, 1, 2, 3, 3, 3, 3, 3, 3, 4]


@pytest.mark.parametrize(
    ("text", "again"),
    [
        (NESTED, "first: 1\nsecond:\n- third:\n    fourth: '0012'\n- true\n"),
        ("b: [false, 123456789, 1234567890, -1, 0.5, '']\na: stra\u00dfe\n",
         "b:\n- false\n- 123456789\n- '1234567890'\n- '-1'\n- '0.5'\n- ''\na: stra\u00dfe\n"),
        ("\u0663: x\n", "\u0663: x\n"),
        (f"a: {'word ' * 30}\n", f"a: {'word ' * 21}word\n  {'word ' * 8}".rstrip() + "\n"),
    ],
)  # fmt: skip
def test_a_node_is_written_as_it_is_read(text, again):
    node = read(text)[0]
    assert written(node) == again
    assert list(names(read(written(node))[0])) == list(names(node))


def test_values_are_hashable_and_equal_by_what_they_say():
    assert Mapping(((Scalar("a", 1), Sequence((), 2)),), 1) == read("a:\n  []\n")[0]
