# SPDX-License-Identifier: Apache-2.0
"""Scenario files as files: what they refer to, and what is no scenario, whatever it holds."""

import dataclasses
import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.errors import FaultyInput, NoSuchThing
from orchestrator.scenario.load import load, loads
from tests.counting import at_most_calls
from tests.scenario.probe_scenario import BASE, faults
from tests.tier import examples


def test_positions_come_from_a_file_in_the_folder_only(tmp_path):
    inside = tmp_path / "scenarios"
    inside.mkdir()
    rows = (
        "name,role,x,y,parent\nS,subscriber,0,0,\nA,publisher,10,0,S\nB,relay,10 m,10 "
        "m,\nD,publisher,10,50,B\n"
    )
    (inside / "places.csv").write_text(rows)
    (tmp_path / "outside.csv").write_text(rows)
    (inside / "link.csv").symlink_to(tmp_path / "outside.csv")
    text = BASE.replace("shape: chain, publishers: 5", "shape: positions, file: FILE")
    path = inside / "x.yaml"
    path.write_text(text.replace("FILE", "places.csv"))
    (cell,) = load(path).cells
    assert [node.name for node in cell.topology.parameters["nodes"]] == ["S", "A", "B", "D"]
    json.dumps(dataclasses.asdict(cell))
    for bad in ("../outside.csv", str(tmp_path / "outside.csv"), "link.csv", "/etc/passwd"):
        (found,) = faults(text.replace("FILE", f"'{bad}'"), inside)
        assert "not in the scenario's folder" in found[1]
    (found,) = faults(text.replace("FILE", "nothing.csv"), inside)
    assert "there is no file" in found[1]
    (found,) = faults(text.replace("FILE", "places.csv"))
    assert "not in the scenario's folder" in found[1]


def test_faults_of_the_positions_file_name_it_and_its_line(tmp_path):
    (tmp_path / "p.csv").write_text("name,role,x,y\nS,subscriber,0,0\nA,publisher,ten,0\nA,publisher,5 s,0\n")
    with pytest.raises(FaultyInput) as caught:
        loads(
            BASE.replace("shape: chain, publishers: 5", "shape: positions, file: p.csv"), "x.yaml", tmp_path
        )
    found = [(Path(f.file).name, f.line) for f in caught.value.faults]
    assert found == [("p.csv", 3), ("p.csv", 4), ("p.csv", 4)]  # the last: A appears twice


def test_what_is_not_a_file(tmp_path):
    for path in (tmp_path, tmp_path / "none.yaml", tmp_path / "a\0b"):
        with pytest.raises(NoSuchThing, match="no scenario"):
            load(path)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "no scenario"),
        (b"a list\n", "no scenario"),
        (b"- 1\n", "no scenario"),
        (b"experiment: \xff\n", "not UTF-8"),
        (b"\x00", "U+0000"),
        (b"x" * 200_000, "bytes"),
    ],
)
def test_what_is_no_scenario(tmp_path, data, what):
    path = tmp_path / "x.yaml"
    path.write_bytes(data)
    with pytest.raises(FaultyInput) as caught:
        load(path)
    assert what in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x, x, x, x, x, x, x, x, x]\n"
        + "".join(
            f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(12)
        ),
        "[" * 60_000,
        "{a: " * 30_000,
        "- " * 50_000,
        "? " * 50_000,
        "a: [" + "1," * 10_000 + "]",
        "\n".join(f"key{n}: {n}" for n in range(1_000)),
        "matrix:\n" + "\n".join(f"  radio.{c}: [{', '.join(map(str, range(900)))}]" for c in "abcdefgh"),
        BASE
        + "matrix:\n"
        + "\n".join(
            f"  {p}: [{', '.join(f'{n} s' for n in range(400))}]"
            for p in ("drain", "duration", "start-delay")
        ),
        BASE + "matrix:\n  topology.publishers: [" + ", ".join(str(n) for n in range(1, 1900)) + "]\n",
    ],
    ids=[
        "laughs",
        "brackets",
        "braces",
        "dashes",
        "keys",
        "long-list",
        "many-keys",
        "bad-axes",
        "product",
        "many-cells",
    ],
)
def test_bombs_are_refused_with_little_work(text):
    with pytest.raises(FaultyInput), at_most_calls(400 * len(text)):
        loads(text, "x.yaml")


@pytest.mark.parametrize("deeper", ["[", "{a: "])
def test_too_deep_is_refused_where_it_is_and_the_rest_is_not_read(deeper):
    """The time that libyaml takes grows with the square of the depth."""
    with pytest.raises(FaultyInput, match="nested more than 12 deep"), at_most_calls(60_000):
        loads(deeper * (100_000 // len(deeper)), "x.yaml")


@settings(max_examples=examples(150))
@given(st.binary(max_size=400))
def test_any_bytes_are_a_scenario_or_faulty(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(data)
    with pytest.raises(FaultyInput):
        load(path)


_TEXT = st.sampled_from(
    ["chain", "tree", "grid", "mesh", "positions", "probe-app", "high", "5", "0", "-1", "10 m", "5 s", "true", "{", "*a",  # noqa: E501
     "&a x", "1..3", "", "[1, 2]", "{label: A, value: 3}", "[{label: A, drain: 1 s}]", "[[1]]", "{a: {b: c}}", "!!int 3",  # noqa: E501
     "[{drain: 1 s}]", "p.csv", "'\\0'", "99999999999999999999"]
)  # fmt: skip
_KEY = st.sampled_from(
    ["experiment", "topology", "  shape", "  publishers", "  rows", "  file", "radio", "  range", "application", "  name",  # noqa: E501
     "  rate", "duration", "drain", "seeds", "engine", "trace", "matrix", "  drain", "  topology.publishers", "  load",  # noqa: E501
     "  exclude", "  include", "  application.name", "  topology.shape", "\tx"]
)  # fmt: skip


@settings(max_examples=examples(250), suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(_KEY, _TEXT), max_size=14))
def test_anything_like_a_scenario_is_one_or_faulty(lines):
    """Lines of a scenario's words in any order: a Scenario, or faults that each have a line and a remedy."""
    text = "".join(f"{key}: {value}\n" for key, value in lines)
    for whole in (text, BASE + text):
        try:
            assert loads(whole, "x.yaml").cells
        except FaultyInput as faulty:
            assert faulty.faults
            assert all(fault.remedy and 0 <= fault.line <= whole.count("\n") + 1 for fault in faulty.faults)


def test_what_is_no_file_is_named_and_never_waited_for(tmp_path, capsys):
    from orchestrator.cli import app

    os.mkfifo(tmp_path / "fifo.yaml")
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    (tmp_path / "nights.yaml").write_text("campaign: nights\nseeds: 1\nparts: [{scenario: fifo.yaml}]\n")
    for words, said in (
        (["validate", "fifo.yaml"], "not a regular file"),
        (["validate", "loop.yaml"], "Too many levels of symbolic links"),
        (["campaign", "plan", "nights.yaml"], "not a regular file"),
    ):
        assert app.main([*words[:-1], str(tmp_path / words[-1])]) in (3, 9)
        assert said in capsys.readouterr().err
