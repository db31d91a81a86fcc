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
from orchestrator.engines.embedded.script.host import LINE, LINES, LOG, MESSAGE, MOTES, TIMEOUT, VERDICT, WAIT

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


def message(kind, mote=0, number=0, x=0.0, y=0.0, z=0.0, text=b""):
    return MESSAGE.pack(kind, mote, number, x, y, z, len(text), 0) + text


def told(theirs) -> list[tuple]:
    """All that has come: kind, mote, number, x, y, z and text."""
    data, found = theirs.recv(1 << 20), []
    while data:
        head = MESSAGE.unpack(data[: MESSAGE.size])
        found.append((*head[:6], data[MESSAGE.size : MESSAGE.size + head[6]].decode()))
        assert head[7] == 0
        data = data[MESSAGE.size + head[6] :]
    return found


def test_what_is_said_is_sent_when_the_script_waits(line, ends):
    theirs, kernel = line
    kernel.tell(30, 2, 3, 1.5, 2.5, 3.5, "text é")
    kernel.tell(31, text="a\ufdd1\ufdd0b\ufdd1\ufdd1c\ufdd0d")
    theirs.setblocking(False)
    with pytest.raises(BlockingIOError):
        theirs.recv(1)
    theirs.setblocking(True)
    theirs.sendall(message(LINE, 7, 8, 12345.0, text="said \xff".encode("latin-1")))
    assert kernel.wait() == "7 12345 8 said \ufffd"
    assert told(theirs) == [
        (30, 2, 3, 1.5, 2.5, 3.5, "text é"),
        (31, 0, 0, 0.0, 0.0, 0.0, "a\ufdd0b\ufdd1c\0d"),
        (WAIT, 0, 0, 0.0, 0.0, 0.0, ""),
    ]
    assert ends == [(signal.ITIMER_PROF, host.STEP_LIMIT_S)], "each step has its whole time"
    theirs.sendall(message(TIMEOUT) + message(LINES, text=b"1 5 a\n2 6 b\n"))
    assert [kernel.wait(), kernel.wait()] == ["", "1 5 a\n2 6 b\n"]
    assert [one[0] for one in told(theirs)] == [WAIT, WAIT], "nothing is sent twice"


@pytest.mark.parametrize(
    ("kind", "answer", "said"),
    [
        (40, message(40, 9), "9"),
        (
            MOTES,
            message(MOTES, text=b"".join(one.to_bytes(4, sys.byteorder) for one in (3, 1, 200))),
            "3 1 200",
        ),
        (MOTES, message(MOTES), ""),
        (42, message(42, 4, 5, 1.5, -0.25, 1e-9), "5 1.5 -0.25 1e-09 4"),
    ],
)
def test_questions_have_their_answers(line, kind, answer, said):
    theirs, kernel = line
    theirs.sendall(answer)
    assert kernel.ask(kind, 1, 2) == said
    assert told(theirs) == [(kind, 1, 2, 0.0, 0.0, 0.0, "")]


def test_the_end_of_the_simulation_ends_the_process(line):
    theirs, kernel = line
    theirs.sendall(message(LINE)[:10])
    theirs.shutdown(socket.SHUT_WR)
    with pytest.raises(Exits):
        kernel.wait()
    theirs.close()
    kernel.tell(30)
    with pytest.raises(Exits):
        kernel.flush()


@pytest.mark.parametrize(
    ("stack", "number"),
    [
        ("Error: x\n    at f (<input>:100007)\n    at <eval> (<input>:100003)", 7),
        ("    at prelude (<input>:31)\n    at f (<input>:100001)", 1),
        ("    at g (<input>:200004)", 100_004),
        ("    at prelude (<input>:100000)", 0),
        ("no line", 0),
    ],
)
def test_the_line_of_an_error_is_the_innermost_of_the_script(stack, number):
    assert host.line_of(stack) == number


def run(theirs, kernel, *lines, **job):
    """The verdict of a script and what it told, after these messages of the kernel."""
    theirs.sendall(b"".join(lines))
    host.run(JOB | job, kernel, quickjs)
    return told(theirs)


def verdict(messages):
    return [(one[2], one[3]) for one in messages if one[0] == VERDICT]


ONE = message(LINE, 1, 2, 5.0, text=b"boot")
OVER = message(TIMEOUT)


def logged(messages):
    return [one[6] for one in messages if one[0] == LOG]


def test_a_script_that_passes(line, capsys):
    found = run(*line, ONE)
    assert logged(found) == ["1 5 2 boot"] and verdict(found) == [(1, 7.0)]
    assert [json.loads(one) for one in capsys.readouterr().out.splitlines()] == [{"kind": "ready"}]


def test_a_script_whose_time_is_over(line):
    found = run(*line, OVER, code="", timeout_code="log.log('code of it')")
    assert logged(found) == ["code of it", "TEST TIMEOUT\n"] and verdict(found) == [(0, -1.0)]


def test_a_function_of_the_time_out_is_called_and_may_pass(line):
    code = "timeout_function = function() { log.log('over'); log.testOK(); };"
    found = run(*line, ONE, OVER, code=code)
    assert logged(found) == ["1 5 2 boot", "over"] and verdict(found) == [(1, -1.0)]


def test_a_script_that_fails_by_itself(line):
    assert verdict(run(*line, ONE, code="throw new TestFailed();")) == [(0, 7.0)]


def test_an_error_of_the_script_is_told_with_its_line(line, capsys):
    found = run(*line, ONE, code="\nvar x = 1;\nx.none.more;")
    assert verdict(found) == [(0, 7.0)]
    ready, error = map(json.loads, capsys.readouterr().out.splitlines())
    assert ready == {"kind": "ready"} and (error["kind"], error["line"]) == ("error", 2)
    assert "none" in error["what"] or "undefined" in error["what"]
    assert "\n" not in error["what"]


def test_a_script_that_is_no_javascript_is_faulty(line, capsys):
    theirs, kernel = line
    host.run(JOB | {"code": "\n\nvar = 1;"}, kernel, quickjs)
    (said,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert (said["kind"], said["line"]) == ("faulty", 2)


def test_a_script_that_stands_aside_hands_its_lines_back(line):
    assert logged(run(*line, ONE, aside=True)) == ["1 5 2 boot", "handed back"]
    for name in ("tell_", "ask_"):
        with pytest.raises(Exits):
            host.functions(line[1], True)[name](30)


def test_what_the_prelude_knows_of_the_job(line):
    code = "log.log([seed_, title_, aside_, zone_.length > 0, user_lines_, types_.length, calls_.x].join());"
    found = run(*line, ONE, code=code + "log.testOK();", types=[{"a": 1}], calls={"x": 3})
    assert logged(found)[1] == "5,a title,false,true,100000,1,3"


def test_what_cooja_has_and_the_engine_not_ends_the_process(line, capsys):
    with pytest.raises(Exits):
        host.functions(line[1], False)["unsupported_"]("sim.x()", "at <input>:100012")
    assert json.loads(capsys.readouterr().out) == {"kind": "unsupported", "what": "sim.x()", "line": 12}


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


@pytest.mark.parametrize(
    "error", [TypeError("a"), ValueError("a"), OverflowError("a"), host.struct.error("a")]
)
def test_a_value_that_is_not_taken_ends_the_process(capsys, error):
    def refuses(*_):
        raise error

    assert host.guarded(lambda *given: given)(1, 2) == (1, 2)
    with pytest.raises(Exits):
        host.guarded(refuses)(1)
    assert json.loads(capsys.readouterr().out) == {
        "kind": "error",
        "what": "a value that Cooja's function doesn't take: a",
        "line": 0,
    }


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
