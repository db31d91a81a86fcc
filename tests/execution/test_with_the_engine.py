# SPDX-License-Identifier: Apache-2.0
"""Campaigns with real firmware and the real engine: same bytes, killed processes, full disks, read-only
folders.
"""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.csc.read import read
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import run_one
from orchestrator.errors import MissingTool
from orchestrator.execution import pipeline, plan
from orchestrator.execution.execute import Effort
from orchestrator.runs.store import Store
from orchestrator.scenario.load import load
from tests import needs
from tests.waiting import HANG_S, wait_until

needs.a_compiler()

ORCHESTRATE = [sys.executable, "-m", "orchestrator.cli.app"]


def orchestrate(*arguments, **options) -> subprocess.CompletedProcess:
    command = [*ORCHESTRATE, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=HANG_S, check=False, **options)


def logs(store: Path) -> dict[str, bytes]:
    return {path.parent.name: path.read_bytes() for path in sorted(store.glob("trial/runs/*/COOJA.testlog"))}


def no_half_runs(store: Path) -> bool:
    runs = list(store.glob("trial/runs/*"))
    return all((run / "manifest.json").is_file() for run in runs) and not Store(store).verify("trial")


def test_the_same_bytes_twice_and_with_any_number_of_workers(scenario_file, tmp_path):
    scenario = load(scenario_file(3))
    results = [
        pipeline.run(scenario, tmp_path / f"store{workers}", Effort(workers), report=False)
        for workers in (1, 2, 4)
    ]
    first = logs(tmp_path / "store1")
    assert len(first) == 6
    assert logs(tmp_path / "store2") == first == logs(tmp_path / "store4")
    assert results[0].summary.run_ids == results[1].summary.run_ids == results[2].summary.run_ids
    listed = json.loads((tmp_path / "store1" / "trial" / "campaign.json").read_text())["runs"]
    assert sorted(listed) == sorted(first)
    assert (tmp_path / "store1" / "trial" / "scenario.yaml").read_text() == scenario.source
    manifests = Store(tmp_path / "store1").runs("trial")
    assert {run.outcome.value for run in manifests} == {"ok"}
    assert len({run.trend_id for run in manifests}) == 6
    assert [mote.name for mote in manifests[0].motes] == ["S", "P1", "P2", "P3", "C"]


def test_a_run_s_csc_runs_again_to_the_same_log(scenario_file, tmp_path):
    """The staged sources beside it are all that it needs; its bytes name no folder of this machine."""
    scenario = load(scenario_file(1))
    pipeline.run(scenario, tmp_path / "store", report=False)
    for folder in (tmp_path / "store" / "trial" / "runs").iterdir():
        text = (folder / "simulation.csc").read_bytes()
        assert str(tmp_path).encode() not in text
        simulation = read(folder / "simulation.csc")
        assert simulation.mote_types[0].source.startswith("[CONFIG_DIR]/../../../firmware/")
        done = orchestrate(
            "simulate", folder / "simulation.csc", "--logdir", tmp_path / "again", "--no-commands"
        )
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "again" / "COOJA.testlog").read_bytes() == (folder / "COOJA.testlog").read_bytes()


def test_another_compiler_or_flag_makes_the_same_logs(scenario_file, tmp_path):
    scenario = load(scenario_file(2))
    found = []
    for cc, cflags in ((None, ""), (None, "-O0"), ("clang", "-O2")):
        try:
            planned = plan.prepare(scenario, tmp_path / "store", cc=cc, cflags=cflags)
        except MissingTool:
            continue
        found.append({})
        for spec in planned.specs():
            log = tmp_path / "log"
            run_one(planned.engines["embedded"], Job(spec.deployment, spec.seed, spec.firmware, log))
            found[-1][spec.trend_id] = log.read_bytes()
    assert len(found) >= 2
    assert all(one == found[0] for one in found)


def test_a_killed_campaign_goes_on_where_it_was(scenario_file, tmp_path):
    scenario, store = scenario_file(40, "4 min"), tmp_path / "store"
    held = [sys.executable, "-m", "tests.held", "20", str(tmp_path / "never")]
    process = subprocess.Popen(
        [*held, "run", str(scenario), "--store", str(store), "--no-report"],
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    wait_until(lambda: len(logs(store)) >= 5 or process.poll() is not None)
    process.kill()
    assert process.wait() == -signal.SIGKILL, "the campaign ended before it could be killed"
    kept = logs(store)
    assert 5 <= len(kept) < 80
    assert no_half_runs(store)
    done = orchestrate("run", scenario, "--store", store, "--no-report", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["runs"] == 80
    assert result["made"] <= 80 - len(kept)
    assert {name: log for name, log in logs(store).items() if name in kept} == kept
    assert no_half_runs(store)
    assert not list(store.glob("trial/.tmp-*"))


def test_ctrl_c_leaves_whole_runs_and_no_engine(scenario_file, tmp_path):
    store = tmp_path / "store"
    process = subprocess.Popen(
        [*ORCHESTRATE, "run", str(scenario_file(40, "300 min")), "--store", str(store), "--no-report"],
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_until(lambda: list(store.glob("trial/.tmp-*/COOJA.testlog")))
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=HANG_S)
    assert process.returncode == 130
    assert "interrupted" in said
    assert "Traceback" not in said
    assert no_half_runs(store)
    assert not list(store.glob("trial/.tmp-*"))
    wait_until(lambda: str(store) not in running())  # who was killed may take a moment to be gone


def running() -> str:
    """The commands of all processes."""
    found = []
    for one in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended meanwhile
            found.append(one.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    return "\n".join(found)


@contextmanager
def mounted(folder: Path, options: str):
    folder.mkdir(exist_ok=True)
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "none", str(folder)], capture_output=True, check=False
    )
    if done.returncode != 0:
        pytest.skip("cannot mount a tmpfs")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small disk")
def test_a_full_disk(scenario_file, tmp_path):
    with mounted(tmp_path / "disk", "size=3m") as disk:
        store = disk / "store"
        scenario = scenario_file(200)
        done = orchestrate("run", scenario, "--store", store, "--no-report")
        assert done.returncode == 8, done.stderr
        assert "No space left on device" in done.stderr
        assert "--store" in done.stderr
        assert "Traceback" not in done.stderr
        kept = logs(store)
        assert 0 < len(kept) < 400
        assert no_half_runs(store)
        subprocess.run(["mount", "-o", "remount,size=200m", str(disk)], check=True)
        smaller = replace(load(scenario), seeds=(1, 2, 3))
        assert pipeline.run(smaller, store, report=False).summary.failures == []
        assert no_half_runs(store)


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a read-only disk")
def test_a_read_only_store(scenario_file, tmp_path):
    with mounted(tmp_path / "disk", "ro") as disk:
        done = orchestrate("run", scenario_file(), "--store", disk / "store", "--no-report")
        assert done.returncode == 8
        assert "Read-only file system" in done.stderr
        done = orchestrate("simulate", "tests/golden/cooja/chain/simulation.csc", "--logdir", disk)
        assert done.returncode == 8, done.stderr


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a disk")
def test_a_report_on_a_complete_store_that_has_become_read_only(scenario_file, tmp_path):
    with mounted(tmp_path / "disk", "size=50m") as disk:
        assert orchestrate("run", scenario_file(2), "--store", disk).returncode == 0
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        done = orchestrate("report", "trial", "--store", disk, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        page = tmp_path / "trial-report" / "index.html"
        assert done.stdout == f"{page}\n" and page.is_file()
        assert orchestrate("metrics", "trial", "--store", disk).returncode == 0


def test_without_a_compiler(scenario_file, tmp_path):
    environment = {name: value for name, value in os.environ.items() if name != "CC"} | {
        "PATH": str(tmp_path)
    }
    done = orchestrate("run", scenario_file(), "--store", tmp_path / "store", "--no-report", env=environment)
    assert done.returncode == 5
    assert "build-essential" in done.stderr
    assert not list(tmp_path.glob("store/trial/runs/*"))


def test_a_hanging_or_slow_run_is_ended_at_the_wall_limit(scenario_file, tmp_path):
    store = tmp_path / "store"
    scenario = scenario_file(1, "270 min")
    scenario.write_text(scenario.read_text().replace("publishers: 3", "publishers: 40"))
    done = orchestrate("run", scenario, "--store", store, "--wall-limit", "0.2")
    assert done.returncode == 7, done.stderr
    assert "report:" not in done.stdout, "there is nothing to report on"
    assert "wall-clock limit" in done.stdout
    assert {run.outcome.value for run in Store(store).runs("trial")} == {"wall-clock limit"}
