# SPDX-License-Identifier: Apache-2.0
"""A full disk and a kill -9 at each step of a run: nothing half-done looks finished, the same command then
completes, and what it leaves is what an undisturbed one leaves.

The steps are those that an undisturbed run takes. Building takes long: of its steps only some are tried;
those of the tables, the metrics and the report are not, unless ORCHESTRATE_STEPS=some (some of these) or all
(every step of all). Kills and full disks take turns over the steps, unless ORCHESTRATE_TESTS=all.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from faulty_disk import FaultyDisk, steps

from orchestrator.runs.store import Store
from tests import built_before, needs, tier

needs.a_compiler()
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="preloads a library")

WANTED = os.environ.get("ORCHESTRATE_STEPS", "")
ALL = WANTED == "all"
SCENARIO = """\
experiment: trial
topology: {shape: chain, publishers: 3, spacing: 5 m}
application: {name: pubsub-hello, interval: 2 s}
duration: 20 s
seeds: 1..2
"""
# What is compared: all that results are made of, but times, hosts and speeds.
COMPARED = (
    "trial/runs/*/COOJA.testlog",
    "trial/runs/*/simulation.csc",
    "trial/scenario.yaml",
    "trial/campaign.json",
    "firmware/**/*",
    "trial/tables/*/*.parquet",
    "trial/metrics/*/*.parquet",
)


class Walk:
    """A folder with a cache and a store; `call` runs the scenario in it."""

    def __init__(self, folder: Path, *options: str, cache: Path | None = None):
        (folder / "disk").mkdir(parents=True)
        if cache is not None:
            shutil.copytree(cache, folder / "disk/cache", symlinks=True)
        self.disk = FaultyDisk(FaultyDisk.compiled(folder), folder / "disk")
        self.store = folder / "disk/store"
        (folder / "trial.yaml").write_text(SCENARIO)
        self.command = (
            "run",
            str(folder / "trial.yaml"),
            "--store",
            str(self.store),
            "--workers",
            "1",
            *options,
        )

    def call(self, **fault):
        return self.disk.run(*self.command, **fault)

    def left(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.store)): path.read_bytes()
            for pattern in COMPARED
            for path in sorted(self.store.glob(pattern))
            if path.is_file()
        }

    def try_each(self, how: str, chosen: dict[str, int], prepare) -> None:
        """Runs undisturbed first; then disturbs each step, from the state that `prepare` leaves, and
        completes the run."""
        expected = self.left()
        assert expected
        for name, number in chosen.items():
            prepare()
            disturbed = self.call(at=number, how=how)
            where = f"{how} at {name}:\n{disturbed.said}"
            if how == "kill":
                assert disturbed.code == -9, where
            else:
                assert disturbed.code == 8, where
                assert "No space left" in disturbed.said and "the same command again" in disturbed.said, where
                assert "Traceback" not in disturbed.said, where
            self.check_whole(expected, where)
            again = self.call()
            assert again.code == 0, f"{where}\nagain: {again.said}"
            assert self.left() == expected, where
            assert not list(self.store.glob("trial/.tmp-*")), where

    def check_whole(self, expected: dict[str, bytes], where: str) -> None:
        """Checks that everything that looks finished is finished."""
        if self.store.is_dir():
            assert not Store(self.store).verify("trial"), where
        for name, content in self.left().items():
            parts = Path(name).parts
            if parts[0] == "firmware" and any(part.startswith(".tmp-") for part in parts):
                continue
            if name.endswith(".parquet"):
                # tables and metrics are compared after the next call: their names tell what they hold
                continue
            assert expected[name] == content, f"{name}: {where}"


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """A cache in which everything is built."""
    return built_before.seed(tmp_path_factory.mktemp("built") / "cache", SCENARIO)


@pytest.mark.parametrize("how", ["kill", "full"])
def test_each_step_from_the_plan_to_the_last_run(how, built, tmp_path):
    walk = Walk(tmp_path, "--no-report", cache=built)
    undisturbed = walk.call()
    assert undisturbed.code == 0, undisturbed.said
    chosen = steps(undisturbed.journal)
    for file in ("COOJA.testlog", "simulation.csc", "manifest.json"):
        assert f"write store/trial/.tmp/{file}" in chosen
    assert {
        "rename store/trial/runs/ID",
        "rename store/trial/campaign.json",
        "rename store/firmware/ID",
    } <= chosen.keys()
    if not ALL:  # steps that aren't the last of their kind before something appears
        chosen = {name: number for name, number in chosen.items() if not name.startswith(("fsync", "create"))}
    if not (ALL or tier.ALL):
        chosen = dict(list(chosen.items())[how == "full" :: 2])
    walk.try_each(how, chosen, lambda: shutil.rmtree(walk.store))


@pytest.mark.parametrize(
    ("how", "kind", "some"),
    [
        pytest.param(
            "kill",
            "kernel",
            "rename cache/orchestrate/kernel/ID",
            marks=pytest.mark.full(instead="the firmware, which is cached in the same way"),
        ),
        ("full", "firmware", "write cache/orchestrate/firmware/.tmp/.entry/pubsub-hello.cooja"),
    ],
)
def test_each_step_of_the_builds(how, kind, some, built, tmp_path):
    walk = Walk(tmp_path, "--no-report", cache=built)
    undisturbed = walk.call()
    assert undisturbed.code == 0, undisturbed.said

    def prepare():
        shutil.rmtree(walk.store)
        shutil.rmtree(walk.disk.folder / "cache/orchestrate" / kind)

    prepare()
    chosen = {
        name: number
        for name, number in steps(walk.call().journal).items()
        if f" cache/orchestrate/{kind}" in name
    }
    walk.try_each(how, chosen if ALL else {some: chosen[some]}, prepare)


@pytest.mark.spark
@pytest.mark.skipif(not WANTED, reason="takes minutes: set ORCHESTRATE_STEPS to some or all")
@pytest.mark.parametrize("how", ["kill", "full"])
def test_each_step_of_the_tables_the_metrics_and_the_report(how, tmp_path):
    walk = Walk(tmp_path)
    FaultyDisk.run(walk.disk, *walk.command, "--no-report")
    shutil.copytree(walk.store, tmp_path / "runs")
    undisturbed = walk.call()
    assert undisturbed.code == 0, undisturbed.said
    chosen = {
        name: number
        for name, number in steps(undisturbed.journal).items()
        if any(part in name for part in ("/.tables", "/tables", "/.metrics", "/metrics", "/report"))
    }
    assert any("tables" in name for name in chosen) and any("report" in name for name in chosen)
    if not ALL:
        last = (
            "rename store/trial/tables"
            if how == "kill"
            else next(name for name in chosen if "write" in name and "report" in name)
        )
        chosen = {last: chosen[last]}

    def prepare():
        shutil.rmtree(walk.store)
        shutil.copytree(tmp_path / "runs", walk.store)

    walk.try_each(how, chosen, prepare)
