# SPDX-License-Identifier: Apache-2.0
"""Cooja in a container: its console, exit status and end as those of a process here; the same bytes as the
embedded engine.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from orchestrator.build import docker_engine
from orchestrator.engines.cooja.container import ContainerProcess, inside
from orchestrator.engines.cooja.find import Place
from orchestrator.errors import Unsupported
from orchestrator.execution import pipeline
from orchestrator.runs.store import Store
from orchestrator.scenario import changed
from orchestrator.scenario.load import loads
from tests import needs
from tests.waiting import HANG_S

pytestmark = pytest.mark.docker
needs.an_engine_and_image()
HEAP = 64 << 20


@pytest.fixture
def start(tmp_path):
    """start(shell text) -> ContainerProcess; it sees a Cooja, a work folder and a run's folder that the
    former links to.
    """
    jar = tmp_path / "cooja" / "build" / "libs" / "cooja-full.jar"
    jar.parent.mkdir(parents=True)
    jar.write_text("jar")
    for folder in ("work", "run"):
        (tmp_path / folder).mkdir()
    (tmp_path / "work" / "0").symlink_to(tmp_path / "run")
    place = Place(jar, tmp_path / "cooja")
    where = inside(needs.TEST_IMAGE, place)
    return lambda text: ContainerProcess(where, place, ["sh", "-c", text], tmp_path / "work", HEAP)


def console(running: ContainerProcess) -> str:
    said = b""
    while chunk := os.read(running.output, 4096):
        said += chunk
    return said.decode()


def test_it_sees_cooja_sealed_and_the_runs_open(start, tmp_path):
    running = start(
        f"cat {tmp_path}/cooja/build/libs/cooja-full.jar; echo log > 0/COOJA.testlog; touch "
        f"{tmp_path}/cooja/x; exit 3"
    )
    said = console(running)
    assert said.startswith("jar") and "Read-only file system" in said
    assert running.wait(HANG_S) == 3 == running.wait(None)
    assert (tmp_path / "run" / "COOJA.testlog").read_text() == "log\n"


def test_killed_it_is_gone(start):
    running = start("yes; sleep 3600")  # more than a pipe holds, and nobody reads
    assert running.wait(0.3) is None
    running.kill()
    assert running.wait(None) == 137
    running.kill()
    engine = docker_engine.connect()
    label = " ".join(engine.label().values())
    assert engine.client.containers.list(all=True, filters={"label": f"{docker_engine.LABEL}={label}"}) == []


def test_its_memory_is_known(start):
    running = start(
        "python3 -c 'x = bytearray(40 << 20); print(1, flush=True); import time; time.sleep(1)'; exit"
    )
    assert os.read(running.output, 10) == b"1\n"
    engine = docker_engine.connect()
    if not Path(engine.address.removeprefix("unix://")).exists() or engine.rootless:
        pytest.skip("the engine's processes are not to be seen here")
    assert running.peak_memory() >= 0
    assert console(running) == "" and running.wait(HANG_S) == 0


def test_a_program_of_this_machine_is_refused(tmp_path):
    with pytest.raises(Unsupported, match="name Cooja's folder or its jar"):
        inside(needs.TEST_IMAGE, Place(None, None, tmp_path / "cooja"))


@pytest.mark.cooja
@pytest.mark.skipif(
    "ORCHESTRATE_TEST_COOJA_IMAGE" not in os.environ or not os.environ.get("COOJA"),
    reason="set COOJA to a Cooja's folder and ORCHESTRATE_TEST_COOJA_IMAGE to an image with its Java",
)
def test_a_real_cooja_gives_the_same_bytes(tmp_path):
    image = os.environ["ORCHESTRATE_TEST_COOJA_IMAGE"]
    text = (
        "experiment: both\ntopology: {shape: chain, publishers: 3, spacing: 5 m}\napplication: {name: "
        "aggregation, rate: high}\n"
        "duration: 20 s\nseeds: 1..2\n"
    )
    scenario = changed.with_engine(loads(text, "both.yaml"), "cooja", image=image)
    for one in (scenario, loads(text, "both.yaml")):
        pipeline.run(one, tmp_path, report=False)
    runs = Store(tmp_path).runs("both")
    assert sorted(run.engine.name for run in runs) == ["cooja", "cooja", "embedded", "embedded"]
    assert {run.built["engine_image"] for run in runs if run.engine.name == "cooja"} == {
        docker_engine.connect().image(image).digest
    }
    for seed in (1, 2):
        assert len({run.log_sha256 for run in runs if run.seed == seed}) == 1
