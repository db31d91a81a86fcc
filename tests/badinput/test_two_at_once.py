# SPDX-License-Identifier: Apache-2.0
"""Two calls that work in one folder: the second waits or is refused, and says so; a killed first one holds up
nobody.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.cli import app
from orchestrator.durable import alone
from orchestrator.runs.store import Store
from tests import needs
from tests.waiting import HANG_S, wait_until

needs.a_compiler()

SEEDS = 60
CHAIN = Path(__file__).resolve().parent.parent / "golden/cooja/chain/simulation.csc"


def start(scenario: Path, store: Path, *program: str) -> subprocess.Popen:
    command = [sys.executable, "-m", *program, "run", str(scenario), "--store", str(store)]
    return subprocess.Popen(
        [*command, "--no-report", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.parametrize("killed", [False, True], ids=["goes-on", "is-killed"])
def test_the_second_campaign_waits_for_the_first_and_makes_only_what_is_missing(killed, trial, tmp_path):
    scenario, store, go = trial(SEEDS), tmp_path / "store", tmp_path / "go"
    first = start(scenario, store, "tests.held", str(SEEDS // 2), str(go))
    wait_until(lambda: list(store.glob("trial/runs/*/manifest.json")) or first.poll() is not None)
    there = len(Store(store).ids("trial"))
    assert 0 < there < SEEDS
    second = start(scenario, store, "orchestrator.cli.app")
    said = second.stderr.readline()
    assert "another process is running trial in" in said and "waiting" in said
    if killed:
        first.kill()
    else:
        go.touch()
    made_first = None if killed else json.loads(first.communicate(timeout=HANG_S)[0])["made"]
    out, said = second.communicate(timeout=HANG_S)
    first.wait()
    first.stdout.close()
    first.stderr.close()
    assert second.returncode == 0, said
    result = json.loads(out)
    assert result["runs"] == SEEDS
    if made_first is None:
        assert 0 < result["made"] <= SEEDS - there
    else:
        assert (made_first, result["made"]) == (SEEDS, 0)
    assert len(Store(store).ids("trial")) == SEEDS and not Store(store).verify("trial")
    Store(store).sweep("trial")  # the killed one's folder, if it was still a zombie when the second swept
    assert not list(store.glob("trial/.tmp-*"))


def test_two_simulations_do_not_write_one_log(tmp_path, capsys):
    (tmp_path / "log").mkdir()
    (tmp_path / "log/COOJA.testlog").write_text("of the first\n")
    with alone(tmp_path / "log"):
        assert app.main(["simulate", str(CHAIN), "--logdir", str(tmp_path / "log")]) == 8
    said = capsys.readouterr().err
    assert "another simulation is writing its COOJA.testlog" in said and "--logdir" in said
    assert (tmp_path / "log/COOJA.testlog").read_text() == "of the first\n"


def test_a_folder_of_its_own_is_nobody_elses(tmp_path):
    with alone(tmp_path), pytest.raises(BlockingIOError), alone(tmp_path):
        pass
    with alone(tmp_path):
        assert not list(tmp_path.iterdir())
