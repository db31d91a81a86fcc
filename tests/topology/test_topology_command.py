# SPDX-License-Identifier: Apache-2.0
"""`orchestrate topology`: what it prints, writes and refuses."""

from __future__ import annotations

import json

import pytest

from orchestrator import console
from orchestrator.cli.app import main

CHAIN = ["topology", "chain", "--publishers", "2", "--spacing", "30 m"]


def test_the_command_as_json(capsys):
    assert main([*CHAIN, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {name: told[name] for name in ("shape", "range_m", "connected", "broken")} == {
        "shape": "chain",
        "range_m": 50.0,
        "connected": True,
        "broken": [],
    }
    assert told["nodes"][2] == {
        "mote": 3,
        "name": "P2",
        "role": "publisher",
        "x": 60.0,
        "y": 0.0,
        "parent": 2,
        "topic": 1,
        "second": 0,
        "also": "",
        "dies": False,
        "hops": 2,
        "degree": 1,
    }


def test_the_command_as_it_is_printed(capsys, tmp_path):
    out = tmp_path / "a.svg"
    assert main([*CHAIN, "--range", "29 m", "--out", str(out)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "chain, 3 nodes: not connected at a range of 29 m; hops 1 to 2, mean 1.5; degree 0",
        "",
        "mote  name  role          x, m   y, m  next hop  hops  degree",
        "────────────────────────────────────────────────────────────────────────────────────",
        "   1  S     subscriber   0.000  0.000  –            0       0",
        "   2  P1    publisher   30.000  0.000  S            1       0  next hop out of range",
        "   3  P2    publisher   60.000  0.000  P1           2       0  next hop out of range",
        "",
        f"written: {out}",
    ]
    assert out.read_text().startswith("<svg") or "<svg" in out.read_text()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["chain", "--rows", "3"], 2, "--rows is not a parameter of chain"),
        (["chain", "--publishers", "0"], 2, "--publishers: '0' is out of range"),
        (["chain", "--range", "x"], 2, "--range"),
        (["chain", "--duration", "3 s"], 2, "--duration applies to the .csc only\n    name one with --csc"),
        (["chain", "--seed", "3"], 2, "--seed applies to the .csc only\n    name one with --csc"),
        (["chain", "--set", "x"], 2, "--set x names no value\n    write --set NAME=VALUE"),
        (["chain", "--set", "x=1"], 2, "--x is not a parameter of chain"),
        (["positions"], 2, "positions needs --file"),
        (["positions", "--file", "none.csv"], 9, "none.csv: no such file"),
        (["chain", "--links", "none.csv"], 9, "none.csv: no such file"),
        (["./none.py"], 9, "none.py: no such file"),
        (["chain", "--csc", "a.csc"], 2, "--csc needs --application: a .csc names the firmware of its motes"),
        (
            ["grid", "--rows", "101", "--columns", "100"],
            2,
            "this makes 10100 motes; at most 10000 are simulated\n    use",
        ),
        (["ring"], 2, "ring"),
    ],
)
def test_what_the_command_refuses(words, code, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["topology", *words]) == code
    assert said in capsys.readouterr().err


def test_the_command_writes_a_simulation(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = [*CHAIN, "--application", "aggregation", "--csc", "a.csc", "--duration", "3 min", "--seed", "77"]
    assert main(words) == 0
    assert capsys.readouterr().out.endswith("written: a.csc\n")
    text = (tmp_path / "a.csc").read_text()
    assert "<randomseed>77</randomseed>" in text and "[CONFIG_DIR]/" in text and text.count("<mote>") == 4
    assert main([*CHAIN, "--application", "aggregation", "--json"]) == 0
    assert [one["name"] for one in json.loads(capsys.readouterr().out)["nodes"]] == ["S", "P1", "P2", "C"]


def test_the_command_with_measured_links(tmp_path, capsys):
    (tmp_path / "l.csv").write_text("from,to,ratio\nS,P1,0.9\nP1,S,0.8\nP1,P2,1\nP2,P1,1\n")
    assert main([*CHAIN, "--links", str(tmp_path / "l.csv"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["range_m"] is None and told["connected"] is True
    assert [one["degree"] for one in told["nodes"]] == [1, 2, 1]


def test_columns_of_numbers_and_keys(monkeypatch):
    shown = []
    monkeypatch.setattr(console, "show", lambda *parts: shown.extend(parts))
    assert main([*CHAIN, "--range", "29 m"]) == 0
    (table,) = (part for part in shown if not isinstance(part, str))
    assert [(one.name, one.number, one.key, one.prose) for one in table.columns] == [
        ("mote", True, True, False),
        ("name", False, True, False),
        ("role", False, False, False),
        ("x, m", True, False, False),
        ("y, m", True, False, False),
        ("next hop", False, False, False),
        ("hops", True, False, False),
        ("degree", True, False, False),
        ("", False, False, True),
    ]
