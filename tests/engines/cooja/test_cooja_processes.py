# SPDX-License-Identifier: Apache-2.0
"""Nothing that was started is left, however the run or this program ends."""

import signal
import subprocess
import sys
import threading

import pytest
from engine_firmware import simulation
from played_cooja import HERE, alive, record

from orchestrator.engines.cooja.launcher import LocalProcess
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import run_one
from orchestrator.errors import MissingTool
from orchestrator.runs.model import Outcome
from tests.waiting import HANG_S, wait_until

HANGS = record("5.0", "endless-loop") | {"then": "hang"}
CALLER = """
import sys
from pathlib import Path
sys.path[:0] = [{tests!r}, {here!r}]
from engine_firmware import simulation
from orchestrator.cli.guard import guarded
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from orchestrator.scenario.model import EngineOptions
chosen = engine("cooja", EngineOptions(path={program!r}))
def command():
    try:
        run_one(chosen, Job(simulation([(0, 0)], 3), 1, {{"t": Path({library!r})}}, Path({log!r})))
    finally:
        chosen.stop()
sys.exit(guarded(command))
"""


def hanging(fake, tmp_path) -> list[str]:
    """The command of a Python that runs one hanging simulation."""
    fake.will(HANGS)
    (tmp_path / "run").mkdir()
    text = CALLER.format(
        tests=str(HERE.parent),
        here=str(HERE),
        program=str(fake.program),
        library=str(fake.library),
        log=str(tmp_path / "run" / "COOJA.testlog"),
    )
    return [sys.executable, "-c", text]


@pytest.mark.parametrize(
    ("how", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -9)]
)
def test_ended_from_outside_no_process_and_no_folder_is_left(how, status, fake, tmp_path):
    process = subprocess.Popen(
        hanging(fake, tmp_path), stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    wait_until((tmp_path / "run" / "COOJA.testlog").exists)
    wait_until(lambda: any("sleep" in one for one in alive(tmp_path)))
    process.send_signal(how)
    _, said = process.communicate(timeout=HANG_S)
    assert process.returncode == status, said
    assert "Traceback" not in said
    wait_until(lambda: not alive(tmp_path))
    if how != signal.SIGKILL:
        assert [path.name for path in (tmp_path / "run").iterdir()] == ["COOJA.testlog"]
        assert not list(tmp_path.glob("orchestrate-cooja-*/*"))


def test_what_a_killed_process_left_is_removed_by_the_next(fake, tmp_path):
    process = subprocess.Popen(hanging(fake, tmp_path), start_new_session=True)
    wait_until((tmp_path / "run" / "COOJA.testlog").exists)
    process.kill()
    process.wait()
    wait_until(lambda: not alive(tmp_path))
    assert list(tmp_path.glob("orchestrate-cooja-*/.tmp-*"))
    fake.will(record("5.0", "ok"))
    assert (
        run_one(
            fake.engine,
            Job(simulation([(0, 0)], 3), 1, {"t": fake.library}, tmp_path / "run" / "COOJA.testlog"),
        ).outcome
        is Outcome.OK
    )
    assert not list(tmp_path.glob("orchestrate-cooja-*/.tmp-*"))
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["COOJA.testlog"]


def test_a_run_over_its_time_is_ended_with_its_children(fake, clock_of_hangs, tmp_path):
    fake.will(HANGS)
    result = run_one(
        fake.engine,
        Job(simulation([(0, 0)], 3), 1, {"t": fake.library}, tmp_path / "COOJA.testlog", wall_limit_s=HANG_S),
    )
    assert result.outcome is Outcome.WALL_LIMIT
    assert "last line: 1000000\tID:1\tmote 1 at 1000" in result.evidence
    assert result.wall_s > HANG_S
    wait_until(lambda: not alive(tmp_path))


def test_stop_ends_all_and_starts_none_of_the_rest(fake, tmp_path):
    fake.will(HANGS, record("5.0", "ok"))
    jobs = []
    for number in range(2):
        (tmp_path / str(number)).mkdir()
        jobs.append(
            Job(simulation([(0, 0)], 3), 1, {"t": fake.library}, tmp_path / str(number) / "COOJA.testlog")
        )
    results = []
    runner = threading.Thread(
        daemon=True, target=fake.engine.run, args=(jobs, lambda *result: results.append(result))
    )
    runner.start()
    wait_until((tmp_path / "0" / "COOJA.testlog").exists)
    fake.engine.stop()
    runner.join(HANG_S)
    assert not runner.is_alive()
    assert results == []
    assert len(fake.starts()) == 1
    wait_until(lambda: not alive(tmp_path))
    fake.will(record("5.0", "ok"))
    assert run_one(fake.engine, jobs[1]).outcome is Outcome.OK


def test_the_exit_status_and_the_signal_of_what_was_started(tmp_path):
    for command, status in ((["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -ABRT $$"], 134), (["true"], 0)):
        started = LocalProcess(command, tmp_path)
        assert started.wait(HANG_S) == status
        assert started.wait(HANG_S) == status
        started.kill()


def test_options_for_every_jvm_do_not_reach_it(tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Xmx1m")
    started = LocalProcess(["sh", "-c", "echo $JAVA_TOOL_OPTIONS.$PWD > said"], tmp_path)
    assert started.wait(HANG_S) == 0
    assert (tmp_path / "said").read_text() == f".{tmp_path}\n"


def test_a_folder_that_is_gone(tmp_path):
    with pytest.raises(MissingTool):
        LocalProcess(["true"], tmp_path / "gone")


def test_a_cooja_whose_main_thread_dies_is_ended_and_says_why(fake, tmp_path):
    """Its other threads would keep the process for ever (an Error is no Exception, which Cooja catches)."""
    loading = next(line for line in HANGS["console"] if "Loading" in line)
    died = [
        loading,
        'Exception in thread "main" java.lang.ExceptionInInitializerError',
        "Caused by: java.lang.RuntimeException: failed to load sky.properties",
    ]
    fake.will({"console": died, "log": "", "status": 1, "then": "hang"})
    (tmp_path / "run").mkdir()
    log = tmp_path / "run" / "COOJA.testlog"
    ended = run_one(fake.engine, Job(simulation([(0, 0)], 3), 1, {"t": fake.library}, log))
    assert ended.outcome is Outcome.SETUP_ERROR
    assert any("sky.properties" in line for line in ended.evidence)
    assert alive(tmp_path) == []
