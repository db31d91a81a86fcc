# SPDX-License-Identifier: Apache-2.0
"""The same sources on a real Contiki-NG tree: set CONTIKI_NG to its folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "aggregation"))
from app_runs import BASE, parse

from orchestrator import resources
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from orchestrator.runs.model import Outcome
from orchestrator.scenario.load import loads
from tests.placed import simulation

TREE = os.environ.get("CONTIKI_NG", "")
pytestmark = [
    pytest.mark.contiki_ng,
    pytest.mark.skipif(not TREE or not Path(TREE).is_dir(), reason="CONTIKI_NG names no Contiki-NG tree"),
]


def built(folder: Path, name: str, mac: str) -> Path:
    """The application built there, all warnings errors; nothing is written into the project."""
    work = folder / "contiki-apps"
    shutil.copytree(resources.contiki_apps(), work, ignore=shutil.ignore_patterns("build"))
    call = ["make", "-C", work / "apps" / name, "TARGET=cooja", f"{name}.cooja", f"MAC={mac}", "WERROR=1"]
    done = subprocess.run(
        [*call, f"CONTIKI={Path(TREE).resolve()}"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return work / "apps" / name / "build" / "cooja" / f"{name}.cooja"


@pytest.mark.parametrize(
    ("name", "mac"),
    [
        ("pubsub-hello", "csma"),
        ("aggregation", "nullmac"),
        ("mesh", "csma"),
        ("shared-sensor", "csma"),
        ("alarm", "nullmac"),
        ("duty-cycle", "nullmac"),
    ],
)
def test_it_builds(tmp_path, name, mac):
    assert built(tmp_path, name, mac).is_file()


def test_it_runs_as_on_the_embedded_contiki(tmp_path):
    firmware = built(tmp_path, "aggregation", "csma")
    text = BASE.format(
        shape="chain, publishers: 5, spacing: 5 m",
        parameters="rate: high",
        duration="30 s",
        trace="true",
        rx=100,
    )
    made = simulation(loads(text, "app.yaml").cells[0], 1)
    kernel = engine("embedded")
    kernel.prepare()
    result = run_one(kernel, Job(made, 1, {made.mote_types[0].identifier: firmware}, tmp_path / "log"))
    # Its boot messages are text; everything else are the same records.
    ours = [line for line in (tmp_path / "log").read_text().splitlines() if "\t!" in line]
    got = parse(result.outcome, "\n".join(ours).encode())
    assert got.outcome is Outcome.OK
    assert [record.values[0] for record in got.of("run")] == ["init", "verified", "start", "stop", "end"]
    assert got.total("events_published") == sum(record.values[1] for record in got.of("from")) == 5 * 81
    assert {record.values[0] for record in got.of("agg")} == {5}
