# SPDX-License-Identifier: Apache-2.0
"""Experiments with emulated Tmote Skys: of a .csc or of mote types, whose firmware is built or is there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from orchestrator.build import msp430
from orchestrator.cli.app import main
from orchestrator.errors import MissingTool
from orchestrator.resources import contiki_apps
from orchestrator.runs.store import Store
from tests import needs
from tests.stand_in_tree import stand_in_tree

SKY = Path(__file__).resolve().parents[2] / "golden" / "sky"

needs.a_compiler()


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Path:
    """A folder of a user with a .csc and the compiled firmware that it names."""
    folder = tmp_path_factory.mktemp("skys")
    shutil.copytree(SKY / "constant-loss", folder / "probes")
    shutil.copy(SKY / "probe.sky", folder)
    return folder


def run(home: Path, text: str = "", base: str = "simulation: {csc: probes/simulation.csc}") -> int:
    (home / "s.yaml").write_text(f"experiment: s\n{base}\nseeds: 123456\n{text}")
    return main(["run", str(home / "s.yaml"), "--store", str(home / "store"), "--no-report"])


def faults(home: Path, text: str, base: str, capsys) -> list[tuple[int, str]]:
    (home / "f.yaml").write_text(f"experiment: f\n{base}\nseeds: 1\n{text}")
    capsys.readouterr()
    assert main(["validate", str(home / "f.yaml"), "--json"]) == 3
    return [(fault["line"], fault["what"]) for fault in json.loads(capsys.readouterr().out)["faults"]]


def made(home: Path, experiment: str = "s") -> list:
    return Store(home / "store").runs(experiment)


def test_an_experiment_with_compiled_firmware_has_coojas_log(home):
    assert run(home) == 0
    (one,) = made(home)
    stored = Store(home / "store").folder("s", one.run_id)
    assert (stored / "COOJA.testlog").read_bytes() == (SKY / "constant-loss" / "COOJA.testlog").read_bytes()
    # The store keeps the firmware, whatever becomes of the user's file.
    again = home / "again"
    assert main(["simulate", str(stored / "simulation.csc"), "--logdir", str(again)]) == 0
    assert (again / "COOJA.testlog").read_bytes() == (stored / "COOJA.testlog").read_bytes()


def test_compiled_firmware_takes_the_places_of_a_topology(home):
    """Beside a Contiki-NG tree, which it does not need."""
    stand_in_tree(home / "tree")
    places = (
        "topology: {shape: chain, publishers: 1, spacing: 30 m}\nduration: 5 s\n"
        "radio: {medium: udgm, range: 50 m, interference: 100 m}\nfirmware: {tree: tree}\n"
    )
    (home / "s2.yaml").write_text(
        f"experiment: places\nmotes: {{probe: {{firmware: probe.sky}}}}\nseeds: 1\n{places}"
    )
    assert main(["run", str(home / "s2.yaml"), "--store", str(home / "store"), "--no-report"]) == 0
    (one,) = made(home, "places")
    log = (Store(home / "store").folder("places", one.run_id) / "COOJA.testlog").read_text()
    assert "ID:1" in log and "ID:2" in log


def test_other_firmware_makes_other_runs(home, capsys):
    assert run(home) == 0
    before = {one.run_id for one in made(home)}
    # A byte behind the file's end, which no mote has.
    (home / "probes" / "other.sky").write_bytes((home / "probe.sky").read_bytes() + b"\0")
    assert run(home, "motes: {probe: {firmware: other.sky}}\n") == 0
    (one,) = [one for one in made(home) if one.run_id not in before]
    assert main(["reproduce", one.run_id, "--store", str(home / "store")]) == 0
    assert "same" in capsys.readouterr().out


def test_motes_are_placed_and_counted_as_a_matrix_says(home):
    text = "duration: 2 s\ntopology: {shape: grid, spacing: 10 m}\nmatrix: {motes.probe.count: [2, 9]}\n"
    assert run(home, text) == 0
    assert {len(one.motes) for one in made(home)} >= {2, 9}


@pytest.mark.parametrize(
    ("base", "text", "line", "word"),
    [
        ("simulation: {csc: probes/simulation.csc}", "motes: {probe: {defines: {A: 1}}}\n", 4, "compiled"),
        ("simulation: {csc: probes/simulation.csc}", "motes: {probe: {make: {A: 1}}}\n", 4, "compiled"),
        ("simulation: {csc: probes/simulation.csc}", "motes: {probe: {firmware: gone.sky}}\n", 4, "gone.sky"),
        ("simulation: {csc: probes/simulation.csc}", "motes: {probe: {platform: cooja}}\n", 4, "Tmote Sky"),
        ("simulation: {csc: probes/simulation.csc}", "firmware: {compile: fast}\n", 4, "compile"),
        ("motes: {a: {firmware: probe.sky, platform: mica}}", "", 2, "mica"),
        ("motes: {a: {firmware: probe.sky, source: a.c}}", "", 2, "firmware"),
        ("motes: {a: {firmware: s.yaml}}", "", 2, "s.yaml"),
    ],
)
def test_settings_that_cannot_apply_are_refused_by_name(home, capsys, base, text, line, word):
    ((at, what),) = faults(home, text, base, capsys)
    assert at == line
    assert word in what


def test_sanitizers_of_tmote_skys_are_refused(home, capsys):
    (home / "z.yaml").write_text("experiment: z\nsimulation: {csc: probes/simulation.csc}\nseeds: 1\n")
    store = ["--store", str(home / "store"), "--no-report"]
    assert main(["run", str(home / "z.yaml"), *store, "--sanitize", "address"]) == 4
    assert "--sanitize" in capsys.readouterr().err


def test_a_csc_without_its_firmware(home, capsys):
    text = (home / "probes" / "simulation.csc").read_text().replace("probe.sky", "gone.sky")
    (home / "probes" / "gone.csc").write_text(text)
    line = text[: text.index("gone.sky")].count("\n") + 1
    assert main(["run", str(home / "probes" / "gone.csc"), "--store", str(home / "store")]) == 3
    assert f"gone.csc:{line}: " in capsys.readouterr().err


def test_init_writes_a_scenario_of_compiled_firmware(home, capsys):
    target = home / "made.yaml"
    assert main(["init", str(target), "--from", str(home / "probes" / "simulation.csc")]) == 0
    text = target.read_text()
    assert "firmware: FILE.sky" in text and "defines" not in text
    assert main(["validate", str(target)]) == 0


def test_one_source_on_both_platforms(home):
    """The embedded Contiki's applications build for both."""
    try:
        msp430.tools()
    except MissingTool as missing:
        pytest.skip(str(missing))
    source = contiki_apps() / "apps" / "duty-cycle" / "duty-cycle.c"
    base = f"motes: {{node: {{source: {source}, count: 2}}}}"
    text = (
        "topology: {shape: grid, spacing: 10 m}\nduration: 2 s\nmatrix: {motes.node.platform: [cooja, sky]}\n"
    )
    assert run(home, text, base) == 0
    firmware = [one.firmware["node"] for one in made(home) if "node" in one.firmware]
    assert len(set(firmware)) == len(firmware) == 2
