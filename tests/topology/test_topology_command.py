# SPDX-License-Identifier: Apache-2.0
"""`orchestrate topology`: what it prints, writes and refuses."""

from __future__ import annotations

import json

import pytest

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
