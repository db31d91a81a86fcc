# SPDX-License-Identifier: Apache-2.0
"""A .csc as an experiment: seeds and a matrix over what it has, its runs in the store."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from orchestrator.cli.app import main
from orchestrator.csc.read import read
from orchestrator.resources import contiki_apps
from orchestrator.runs.store import Store
from orchestrator.scenario.load import load
from tests import needs

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "cooja"

needs.a_compiler()


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A .csc of a user, with firmware that has no records of ours, beside its sources."""
    home = tmp_path_factory.mktemp("user")
    text = (GOLDEN / "chain" / "simulation.csc").read_text()
    named = read(GOLDEN / "chain" / "simulation.csc").mote_types[0].source
    shutil.copytree(contiki_apps() / "probes", home / "probes", ignore=shutil.ignore_patterns("build"))
    text = text.replace(named, "[CONFIG_DIR]/probes/chain.c")
    (home / "my chain.csc").write_text(text)
    (home / "endless.csc").write_text(re.sub(r"<plugin>.*</plugin>", "", text, flags=re.DOTALL))
    return home


def runs(folder: Path, experiment: str) -> dict:
    """Return the manifests of an experiment by (cell, seed)."""
    return {(one.cell, one.seed): one for one in Store(folder / "store").runs(experiment)}


def run(folder: Path, name: str, *more: str) -> int:
    return main(["run", str(folder / name), "--store", str(folder / "store"), "--no-report", *more])


def scenario(folder: Path, text: str) -> str:
    (folder / "s.yaml").write_text("experiment: s\nsimulation: {csc: my chain.csc}\nseeds: 1\n" + text)
    return "s.yaml"


def test_seeds_of_a_csc(folder):
    assert run(folder, "my chain.csc", "--seeds", "1..3") == 0
    made = runs(folder, "my-chain")
    assert [seed for _, seed in made] == [1, 2, 3]
    one = made["base", 1]
    simulation = read(GOLDEN / "chain" / "simulation.csc")
    assert [mote.mote for mote in one.motes] == [mote.id for mote in simulation.motes]
    assert {mote.role for mote in one.motes} == {"chain"}
    assert list(one.firmware) == [simulation.mote_types[0].identifier]
    assert one.outcome == "ok"


def test_the_log_is_that_of_simulate(folder):
    assert run(folder, "my chain.csc", "--seeds", "2") == 0
    made = runs(folder, "my-chain")["base", 2]
    stored = Store(folder / "store").folder("my-chain", made.run_id)
    out = folder / "out"
    assert main(["simulate", str(folder / "my chain.csc"), "--seed", "2", "--logdir", str(out)]) == 0
    assert (stored / "COOJA.testlog").read_bytes() == (out / "COOJA.testlog").read_bytes()
    again = folder / "again"
    assert main(["simulate", str(stored / "simulation.csc"), "--logdir", str(again)]) == 0
    assert (again / "COOJA.testlog").read_bytes() == (out / "COOJA.testlog").read_bytes()


def test_firmware_without_a_trace_is_not_asked_for_one(folder, capsys):
    """Its frames are there, by a repetition of the run; a trace can't be had by a setting."""
    assert run(folder, "my chain.csc", "--seeds", "2") == 0
    made = runs(folder, "my-chain")["base", 2]
    store = ["--store", str(folder / "store")]
    capsys.readouterr()
    assert main(["trace", made.run_id, "--event", "P1/1", *store]) == 4
    assert "pcap" in capsys.readouterr().err
    out = folder / "frames.pcap"
    assert main(["pcap", made.run_id, *store, "--out", str(out)]) == 0
    assert out.stat().st_size > 24


def test_runs_are_recorded_on_the_air_unless_the_scenario_says_otherwise(folder):
    recorded = [load(folder / scenario(folder, text)).cells[0].record for text in ("", "record: []\n")]
    assert recorded == [("air",), ()]


def test_a_report_misses_no_records_that_foreign_firmware_cannot_print(folder):
    assert main(["run", str(folder / "endless.csc"), "--store", str(folder / "reported")]) == 0
    page = (folder / "reported" / "endless" / "report" / "index.html").read_text()
    assert "packet delivery" in page.lower()
    assert "Not measured" not in page


def test_a_matrix_over_what_the_file_has(folder):
    text = "matrix:\n  radio.range: [20 m, 60 m]\n  motes.chain.count: [2, 3]\n"
    assert run(folder, scenario(folder, text)) == 0
    made = runs(folder, "s")
    assert len(made) == 4
    assert {one.parameters["radio"]["range_m"] for one in made.values()} == {20.0, 60.0}
    assert sorted({len(one.motes) for one in made.values()}) == [2, 3]
    assert len({one.firmware["mtype1"] for one in made.values()}) == 1, "one build for all cells"


def test_validate_shows_what_a_scenario_sets(folder, capsys):
    text = "motes: {chain: {count: 2, defines: {A: 1}}}\n"
    assert main(["validate", str(folder / scenario(folder, text)), "--json"]) == 0
    (cell,) = json.loads(capsys.readouterr().out)["cells"]
    assert (cell["motes"], cell["resolved"]["motes.chain.count"]) == (2, "2")
    assert cell["resolved"]["motes.chain.defines.A"] == "1"


def test_a_missing_script_is_added_and_duration_ends_the_run(folder, capsys):
    assert run(folder, "endless.csc") == 0
    assert "no script" in capsys.readouterr().err
    (one,) = runs(folder, "endless").values()
    assert one.statistics.sim_us == 600_000_000
    (folder / "e.yaml").write_text("experiment: e\nsimulation: {csc: endless.csc}\nseeds: 1\nduration: 7 s\n")
    assert run(folder, "e.yaml") == 0
    (one,) = runs(folder, "e").values()
    assert (one.statistics.sim_us, one.outcome) == (7_000_000, "ok")


def test_more_motes_stand_as_a_shape_says(folder):
    text = "motes: {chain: {count: 9}}\ntopology: {shape: grid, spacing: 15 m}\nduration: 2 s\n"
    assert run(folder, scenario(folder, text)) == 0
    (one,) = [one for one in runs(folder, "s").values() if len(one.motes) == 9]
    assert sorted((mote.x, mote.y) for mote in one.motes)[-1] == (30.0, 30.0)


def test_positions_of_a_file(folder):
    (folder / "p.csv").write_text("name,x,y\nA,0,0\nB,7 m,1.5\n")
    text = "motes: {chain: {count: 2}}\ntopology: {shape: positions, file: p.csv}\nduration: 3 s\n"
    assert run(folder, scenario(folder, text)) == 0
    every = Store(folder / "store").runs("s")  # other tests' cells have the same name
    (one,) = [one for one in every if len(one.motes) == 2 and one.parameters["duration_us"] == 3_000_000]
    assert [(mote.name, mote.x, mote.y) for mote in one.motes] == [("A", 0.0, 0.0), ("B", 7.0, 1.5)]


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("matrix:\n  motes.sink.count: [1, 2]\n", 5, "sink"),
        ("matrix:\n  script.LIMIT: [1, 2]\n", 5, "LIMIT"),
        ("matrix:\n  motes.chain.colour: [1, 2]\n", 5, "colour"),
        ("matrix:\n  motes.chain.count: [2, 99]\n", 5, "99"),
        ("application: {name: mesh}\n", 4, "application"),
        ("motes: {chain: {make: {TARGET: sky}}}\n", 4, "TARGET"),
        ("motes: {chain: {defines: {A: '\"x y\"'}}}\n", 4, "A"),
        ("motes:\n  chain: {count: 2}\n  chain: {count: 3}\n", 6, "chain"),
    ],
)
def test_a_setting_of_what_the_file_has_not(folder, capsys, text, line, word):
    assert main(["validate", str(folder / scenario(folder, text)), "--json"]) == 3
    faults = json.loads(capsys.readouterr().out)["faults"]
    assert [fault["line"] for fault in faults] == [line]
    assert word in faults[0]["what"]


def test_a_csc_without_sources(folder, capsys):
    text = (folder / "my chain.csc").read_text().replace("probes/chain.c", "gone/chain.c")
    (folder / "gone.csc").write_text(text)
    line = text[: text.index("gone/chain.c")].count("\n") + 1
    assert run(folder, "gone.csc") == 3
    assert f"gone.csc:{line}: " in capsys.readouterr().err
    (folder / "chain.c").write_text("")
    assert run(folder, "gone.csc") == 3
    assert "[CONFIG_DIR]/chain.c" in capsys.readouterr().err  # the path that would work
    (folder / "none.csc").write_text(re.sub(r"<source>.*?</source>", "", text, flags=re.DOTALL))
    assert run(folder, "none.csc") == 3
    assert "without <source>" in capsys.readouterr().err


def test_moves_of_motes_are_kept_with_the_run(folder, tmp_path):
    (folder / "moves.dat").write_text("0 1.0 5.0 5.0\n1 2.5 30.0 0.0\n")
    text = (folder / "my chain.csc").read_text()
    plugin = (
        "<plugin>org.contikios.cooja.plugins.Mobility"
        "<plugin_config><positions>[CONFIG_DIR]/moves.dat</positions></plugin_config></plugin></simconf>"
    )
    (folder / "moving.csc").write_text(text.replace("</simconf>", plugin))
    assert run(folder, "moving.csc") == 0
    (one,) = runs(folder, "moving").values()
    stored = Store(folder / "store").folder("moving", one.run_id)
    moved = read(stored / "simulation.csc").mobility
    assert moved == read(folder / "moving.csc").mobility
    assert moved
    (folder / "moves.dat").unlink()
    assert main(["simulate", str(stored / "simulation.csc"), "--logdir", str(tmp_path)]) == 0
    assert (tmp_path / "COOJA.testlog").read_bytes() == (stored / "COOJA.testlog").read_bytes()
