# SPDX-License-Identifier: Apache-2.0
"""Whatever goes wrong, the shell gets one message and a documented exit code, and never a traceback."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.cli import app, files
from orchestrator.cli.guard import guarded
from orchestrator.core import FEATURE
from orchestrator.feature import Command
from tests.waiting import HANG_S

COMMAND = [sys.executable, "-m", "orchestrator.cli.app"]


def test_a_bug_is_no_verdict_and_names_its_place(capsys, monkeypatch):
    monkeypatch.delenv("ORCHESTRATE_TRACEBACK", raising=False)
    assert guarded(lambda: {}["missing"]) == 70
    said = capsys.readouterr().err
    assert "KeyError: 'missing'" in said and "test_guard.py:" in said and "Traceback" not in said


def test_a_bug_shows_its_traceback_to_who_asks(monkeypatch):
    monkeypatch.setenv("ORCHESTRATE_TRACEBACK", "1")
    with pytest.raises(KeyError):
        guarded(lambda: {}["missing"])


def test_what_fails_in_cleaning_up_after_ctrl_c_is_an_interrupt(capsys):
    def command():
        try:
            raise KeyboardInterrupt
        finally:
            {}["the connection that Ctrl-C has closed"]

    assert guarded(command) == 130
    assert capsys.readouterr().err.startswith("orchestrate: interrupted; ")


def test_a_command_that_cannot_be_loaded_is_a_bug_too(capsys, monkeypatch):
    monkeypatch.setitem(FEATURE.commands, "doctor", Command("", "", "no_such_module"))
    assert app.main(["doctor"]) == 70
    assert "no_such_module" in capsys.readouterr().err


@pytest.mark.parametrize(("redirection", "code"), [("<&-", 2), (">&-", 0), ("2>&-", 0), (">&- 2>&- <&-", 0)])
def test_closed_streams_lead_nowhere(redirection, code, tmp_path):
    words = "runs remove nothing" if redirection == "<&-" else "doctor --json"
    experiment = tmp_path / "store" / "nothing" / "runs"
    experiment.mkdir(parents=True)
    ran = subprocess.run(
        f"'{sys.executable}' -m orchestrator.cli.app {words} --store '{tmp_path / 'store'}' {redirection}",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in ran.stderr
    assert ran.returncode in (code, 5)  # 5: doctor on a machine that lacks something


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_full_output_is_said_and_has_an_exit_code(tmp_path):
    with open("/dev/full", "w", encoding="utf-8") as full:
        ran = subprocess.run(
            [*COMMAND, "init", str(tmp_path / "a.yaml")],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ran.returncode == 8
    assert "No space left" in ran.stderr and "Exception ignored" not in ran.stderr


def test_a_reader_that_goes_away_is_no_failed_verdict():
    """A table for a person, by rich, into a pipe that nobody reads any more, as after `| head`."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ran = subprocess.run(
            [*COMMAND, "doctor"], stdout=writing, stderr=subprocess.PIPE, text=True, check=False
        )
    finally:
        os.close(writing)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_a_path_that_cannot_be_is_named_as_the_user_wrote_it(capsys, tmp_path):
    target = tmp_path / "no" / "such.svg"

    assert guarded(lambda: files.write(target, b"")) == 9
    said = capsys.readouterr().err
    assert f"the folder {target.parent} does not exist" in said
    assert ".tmp-" not in said and "free space" not in said


def test_sigterm_ends_as_ctrl_c_does():
    program = (
        "import sys, time; from orchestrator.cli.guard import guarded\n"
        "sys.exit(guarded(lambda: (print('up', flush=True), time.sleep(3600))))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "up\n"
    os.kill(process.pid, signal.SIGTERM)
    _, said = process.communicate(timeout=HANG_S)
    assert process.returncode == 130 and "interrupted" in said
