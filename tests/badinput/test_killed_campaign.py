# SPDX-License-Identifier: Apache-2.0
"""A kill -9 at each step of a campaign's own files, and a full disk: the next call goes on, no run is made
twice and none is lost.

What a kill does to the runs themselves is in test_faulty_disk.py.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
from faulty_disk import FaultyDisk, steps

from orchestrator.features.campaigns import record
from orchestrator.features.campaigns.model import State
from orchestrator.runs.store import Store
from tests import built_before, needs, tier

needs.a_compiler()
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="preloads a library")
SCENARIO = """\
experiment: trial
topology: {shape: chain, publishers: 1, spacing: 5 m}
application: {name: pubsub-hello, interval: 2 s}
duration: 2 s
drain: 0 s
seeds: 1
"""


class Nights:
    """A campaign of two runs in a folder with cache and store."""

    def __init__(self, folder: Path):
        (folder / "disk").mkdir(parents=True)
        built_before.seed(folder / "disk/cache", SCENARIO)
        self.disk = FaultyDisk(FaultyDisk.compiled(folder), folder / "disk")
        self.store = folder / "disk/store"
        (folder / "trial.yaml").write_text(SCENARIO)
        self.file = folder / "nights.yaml"
        self.file.write_text(
            "campaign: nights\nseeds: {fixed: 1, fresh: 1}\n"
            "parts: [{scenario: trial.yaml, experiment: trial}]\n"
        )

    def call(self, **fault):
        options = ("--store", str(self.store), "--workers", "1", "--no-metrics", "--json")
        return self.disk.run("campaign", "run", str(self.file), *options, **fault)

    def made(self) -> dict[str, int]:
        """The runs that stand in the store, with what tells one from another one made in its place."""
        return {
            run_id: (self.store / "trial/runs" / run_id / "manifest.json").stat().st_ino
            for run_id in Store(self.store).ids("trial")
        }


def test_each_step_of_a_campaigns_own_files(tmp_path):
    nights = Nights(tmp_path)
    first = nights.call()
    assert first.code == 0, first.said
    shutil.rmtree(nights.store)
    chosen = {
        name: number
        for name, number in steps(nights.call().journal).items()
        if "campaigns/nights" in name and not name.startswith(("fsync", "create"))
    }
    assert any("jsonl" in name for name in chosen) and any(".end" in name for name in chosen), chosen
    if not tier.ALL:
        chosen = dict(list(chosen.items())[::2])
    for name, number in chosen.items():
        for how in ("kill", "full") if "jsonl" in name else ("kill",):
            shutil.rmtree(nights.store)
            disturbed = nights.call(at=number, how=how)
            where = f"{how} at {name}:\n{disturbed.said}"
            assert disturbed.code == (-9 if how == "kill" else 8), where
            assert "Traceback" not in disturbed.said, where
            before = nights.made()
            found, unreadable = record.readable(nights.store, "nights")
            assert not unreadable and all(one.state is not State.RUNNING for one in found), where
            again = nights.call()
            assert again.code == 0, f"{where}\nagain: {again.said}"
            last = record.latest(nights.store, "nights")
            assert last.state is State.COMPLETE and not list(last.left()), where
            assert last.plan.number == (2 if found and found[-1].over else 1), where
            after = nights.made()
            assert before.items() <= after.items(), f"no run was made twice: {where}"
            assert {run.run_id for run in last.runs()} <= set(after), where
            told = json.loads(again.said[again.said.index("{") :])
            assert told["made"] == len(after) - len(before), where
            assert Store(nights.store).verify("trial") == [], where
