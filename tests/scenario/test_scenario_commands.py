# SPDX-License-Identifier: Apache-2.0
"""validate, init and topology as a user calls them."""

import errno
import json
import os
from pathlib import Path
from xml.etree import ElementTree

import pytest

from orchestrator import resources
from orchestrator.applications import descriptor
from orchestrator.cli.app import main
from orchestrator.csc.read import read
from orchestrator.scenario.load import load
from tests.scenario.probe_scenario import BASE

HERE = Path(__file__).resolve().parent


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_init_writes_a_scenario_that_validates(capsys):
    assert main(["init", "first", "--application", "probe-app"]) == 0
    scenario = load(Path("first.yaml"))
    assert scenario.experiment == "first"
    assert [cell.name for cell in scenario.cells] == ["3", "3A", "5", "5A"]
    text = Path("first.yaml").read_text()
    assert text.count("#") > 15
    assert all(f"  {name}:" in text for name in descriptor.load("probe-app").parameters)
    capsys.readouterr()
    assert main(["validate", "first.yaml"]) == 0
    assert capsys.readouterr().out.startswith("first: 4 cells x 3 seeds = 12 runs, 20.2 simulated minutes\n")


@pytest.mark.parametrize(
    ("seeds", "noted"), [("10", True), ("1", False), ("1..10", False), ("[3, 10]", False)]
)
def test_validate_says_that_a_single_number_is_one_seed_and_not_that_many(seeds, noted, capsys):
    Path("x.yaml").write_text(BASE.replace("seeds: 1..3", f"seeds: {seeds}"))
    assert main(["validate", "x.yaml"]) == 0
    assert ("`seeds: 10` is one seed" in capsys.readouterr().out) is noted
    assert main(["validate", "x.yaml", "--json"]) == 0
    assert bool(json.loads(capsys.readouterr().out)["notes"]) is noted


def test_init_of_our_own_application(monkeypatch):
    monkeypatch.setattr(descriptor, "folder", lambda: resources.contiki_apps() / "apps")
    assert main(["init"]) == 0
    assert {cell.application.name for cell in load(Path("chain.yaml")).cells} == {"aggregation"}
    assert descriptor.load("aggregation").eeprom


def test_init_overwrites_only_when_told(capsys):
    Path("chain.yaml").write_text("mine")
    assert main(["init", "--application", "probe-app"]) == 2
    assert Path("chain.yaml").read_text() == "mine"
    assert "--force" in capsys.readouterr().err
    assert main(["init", "chain.yaml", "--application", "probe-app", "--force"]) == 0
    assert "experiment: chain" in Path("chain.yaml").read_text()


@pytest.mark.parametrize("arguments", [["--application", "nothing"], ["a b"], ["no/folder/x"], ["../.."]])
def test_init_refuses(arguments, capsys):
    assert main(["init", *arguments]) in (2, 9)
    assert capsys.readouterr().err.startswith("orchestrate: ")
    assert list(Path().iterdir()) == []


def test_a_full_disk_leaves_nothing_half_written(capsys, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert main(["init", "--application", "probe-app"]) == 8
    assert main(["topology", "chain", "--out", "x.svg"]) == 8
    assert "No space left on device" in capsys.readouterr().err
    assert list(Path().iterdir()) == []


def test_validate_lists_ten_faults(capsys):
    assert main(["validate", str(HERE / "ten-faults.yaml")]) == 3
    error = capsys.readouterr().err
    assert error.count("ten-faults.yaml:") == 10
    assert "10 faults in" in error
    assert "Traceback" not in error
    assert main(["validate", "--json", str(HERE / "ten-faults.yaml")]) == 3
    told = json.loads(capsys.readouterr().out)
    assert told["valid"] is False
    assert [fault["line"] for fault in told["faults"]] == [1, 2, 4, 5, 6, 7, 7, 8, 9, 10]
    assert main(["validate", "none.yaml"]) == 9


def test_validate_tells_every_setting_as_json(capsys):
    main(["init", "--application", "probe-app"])
    capsys.readouterr()
    assert main(["validate", "chain.yaml", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["runs"], told["simulated_min"]) == (12, 20.2)
    assert told["cells"][1]["resolved"]["application.aggregate"] == "true"
    assert told["cells"][1]["motes"] == 5
    # What it tells can be written into a scenario again.
    resolved = {path.partition(".")[0] for path in told["cells"][0]["resolved"]}
    assert resolved == {
        "topology",
        "application",
        "radio",
        "duration",
        "drain",
        "start-delay",
        "engine",
        "trace",
    }


def test_topology_by_hand(capsys):
    arguments = ["tree", "--depth", "2", "--fan-out", "3", "--spacing", "30m", "--range", "40m"]
    assert (
        main(["topology", *arguments, "--out", "t.svg", "--csc", "t.csc", "--application", "probe-app"]) == 0
    )
    told = capsys.readouterr().out
    assert "connected at a range of 40 m; hops 1 to 2, mean 1.8" in told
    assert ElementTree.parse("t.svg").getroot().tag.endswith("svg")
    simulation = read(Path("t.csc"))
    assert len(simulation.motes) == 14
    assert simulation.medium.transmitting_range == 40.0
    assert simulation.mote_types[0].source.startswith("[CONFIG_DIR]/")
    assert simulation.mote_types[0].source.endswith("/apps/probe-app/probe-app.c")
    assert main(["topology", "chain", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["connected"] is True
    assert [node["hops"] for node in told["nodes"]] == [0, 1, 2, 3, 4, 5]


def test_topology_tells_what_is_out_of_range_but_makes_no_csc_of_it(capsys):
    assert main(["topology", "chain", "--spacing", "60 m"]) == 0
    assert "not connected" in capsys.readouterr().out
    assert (
        main(["topology", "chain", "--spacing", "60 m", "--csc", "x.csc", "--application", "probe-app"]) == 3
    )
    assert not Path("x.csc").exists()


def test_topology_from_a_file_anywhere(capsys, tmp_path):
    (tmp_path / "p.csv").write_text("name,role,x,y\nS,subscriber,0,0\nA,publisher,9,0\n")
    assert main(["topology", "positions", "--file", str(tmp_path / "p.csv")]) == 0
    assert "A" in capsys.readouterr().out
    assert main(["topology", "positions", "--file", "none.csv"]) == 9
    assert main(["topology", "positions"]) == 2
    assert "needs --file" in capsys.readouterr().err


def test_topology_lists_all_faulty_options(capsys):
    assert main(["topology", "grid", "--publishers", "3", "--rows", "x", "--range", "3", "--seed", "-1"]) == 2
    error = capsys.readouterr().err
    assert [
        word in error
        for word in ("--publishers is not a parameter", "--rows", "3 has no unit", "--seed: '-1'")
    ] == [True] * 4
    assert main(["topology", "chain", "--csc", "x.csc"]) == 2
