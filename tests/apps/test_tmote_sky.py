# SPDX-License-Identifier: Apache-2.0
"""Our applications on emulated Tmote Skys: the same scenario as on Cooja's motes, with `platform: sky`."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from orchestrate_spark.load import load

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
record: [air]
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


def test_an_event_is_followed_through_a_traced_repetition(store, capsys):
    """Printing takes a Tmote Sky's time, so it doesn't measure the same, and says why."""
    assert main(["trace", str(_runs(store, "sky")[0][0]), "--event", "P2/3", "--rerun"]) == 0
    told = capsys.readouterr().out
    assert "received from P2" in told and "delivered to S" in told
    assert "needs time to print" in told


def test_frames_on_the_air_are_as_many_and_arrive_on_both_kinds_of_motes(store, capsys):
    """On the Sky without the medium's losses, but for those who turn to send at the same time."""
    received = {}
    for platform in ("cooja", "sky"):
        made = load(_runs(store, platform)[0][0], "arrow", ["frames", "receptions"])
        outcomes = made["receptions"]["outcome"].to_pylist()
        received[platform] = outcomes.count("received") / (3 * made["frames"].num_rows)
        assert made["frames"].num_rows > 100
    assert received["cooja"] == 1.0 and 0.95 < received["sky"] <= 1.0
    assert main(["trace", str(_runs(store, "sky")[0][0]), "--datagrams"]) == 0
    told = capsys.readouterr().out
    assert "0xffff" in told and "nan" not in told


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
        (("name: aggregation, rate: high, aggregate: true", "name: distribution"), "network: radio"),
    ],
)
def test_what_a_tmote_sky_cannot_have_is_refused_by_name(tmp_path, capsys, change, word):
    file = tmp_path / "sky.yaml"
    file.write_text(SCENARIO.replace(*change))
    assert main(["validate", str(file)]) == 3
    assert word in capsys.readouterr().err


def test_more_motes_than_the_firmware_has_room_for_are_refused(tmp_path, capsys):
    file = tmp_path / "mesh.yaml"
    shape = "shape: grid, rows: 40, columns: 40, spacing: 20 m"
    text = SCENARIO.replace("shape: chain, publishers: 2, spacing: 20 m", shape)
    file.write_text(text.replace("aggregation, rate: high, aggregate: true", "mesh"))
    assert main(["validate", str(file)]) == 3
    assert re.search(r"1600 motes' images take \d+ bytes .* room for 4096", capsys.readouterr().err)


LORRY = """experiment: lorry
topology: {shape: lorry, sensors: 30, sprinklers: 2}
radio: {medium: udgm, range: 20 m, interference: 40 m}
application: {name: lorry, platform: sky, package-policies: none, attack: none}
duration: 2 s
drain: 2 s
seeds: 1
"""
DISTRIBUTION = """experiment: distribution
topology: {shape: chain, publishers: 1, spacing: 20 m}
radio: {medium: udgm, range: 50 m, interference: 100 m}
application: {name: distribution, platform: sky, network: radio, most-tasks: "10"}
duration: 5 s
seeds: 1
"""


@pytest.mark.parametrize("text", [LORRY, DISTRIBUTION])
def test_large_applications_have_room(tmp_path, text):
    """They end with their counters; a stack that is too small would have stopped a thread or a mote."""
    (tmp_path / "large.yaml").write_text(text)
    assert main(["run", str(tmp_path / "large.yaml"), "--store", str(tmp_path), "--no-report"]) == 0
    (log,) = tmp_path.glob("*/runs/*/COOJA.testlog")
    assert "overflow" not in log.read_text() and "abort" not in log.read_text()


BLACKBOARD = """experiment: blackboard
topology: {shape: chain, publishers: 1, spacing: 30 m}
radio: {medium: udgm, range: 50 m, interference: 50 m}
application:
  {name: blackboard-paper, platform: sky, blackboard-cost: none, publisher-cost: 0 s, subscriber-cost: 0 s}
duration: 10 s
seeds: 1..4
"""


def test_the_clock_of_threads_does_not_go_back(tmp_path):
    """A notification taken before its publication would be one of more than an hour."""
    (tmp_path / "threads.yaml").write_text(BLACKBOARD)
    assert main(["run", str(tmp_path / "threads.yaml"), "--store", str(tmp_path), "--no-report"]) == 0
    logs = [path.read_text() for path in tmp_path.glob("*/runs/*/COOJA.testlog")]
    longest = [int(us) for log in logs for us in re.findall(r"!nts,.*,(\d+)$", log, re.MULTILINE)]
    assert len(longest) == 8 and max(longest) < 100_000


def test_firmware_that_is_too_large_says_by_how_much(tmp_path, capsys):
    (tmp_path / "large.yaml").write_text(DISTRIBUTION.replace('"10"', '"32"'))
    assert main(["run", str(tmp_path / "large.yaml"), "--store", str(tmp_path), "--no-report"]) == 6
    assert re.search(r"too large for a Tmote Sky: \d+,\d+ bytes of RAM", capsys.readouterr().err)


def test_a_contiki_ng_tree_is_not_asked_for_our_port(tmp_path):
    with pytest.raises(Unsupported, match="TARGET=sky exists only in the embedded Contiki"):
        recipe("aggregation", {"TARGET": "sky"}, from_image="contiki-ng:latest")


@pytest.mark.parametrize(("variant", "target"), [({"TARGET": "sky"}, "zoul"), ({}, "sky")])
def test_firmware_for_emulated_motes_does_not_go_to_boards(variant, target):
    with pytest.raises(Unsupported, match="emulated motes|simulated motes"):
        recipe("aggregation", variant, target=target)
