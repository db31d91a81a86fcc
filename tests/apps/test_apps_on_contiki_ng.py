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
        ("event-service", "nullmac"),
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
    # Its boot messages are text; all other lines are the same records.
    ours = [line for line in (tmp_path / "log").read_text().splitlines() if "\t!" in line]
    got = parse(result.outcome, "\n".join(ours).encode())
    assert got.outcome is Outcome.OK
    assert [record.values[0] for record in got.of("run")] == ["init", "verified", "start", "stop", "end"]
    assert got.total("events_published") == sum(record.values[1] for record in got.of("from")) == 5 * 81
    assert {record.values[0] for record in got.of("agg")} == {5}


# A board without its gateway: the base station keeps the tables, and evaluates the condition.
BOARD = """experiment: board
topology: {shape: boards, boards: 1}
radio: {range: 2.54 m, interference: 5.08 m}
application: {name: event-service, suppliers: P1, consumers: P3 P4, pushes: 20, interval: 200 ms,
  warm-up: 4 s, start: at-once, tables: base-station, type: climate,
  condition: temperature > 45 and humidity > 40 %}
duration: 5 s
drain: 1 s
start-delay: 100 ms
seeds: 1
"""


@pytest.mark.cooja
@pytest.mark.skipif(not os.environ.get("COOJA"), reason="set COOJA to a Cooja, COOJA_RULES to its rule set")
def test_a_board_of_the_event_service_logs_the_same_bytes_in_a_real_cooja(tmp_path):
    firmware = built(tmp_path, "event-service", "csma")
    made = simulation(loads(BOARD, "board.yaml").cells[0], 1)
    rules = os.environ.get("COOJA_RULES", "5.0")
    logs = []
    for name in ("embedded", "cooja"):
        log = tmp_path / name / "COOJA.testlog"
        log.parent.mkdir()
        library = {made.mote_types[0].identifier: firmware}
        job = Job(made, 1, library, log, ruleset=rules)
        result = run_one(engine(name), job)
        if (
            result.outcome is Outcome.LOST
        ):  # Cooja's script thread can be gone as it ends: a run makes it again
            result = run_one(engine(name), job)
        assert result.outcome is Outcome.OK, result.evidence
        logs.append(log.read_bytes())
    assert logs[0] == logs[1]
    wanted = [k for k in range(1, 21) if 40 + k % 30 > 45 and 30 + 7 * k % 40 > 40]
    assert logs[0].count(b"\t!dlv,") == 2 * len(wanted)
