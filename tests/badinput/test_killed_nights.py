# SPDX-License-Identifier: Apache-2.0
"""A night that is killed, at whatever moment, ends with its verdict once `nightly` is called again, and no
other round is begun.

`ORCHESTRATE_SCHEDULES=30` tries thirty random schedules; `ORCHESTRATE_FIRST_SCHEDULE=17` begins with number
17, to try one again; `ORCHESTRATE_TESTS=all` computes all metrics.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from orchestrator.cli import app
from orchestrator.features.campaigns import record, samples
from orchestrator.features.campaigns.model import Product, State
from orchestrator.features.campaigns.record import Round
from orchestrator.runs.store import Store
from tests import needs, tier
from tests.waiting import HANG_S, wait_until

needs.a_compiler()
pytestmark = pytest.mark.spark
FIRST = int(os.environ.get("ORCHESTRATE_FIRST_SCHEDULE", "0"))
SCHEDULES = int(os.environ.get("ORCHESTRATE_SCHEDULES", "1"))  # thirty by hand
PROGRAM = "orchestrator.cli.app" if tier.ALL else "tests.few_families"
SCENARIO = """\
experiment: trial
topology: {shape: chain, publishers: 2, spacing: 5 m}
application: {name: aggregation, rate: high}
duration: 20 s
drain: 1 s
seeds: 1
"""
INCOMPLETE = 7  # the verdict of a first night, which has no baseline


class Nights:
    """A campaign whose rounds have seeds of their own, so that each call after a whole one begins another."""

    def __init__(self, folder: Path):
        self.store, self.file = folder / "store", folder / "nights.yaml"
        (folder / "trial.yaml").write_text(SCENARIO)
        self.file.write_text(
            "campaign: nights\nseeds: {fixed: 1, fresh: 3}\n"
            "parts: [{scenario: trial.yaml, experiment: trial}]\n"
        )

    def begin(self) -> subprocess.Popen:
        command = [sys.executable, "-m", PROGRAM, "nightly", str(self.file), "--store", str(self.store)]
        with (self.store.parent / "said.txt").open("ab") as said:
            return subprocess.Popen(command, stdout=said, stderr=said)

    def whole(self) -> str:
        """A call that nobody kills; returns what was said by all calls until now."""
        night = self.begin()
        assert night.wait(HANG_S) == INCOMPLETE, self.said()
        return self.said()

    def said(self) -> str:
        return (self.store.parent / "said.txt").read_text()

    def last(self) -> Round | None:
        return record.latest(self.store, "nights")

    def check(self) -> None:
        """One round, whole, with a verdict on all of its runs and nothing left to do."""
        (only,) = record.rounds(self.store, "nights")
        assert only.state is State.COMPLETE and not only.missing, self.said()
        runs = {run.run_id for run in only.runs()}
        assert len(runs) == only.plan.total and runs == set(Store(self.store).ids("trial"))
        assert Store(self.store).verify("trial") == []
        where = samples.folder(self.store, "nights", only.id)
        assert set(samples.kept(where / samples.FILE)["run_id"]) == runs
        (reason,) = json.loads((where / "verdict.json").read_text())["reasons"]
        assert "no round was promoted" in reason["text"]
        assert (self.store / "trial/report/index.html").is_file()


@pytest.fixture(scope="module")
def undisturbed_s(tmp_path_factory) -> float:
    """How long a whole night takes, in s."""
    nights = Nights(tmp_path_factory.mktemp("undisturbed"))
    began = time.monotonic()
    nights.whole()
    nights.check()
    return time.monotonic() - began


def test_a_night_killed_after_its_simulations_is_finished_before_the_next_one(tmp_path, capsys):
    nights = Nights(tmp_path)
    night = nights.begin()
    wait_until(lambda: night.poll() is not None or ((last := nights.last()) and last.missing))
    night.kill()
    night.wait()
    assert nights.last().missing == (Product.RESULTS, Product.VERDICT), nights.said()
    assert app.main(["campaign", "status", str(nights.file), "--store", str(nights.store)]) == 0
    assert "results missing" in capsys.readouterr().out
    nights.whole()
    nights.check()


@pytest.mark.parametrize("seed", range(FIRST, FIRST + SCHEDULES))
def test_a_night_killed_at_random_moments_ends_with_its_verdict_and_no_other_round(
    seed, tmp_path, undisturbed_s
):
    nights, chosen = Nights(tmp_path), random.Random(seed)
    kills = []
    for _ in range(chosen.randint(1, 3)):
        if (last := nights.last()) is not None and last.state is State.COMPLETE:
            break  # the kill came after the night's end: another call would rightly begin the next one
        night = nights.begin()
        try:
            night.wait(chosen.uniform(0, undisturbed_s))
        except subprocess.TimeoutExpired:
            night.kill()
            night.wait()
            last = nights.last()
            kills.append("no round" if last is None else last.state.value)
    if (last := nights.last()) is None or last.state is not State.COMPLETE:
        nights.whole()
    print(f"schedule {seed}: killed in the states {kills}")
    nights.check()
