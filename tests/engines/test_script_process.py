# SPDX-License-Identifier: Apache-2.0
"""How the process of a script ended, in words; which scripts stand aside; and faults of a script's text."""

from __future__ import annotations

import signal
import subprocess
from types import SimpleNamespace

import pytest

from orchestrator.csc import javascript
from orchestrator.csc.javascript import Part
from orchestrator.csc.model import Simulation, Udgm
from orchestrator.engines.embedded.script import process
from orchestrator.engines.embedded.script.process import Ended, ScriptProcess, faults, stands_aside
from orchestrator.errors import FaultyInput, MissingTool

pytest.importorskip("_quickjs", reason="the interpreter is not installed")
GOOD = "while(true) { log.log(msg); YIELD(); }"


def script(text: str):
    return javascript.spelled([Part(text, "s.csc", 10)])


def started(text: str, **given) -> ScriptProcess:
    made = script(text)
    return ScriptProcess(made, Simulation("t", 0, 0, Udgm(), (), (), made), 1, **given)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (0, ""),
        (3, "the script's process ended with exit code 3"),
        (-9, "the script's process ended with SIGKILL"),
        (
            -signal.SIGPROF,
            "the script computed for 10 s without waiting for a line (YIELD, WAIT_UNTIL)",
        ),
    ],
)
def test_why_a_process_was_stopped(status, said):
    assert process._stopped(status) == said


@pytest.mark.parametrize(
    ("report", "unsupported", "error"),
    [
        ({}, "", ""),
        ({"kind": "ready", "where": "a:1", "what": "x"}, "", ""),
        ({"kind": "unsupported", "where": "a:1", "what": "sim.x()"}, "a:1: sim.x()", ""),
        ({"kind": "error", "where": "a:2", "what": "odd"}, "", "a:2: odd"),
    ],
)
def test_what_a_last_report_says(report, unsupported, error):
    ended = Ended(report)
    assert (ended.unsupported, ended.error, ended.stopped) == (unsupported, error, "")


@pytest.mark.parametrize(
    ("text", "aside"),
    [
        (GOOD, True),
        ("TIMEOUT(9, log.testOK());\n" + GOOD, True),
        ("var simple = id + motes;", True),
        ("sim.getMotes();", False),
        ("TIMEOUT(9, sim.getMotes());", False),
        ("mote.getID();", False),
        ("node.getID();", False),
        ("write(mote, 'x');", False),
        ("GENERATE_MSG(9, 'x');", False),
        ("log.append('f', 'x');", False),
        ("log.writeFile('f', 'x');", False),
        ("log.log('sim');", False),
        ("this.x = 1;", False),
        ("eval('1');", False),
        ("var f = [].constructor;", False),
        ("log.log('\\u0041');", False),
        ("log.log('\\x41');", False),
        ("tell_(1);", False),
    ],
)
def test_a_script_stands_aside_that_only_logs_and_decides(text, aside):
    assert stands_aside(SimpleNamespace(code=text, timeout_code="")) == aside
    assert stands_aside(SimpleNamespace(code="", timeout_code=text)) == aside


@pytest.mark.parametrize(
    ("text", "line", "what", "remedy"),
    [
        (GOOD, None, "", ""),
        ("log.log(1);\nvar = 2;\n", 11, "script: ", "correct the script"),
        (
            "\n\nTIMEOUT(9);\nTIMEOUT(8);",
            13,
            "script: a second TIMEOUT",
            "Cooja itself would refuse it; correct it",
        ),
    ],
)
def test_faults_of_a_scripts_text_have_their_lines(text, line, what, remedy):
    found = faults([Part(text, "s.csc", 10)])
    expected = [] if line is None else [("s.csc", line, remedy)]
    assert [(one.file, one.line, one.remedy) for one in found] == expected
    assert all(one.what.startswith(what) for one in found)


def test_without_the_interpreter_its_package_is_named(monkeypatch):
    for found in (None, SimpleNamespace(origin=None)):
        monkeypatch.setattr(process.importlib.util, "find_spec", lambda _, found=found: found)
        with pytest.raises(MissingTool, match="pip install quickjs-ng"):
            started(GOOD)


def test_a_process_ends_when_the_kernel_is_gone_or_at_once(monkeypatch):
    with started(GOOD) as running:
        assert running.kernel_end.fileno() > 0
        ended = running.end()
        assert ended is running.end() and ended.report == {}
    assert ended.stopped == ""
    with started(GOOD) as endless:
        endless._process.send_signal(signal.SIGSTOP)
        assert endless.end(at_once=True).stopped == "the script's process ended with SIGKILL"
    with started(GOOD) as other:
        other.connected()
        assert other.end().stopped == ""
        with pytest.raises(OSError, match="Bad file descriptor"):
            other.kernel_end.getpeername()


def test_a_process_that_does_not_end_is_killed(monkeypatch):
    monkeypatch.setattr(process, "_END_S", 0.01)
    with started(GOOD) as running:
        running._process.send_signal(signal.SIGSTOP)
        assert running.end().stopped == "the script's process ended with SIGKILL"


def test_a_process_that_cannot_say_what_is_wrong_is_named_with_how_it_ended(monkeypatch):
    """It ends before it has read the script."""
    popen = subprocess.Popen

    def other(command, **given):
        return popen(["sh", "-c", "exit 5"], **given)

    monkeypatch.setattr(process.subprocess, "Popen", other)
    with pytest.raises(FaultyInput) as raised:
        started(GOOD + " " * (1 << 20))
    (fault,) = raised.value.faults
    assert (fault.file, fault.line, fault.remedy) == ("s.csc", 10, "correct the script")
    assert fault.what == "script: the script's process ended with exit code 5"
