# SPDX-License-Identifier: Apache-2.0
"""Our applications on emulated Tmote Skys: the same scenario as on Cooja's motes, with `platform: sky`."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from orchestrator.build import msp430
from orchestrator.build.recipe import recipe
from orchestrator.cli.app import main
from orchestrator.errors import MissingTool, Unsupported
from orchestrator.runs.store import Store
from tests import needs

needs.a_compiler()
try:
    msp430.tools()
except MissingTool as missing:
    pytest.skip(str(missing), allow_module_level=True)

SCENARIO = """experiment: sky
topology: {shape: chain, publishers: 2, spacing: 20 m}
radio: {medium: udgm, range: 50 m, interference: 100 m}
application: {name: aggregation, rate: high, aggregate: true}
duration: 10 s
drain: 5 s
seeds: [1, 2]
matrix: {application.platform: [cooja, sky]}
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> Path:
    """Runs of an application on both kinds of motes."""
    folder = tmp_path_factory.mktemp("sky")
    (folder / "sky.yaml").write_text(SCENARIO)
    assert main(["run", str(folder / "sky.yaml"), "--store", str(folder / "store"), "--no-report"]) == 0
    return folder / "store"


def _runs(store: Path, platform: str) -> list[tuple[Path, dict[str, dict[str, int]]]]:
    """Return the runs' folders and each mote's counters."""
    found = []
    for one in sorted(Store(store).runs("sky"), key=lambda one: one.seed):
        if not one.cell.endswith(platform):
            continue
        folder = store / "sky" / "runs" / one.run_id
        counters: dict[str, dict[str, int]] = {}
        for line in (folder / "COOJA.testlog").read_text().splitlines():
            if "\t!cnt," in line:
                _, mote, text = line.split("\t")
                _, name, value = text.split(",")
                counters.setdefault(mote, {})[name] = int(value)
        found.append((folder, counters))
    return found


def test_all_events_arrive_on_both_kinds_of_motes(store):
    for platform in ("cooja", "sky"):
        runs = _runs(store, platform)
        assert len(runs) == 2
        for _, counters in runs:
            published = sum(one["events_published"] for one in counters.values())
            assert published > 40 and counters["ID:1"]["events_unaccounted"] == 0


def test_only_emulated_motes_compute_in_simulated_time(store):
    """A line of 30 characters takes 2.6 ms at 115,200 bit/s, so no two lines have one time."""
    for platform, distinct in (("cooja", False), ("sky", True)):
        lines = (_runs(store, platform)[0][0] / "COOJA.testlog").read_text().splitlines()
        times = [line.split("\t")[0] for line in lines if "\tID:1\t" in line]
        assert (len(set(times)) == len(times)) is distinct


def test_a_stored_run_can_be_made_again_and_differs_by_seed(store, tmp_path):
    (first, _), (second, _) = _runs(store, "sky")
    assert main(["simulate", str(first / "simulation.csc"), f"--logdir={tmp_path}"]) == 0
    log = (tmp_path / "COOJA.testlog").read_bytes()
    assert log == (first / "COOJA.testlog").read_bytes() != (second / "COOJA.testlog").read_bytes()


def test_real_cooja_has_the_same_log(store, tmp_path):
    cooja = os.environ.get("COOJA")
    if not cooja:
        pytest.skip("set COOJA to the folder of a built Cooja")
    folder, _ = _runs(store, "sky")[0]
    call = ["simulate", str(folder / "simulation.csc"), "--engine", "cooja", "--cooja", cooja]
    assert main([*call, f"--logdir={tmp_path}"]) == 0
    assert (tmp_path / "COOJA.testlog").read_bytes() == (folder / "COOJA.testlog").read_bytes()


def test_a_warning_of_a_run_is_shown_and_reported(store, tmp_path, capsys):
    """The kernel's warnings themselves: tests/engines/test_sky_faults.py."""
    copy = tmp_path / "store"
    shutil.copytree(store, copy)
    folder, _ = _runs(copy, "sky")[0]
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["evidence"] == []
    manifest["evidence"] = ["warning: mote 2: the watchdog reset it, in stuck (app/a.c:1)"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert main(["show", f"sky/{manifest['cell']}/{manifest['seed']}", "--store", str(copy)]) == 0
    assert "mote 2: the watchdog reset it" in capsys.readouterr().out
    assert main(["report", "sky", "--store", str(copy)]) == 0
    assert "mote 2: the watchdog reset it" in (copy / "sky" / "report" / "index.html").read_text()


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (("aggregate: true", "aggregate: true, clock-phase: drawn"), "clock-phase"),
        (("aggregate: true", "aggregate: true, mac: radio-csma"), "radio-csma"),
        (("publishers: 2", "publishers: 60"), "room for 4096"),
    ],
)
def test_what_a_tmote_sky_cannot_have_is_refused_by_name(tmp_path, capsys, change, word):
    file = tmp_path / "sky.yaml"
    file.write_text(SCENARIO.replace(*change))
    assert main(["validate", str(file)]) == 3
    assert word in capsys.readouterr().err


def test_a_contiki_ng_tree_is_not_asked_for_our_port(tmp_path):
    with pytest.raises(Unsupported, match="TARGET=sky exists only in the embedded Contiki"):
        recipe("aggregation", {"TARGET": "sky"}, from_image="contiki-ng:latest")


@pytest.mark.parametrize(("variant", "target"), [({"TARGET": "sky"}, "zoul"), ({}, "sky")])
def test_firmware_for_emulated_motes_does_not_go_to_boards(variant, target):
    with pytest.raises(Unsupported, match="emulated motes|simulated motes"):
        recipe("aggregation", variant, target=target)
