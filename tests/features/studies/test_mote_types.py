# SPDX-License-Identifier: Apache-2.0
"""Mote types that a scenario names: several firmwares in one network, without a .csc."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from orchestrator.cli.app import main
from orchestrator.csc.read import read
from orchestrator.resources import contiki_apps
from orchestrator.runs.store import Store
from orchestrator.scenario.schema import schema
from tests import needs

needs.a_compiler()

TYPES = (
    "experiment: t\nmotes: {root: {source: probes/chain.c, count: 1}, leaf: {source: probes/collisions.c}}\n"
)
GRID = "topology: {shape: grid, rows: 2, columns: 2, spacing: 10 m}\nduration: 3 s\nseeds: 1\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    home = tmp_path_factory.mktemp("project")
    shutil.copytree(contiki_apps() / "probes", home / "probes", ignore=shutil.ignore_patterns("build"))
    return home


def run(folder: Path, text: str, *more: str) -> list:
    (folder / "t.yaml").write_text(text)
    store = folder / "store"
    assert main(["run", str(folder / "t.yaml"), "--store", str(store), "--no-report", *more]) == 0
    ids = json.loads((store / "t" / "campaign.json").read_text())["runs"]
    return [Store(store).manifest("t", one) for one in ids]


def test_two_firmwares_take_the_places_in_their_order(folder):
    (one,) = run(folder, TYPES + GRID)
    assert [(mote.mote, mote.role) for mote in one.motes] == [
        (1, "root"),
        (2, "leaf"),
        (3, "leaf"),
        (4, "leaf"),
    ]
    assert set(one.firmware) == {"root", "leaf"}
    assert len(set(one.firmware.values())) == 2
    assert one.outcome == "ok"
    assert one.statistics.sim_us == 3_000_000


def test_a_run_is_shown_with_its_motes(folder, capsys):
    (one,) = run(folder, TYPES + GRID)
    capsys.readouterr()
    assert main(["runs", "show", f"t/{one.cell}/1", "--store", str(folder / "store")]) == 0
    assert "root=1 leaf-2=2" in capsys.readouterr().out


def test_a_stored_run_is_made_again_from_the_sources_that_the_store_keeps(folder, tmp_path, capsys):
    (one,) = run(folder, TYPES + GRID)
    moved = tmp_path / "moved"
    shutil.copytree(folder / "store", moved, symlinks=True)
    (folder / "probes").rename(tmp_path / "gone")
    try:
        capsys.readouterr()
        assert main(["reproduce", one.run_id, "--store", str(moved), "--json"]) == 0
        (made,) = json.loads(capsys.readouterr().out)
        assert {part["verdict"] for part in made["parts"]} == {"same"}
    finally:
        (tmp_path / "gone").rename(folder / "probes")


def test_a_build_is_an_axis_and_is_shared_by_cells_that_have_the_same(folder, monkeypatch):
    monkeypatch.delenv("CONTIKI_NG", raising=False)  # firmware of a tree is compiled with flags of ours
    text = TYPES + GRID + "matrix:\n  motes.leaf.make.CFLAGS: [-O1, -O2]\n  radio.rx: [100 %, 50 %]\n"
    made = run(folder, text)
    assert len(made) == 4
    assert len({one.firmware["root"] for one in made}) == 1
    assert len({one.firmware["leaf"] for one in made}) == 2


def test_the_stored_csc_holds_it_all(folder):
    (one,) = run(folder, TYPES + GRID)
    simulation = read(Store(folder / "store").folder("t", one.run_id) / "simulation.csc")
    assert [kind.identifier for kind in simulation.mote_types] == ["root", "leaf"]
    assert len(simulation.motes) == 4
    assert str(folder) not in (Store(folder / "store").folder("t", one.run_id) / "simulation.csc").read_text()


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        (TYPES.replace("probes/chain.c", "./gone.c") + GRID, 2, "gone.c"),
        (TYPES.replace("leaf", "root") + GRID, 2, "root"),
        (TYPES.replace(", count: 1", "") + GRID, 2, "count"),
        (TYPES + GRID.replace("rows: 2", "rows: 1").replace("columns: 2", "columns: 1"), 3, "room"),
        (TYPES.replace("collisions.c}", "collisions.c, count: 9}") + GRID, 3, "10 motes"),
        (TYPES + GRID.replace("topology:", "topologie:"), 3, "topologie"),
        (TYPES + GRID.replace("duration: 3 s", ""), 1, "duration"),
        (TYPES + GRID + "matrix: {motes.leave.count: [1, 2]}\n", 6, "leave"),
        (TYPES + GRID + "script: {x: 1}\n", 6, "script"),
        (TYPES.replace("root", "a-b").replace("leaf", "a_b") + GRID, 2, "a-b"),
        (TYPES + GRID.replace("3 s", "1000.5 ms"), 4, "whole ms"),
    ],
)
def test_faults_have_their_line(folder, capsys, text, line, word):
    (folder / "f.yaml").write_text(text)
    assert main(["validate", str(folder / "f.yaml"), "--json"]) == 3
    faults = json.loads(capsys.readouterr().out)["faults"]
    assert (line, True) in [(fault["line"], word in fault["what"]) for fault in faults], faults


def test_the_examples_of_contiki_ng_are_valid_scenarios(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CONTIKI_NG", raising=False)
    for name in ("rpl-udp", "6tisch", "nullnet", "coap", "multicast", "rpl-border-router", "rpl-req-resp"):
        assert main(["new", "study", name]) == 0
        assert main(["validate", str(tmp_path / name / "scenario.yaml")]) == 0, name
    path = ["examples/6tisch/simple-node", "--folder", "by-path"]
    assert main(["new", "study", *path]) == 0, "named by its folder in Contiki-NG"
    assert main(["new", "study", "rpl-upd"]) == 9
    assert "rpl-udp" in capsys.readouterr().err


@pytest.mark.parametrize("missing", [{}, {"motes"}])
def test_the_schema_asks_for_no_application_where_mote_types_are(missing):
    scenario = {key: value for key, value in yaml.safe_load(TYPES + GRID).items() if key not in missing}
    assert Draft202012Validator(schema()).is_valid(scenario) is not bool(missing)


def test_a_scenario_from_a_csc_says_what_the_file_has(folder, capsys):
    """What stands behind # is true: with it the cells are the same."""
    (one,) = run(folder, TYPES + GRID)
    stored = Store(folder / "store").folder("t", one.run_id) / "simulation.csc"
    text = stored.read_text().replace("[CONFIG_DIR]/../../../firmware", str(folder / "store" / "firmware"))
    (folder / "from.csc").write_text(text)
    out = folder / "from.yaml"
    assert main(["init", str(out), "--from", str(folder / "from.csc")]) == 0
    plain = out.read_text()
    lines = plain.split("\n")
    kept = [
        line for line in lines if not line.startswith(("# matrix", "# topology", "#   motes.", "#   radio."))
    ]
    (folder / "all.yaml").write_text(
        "\n".join(line.removeprefix("# ").removeprefix("#") for line in kept[2:])
    )
    assert set(yaml.safe_load((folder / "all.yaml").read_text())["motes"]) == {"chain", "collisions"}
    shown = []
    for path in (out, folder / "all.yaml"):
        capsys.readouterr()
        assert main(["validate", str(path), "--json"]) == 0
        (cell,) = json.loads(capsys.readouterr().out)["cells"]
        shown.append((cell["motes"], cell["simulated_s"], cell["resolved"]))
    assert shown[0] == shown[1]


def test_a_scenario_to_start_from_has_a_csc_or_an_application(folder, capsys):
    command = ["init", str(folder / "none.yaml")]
    assert main([*command, "--from", "x.csc", "--application", "aggregation"]) == 2
    assert main([*command, "--contiki-ng", str(folder)]) == 2
    assert not (folder / "none.yaml").exists()


def test_links_and_roles_name_motes_by_their_types(folder, capsys):
    (folder / "l.csv").write_text("from,to,ratio\nroot,leaf-2,1\nleaf-2,root,0.5\n")
    linked = GRID.replace("\nduration", "\nradio: {medium: directed-graph, links: l.csv}\nduration")
    (one,) = run(folder, TYPES + linked)
    stored = read(Store(folder / "store").folder("t", one.run_id) / "simulation.csc")
    assert [(edge.source, edge.destination, edge.ratio) for edge in stored.medium.edges] == [
        (1, 2, 1.0),
        (2, 1, 0.5),
    ]
    csc = f"store/t/runs/{one.run_id}/simulation.csc"
    fewer = f"experiment: f\nsimulation: {{csc: {csc}}}\nmotes: {{collisions: {{count: 0}}}}\nseeds: 1\n"
    (folder / "f.yaml").write_text(fewer)
    assert main(["validate", str(folder / "f.yaml")]) == 3
    assert "has edges of motes that are left out: 2" in " ".join(capsys.readouterr().err.split())
    (folder / "p.csv").write_text("name,role,x,y\nA,leaf,0,0\nB,root,9,0\nC,leaf,0,9\n")
    places = "topology: {shape: positions, file: p.csv}\nduration: 2 s\nseeds: 1\n"
    (one,) = run(folder, TYPES.replace(", count: 1", "") + places)
    assert [(mote.mote, mote.name, mote.role) for mote in one.motes] == [
        (1, "A", "leaf"),
        (2, "B", "root"),
        (3, "C", "leaf"),
    ]
    (folder / "p.csv").write_text("name,role,x,y\nA,leaves,0,0\nB,root,9,0\n")
    (folder / "f.yaml").write_text(TYPES.replace(", count: 1", "") + places)
    assert main(["validate", str(folder / "f.yaml")]) == 3
    assert "leaves" in capsys.readouterr().err
    (folder / "p.csv").write_text("name,role,x,y\nA,leaf,0,0\nB,,9,0\n")
    assert main(["validate", str(folder / "f.yaml")]) == 3
    assert "p.csv:3: no role" in capsys.readouterr().err
