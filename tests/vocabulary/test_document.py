# SPDX-License-Identifier: Apache-2.0
"""YAML is read alike by libyaml and by PyYAML itself."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from orchestrator.errors import FaultyInput, NoSuchThing
from orchestrator.vocabulary import document
from orchestrator.vocabulary.document import parse
from orchestrator.vocabulary.faults import Faults

HERE = Path(__file__).resolve().parents[2]


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


@pytest.mark.skipif(not hasattr(yaml, "CSafeLoader"), reason="this PyYAML was built without libyaml")
def test_libyaml_reads_what_has_no_faults():
    text = (HERE / "nightly-short.yaml").read_text()
    assert document._loader(yaml, "a: 1\n") is yaml.CSafeLoader
    for other in ("a: [", "a:\tb", "? a", "\u00df"):
        assert document._loader(yaml, other) is yaml.SafeLoader
    assert read(text)[0] is not None


def test_a_file_that_a_user_named_is_read_or_told(tmp_path):
    file = tmp_path / "x.yaml"
    with pytest.raises(NoSuchThing, match=r"no plan '.*x.yaml': No such file or directory\n    write one"):
        document.read(file, "plan", "write one")
    with pytest.raises(NoSuchThing, match="null byte"):
        document.read(Path("a\0b"), "plan", "write one")
    file.write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert document.read(file, "plan", "write one")[:2] == ("a: 1\n", b"\xef\xbb\xbfa: 1\n")
    assert len(document.read(file, "plan", "", 8)[2]) == 0
    with pytest.raises(FaultyInput, match="the file has 8 bytes"):
        document.read(file, "plan", "", 7)


def test_a_quote_that_is_never_closed_is_a_fault_where_it_opens():
    root, (fault,) = read("a: 1\nb: 'open\nc: 2\nd: 3\n")
    assert root is None
    assert fault.line == 2 and "end of stream" in fault.what


def test_other_faults_of_yaml_are_where_they_are():
    assert [fault.line for fault in read("a: 1\nb: [1, 2\nc: 3\nd: 4\n")[1]] == [3]
    (tab,) = read("a:\n  b: 1\n\t c: 2\n")[1]
    assert (tab.line, tab.what) == (3, "a tab where YAML wants spaces")
