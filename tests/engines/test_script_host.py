# SPDX-License-Identifier: Apache-2.0
"""The process of a script, in this process: what it tells and asks the kernel, its reports, its limits."""

from __future__ import annotations

import io
import json
import resource
import signal
import socket
import sys

import pytest

from orchestrator.engines.embedded.script import host
from orchestrator.engines.embedded.script.host import MESSAGE, VERDICT

quickjs = pytest.importorskip("_quickjs", reason="the interpreter is not installed")
JOB = {
    "prelude": "var TIMEOUT = false, timeout_function = null, now_ = 0;\n"
    "function TestOK() { } function TestFailed() { }\n"
    "var log = {log: function(text) { log_(text); }, testOK: function() { throw new TestOK(); }};\n"
    "function next_line_() { var line = wait_(); now_ += 7; TIMEOUT = line == '';\n"
    "  if(!TIMEOUT) { log_(line); } return !TIMEOUT; }\n"
    "function hand_back_() { log_('handed back'); }\n",
    "code": "log.testOK();",
    "timeout_code": "",
    "seed": "5",
    "title": "a title",
    "aside": False,
    "calls": {},
    "types": [],
}


class Exits(Exception):
    """In place of the process's end."""


@pytest.fixture(autouse=True)
def ends(monkeypatch):
    def exits(status):
        assert status == 0
        raise Exits

    monkeypatch.setattr(host.os, "_exit", exits)
    timers = []
    monkeypatch.setattr(host.signal, "setitimer", lambda *timer: timers.append(timer))
    return timers


@pytest.fixture
def line():
    """A kernel's end of the conversation, and the host's."""
    theirs, ours = socket.socketpair()
    with theirs:
        yield theirs, host.Kernel(ours.detach())


def told(theirs) -> list[tuple]:
    """All that has come: kind, mote, number, x, y, z and text."""
    data, found = theirs.recv(1 << 20), []
    while data:
        head = MESSAGE.unpack(data[: MESSAGE.size])
        found.append((*head[:6], data[MESSAGE.size : MESSAGE.size + head[6]].decode()))
        assert head[7] == 0
        data = data[MESSAGE.size + head[6] :]
    return found


def run(theirs, kernel, *lines, **job):
    """The verdict of a script and what it told, after these messages of the kernel."""
    theirs.sendall(b"".join(lines))
    host.run(JOB | job, kernel, quickjs)
    return told(theirs)


def verdict(messages):
    return [(one[2], one[3]) for one in messages if one[0] == VERDICT]


def test_what_a_script_prints_goes_to_standard_error(line, monkeypatch):
    written = []
    monkeypatch.setattr(host.os, "write", lambda file, data: written.append((file, data)))
    printed = host.functions(line[1], False)["print_"]
    printed("é\ud800")
    assert written == [(2, b"\xc3\xa9?\n")]

    def full(*_):
        raise OSError

    monkeypatch.setattr(host.os, "write", full)
    printed("more than it may")


def test_the_process_is_confined_before_the_script_runs(line, monkeypatch, ends):
    theirs, kernel = line
    done = []
    monkeypatch.setattr(host.resource, "setrlimit", lambda *limit: done.append(limit))
    monkeypatch.setattr(host, "Kernel", lambda file: done.append(file) or kernel)
    monkeypatch.setattr(host, "run", lambda job, at, quickjs: done.append((job, at, quickjs)))
    monkeypatch.setattr(sys, "argv", ["host.py", "9", "/folder/of/it"])
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(JOB)))
    host.main()
    assert done == [
        9,
        (resource.RLIMIT_AS, (1 << 30, 1 << 30)),
        (resource.RLIMIT_CORE, (0, 0)),
        (resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)),
        (resource.RLIMIT_NOFILE, (0, 0)),
        (JOB, kernel, quickjs),
    ]
    assert sys.path[-1] == "/folder/of/it" and ends == [(signal.ITIMER_PROF, 10.0)]


def test_a_script_has_no_more_memory_and_stack_than_it_may(line, monkeypatch):
    limits = []

    class Context:
        def set_memory_limit(self, most):
            limits.append(most)

        def set_max_stack_size(self, most):
            limits.append(most)
            raise Exits

    class Interpreter:
        JSException = Exception

    Interpreter.Context = Context
    with pytest.raises(Exits):
        host.run(JOB, line[1], Interpreter)
    assert limits == [256 << 20, 4 << 20]
