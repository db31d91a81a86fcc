# SPDX-License-Identifier: Apache-2.0
"""What the embedded engine makes of its kernel's report and of logs, from texts that a test writes."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from orchestrator.csc.model import EndScript
from orchestrator.engines import log as logs
from orchestrator.engines.embedded import cut_states, engine, profiled, results
from orchestrator.engines.embedded.described import Described, type_lines
from orchestrator.engines.embedded.engine import EmbeddedEngine
from orchestrator.engines.log import Ending, ending, why_failed
from orchestrator.engines.model import Job, on_platform
from orchestrator.engines.protocol import known, run_one
from orchestrator.errors import StorageFailed, Unsupported, WrongUsage
from orchestrator.runs.model import Outcome, RunResult
from orchestrator.scenario.model import EngineOptions

END = "Test ended at simulation time: "


@pytest.mark.parametrize(
    ("text", "end"),
    [
        (f"x\nTEST OK\n{END}12\n", Ending(True, "OK", False, 12)),
        (f"x\nTEST FAILED\n{END}12\n", Ending(True, "FAILED", False, 12)),
        (f"TEST TIMEOUT\nTEST FAILED\n{END}12\n", Ending(True, "FAILED", True, 12)),
        (f"TEST TIMEOUT\nTEST OK\n{END}12\n", Ending(True, "OK", False, 12)),
        (f"TEST FAILED\n{END}12\n", Ending(True, "FAILED", False, 12)),
        (f"x\n{END}12\n", Ending(True, None, False, 12)),
        (f"{END}0\n", Ending(True)),
        ("x" * 500 + f"\nTEST OK\n{END}7\n", Ending(True, "OK", False, 7)),
        (f"TEST OK\n{END}12", Ending(False)),
        (f"TEST OK\n{END}-1\n", Ending(False)),
        (f"TEST OK\n{END}\u0661\n", Ending(False)),
        ("TEST OK\n", Ending(False)),
        ("", Ending(False)),
    ],
)
def test_ends_of_logs(tmp_path, text, end):
    (tmp_path / "log").write_text(text, encoding="utf-8")
    assert ending(tmp_path / "log") == end
    assert ending(tmp_path / "none") == Ending(False) == Ending(False, None, False, 0)


LINES = "Random seed: 1\n5\tID:1\tone\n9\tID:2\ttwo bad\nTEST FAILED\n"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (EndScript(2_500_000, success_line="over", fail_line="bad"), ("9\tID:2\ttwo bad",)),
        (
            EndScript(2_500_000, success_line="over", fail_line="none"),
            ("no line with 'over' came within 2.5 s", "last line: 9\tID:2\ttwo bad"),
        ),
        (
            EndScript(1_000_000, success_line="over"),
            ("no line with 'over' came within 1 s", "last line: 9\tID:2\ttwo bad"),
        ),
        (EndScript(1_000_000, fail_line="ID"), ()),
        (EndScript(1_000_000), ()),
    ],
)
def test_why_a_script_failed(tmp_path, script, said):
    (tmp_path / "log").write_text(LINES, encoding="utf-8")
    assert why_failed(script, tmp_path / "log") == said
    (tmp_path / "log").write_text("Random seed: 1\n", encoding="utf-8")
    if script.success_line and script.fail_line == "none":
        assert why_failed(script, tmp_path / "log") == said[:1]


def test_how_large_a_log_may_be(monkeypatch):
    monkeypatch.delenv("ORCHESTRATE_LOG_LIMIT", raising=False)
    assert logs.log_limit() == 4 << 30
    for text, limit in (("1", 1), (str((1 << 63) - 1), (1 << 63) - 1), ("", 4 << 30)):
        monkeypatch.setenv("ORCHESTRATE_LOG_LIMIT", text)
        assert logs.log_limit() == limit
    for text in ("0", "-1", "1k", str(1 << 63), "\u0661", "1" * 20):
        monkeypatch.setenv("ORCHESTRATE_LOG_LIMIT", text)
        with pytest.raises(Unsupported) as raised:
            logs.log_limit()
        assert str(raised.value) == (
            f"ORCHESTRATE_LOG_LIMIT={text}: not a number of bytes\n    unset it, or give digits only"
        )


# --- the kernel's report


def test_the_report_is_the_last_line_of_json():
    assert results.last_report(b'{"a": 1}\nx\n{"b": 2}\n[1]\n\xff\n') == {"b": 2}
    assert results.last_report(b"x\n") == {} and results.last_report(b"") == {}


def test_what_firmware_printed_last():
    text = "".join(f"line {n}\n" for n in range(900)) + "\n"
    assert results.printed_last(io.BytesIO(text.encode())) == tuple(f"line {n}" for n in range(896, 900))
    assert (
        results.printed_last(io.BytesIO(b"a\nb")) == ("a", "b") and results.printed_last(io.BytesIO()) == ()
    )
    assert results.printed_last(io.BytesIO(b"x" * 5000)) == ("x" * 4000,)


AT = "mote 3: segfault"


@pytest.mark.parametrize(
    ("report", "outcome", "evidence"),
    [
        ({"report": "end", "verdict": True}, Outcome.OK, ()),
        ({"report": "end", "verdict": False}, Outcome.FAILED, ("the simulation's script says TEST FAILED",)),
        ({"report": "crash", "reason": "odd"}, Outcome.CRASH, ("odd",)),
        (
            {"report": "crash", "reason": "segfault", "mote": 3, "sim_us": 5},
            Outcome.CRASH,
            (f"{AT}, simulated time 5 us",),
        ),
        (
            {"report": "sanitizer", "reason": "segfault", "mote": 3, "sim_us": 5, "address": "0x1"},
            Outcome.SANITIZER,
            (f"{AT} at address 0x1, simulated time 5 us",),
        ),
        (
            {"report": "crash", "reason": "segfault", "mote": 3, "sim_us": 5, "behind": 1, "address": "0x1"},
            Outcome.CRASH,
            (f"{AT}, 1 byte behind the end of the mote's own memory, simulated time 5 us",),
        ),
        (
            {
                "report": "crash",
                "reason": "segfault",
                "mote": 3,
                "sim_us": 5,
                "constant": 1,
                "address": "0x1",
            },
            Outcome.CRASH,
            (
                f"{AT} at address 0x1, among the firmware's code and constants, which can't be written, "
                f"simulated "
                "time 5 us",
            ),
        ),
        (
            {"report": "crash", "reason": "segfault", "mote": 3, "sim_us": 5, "owner": 4, "address": "0x1"},
            Outcome.CRASH,
            (f"{AT} at address 0x1, in the memory of mote 4, simulated time 5 us",),
        ),
        (
            {"report": "crash", "reason": "segfault", "mote": 3, "sim_us": 5, "below": 2},
            Outcome.CRASH,
            (
                f"{AT}, 2 bytes below the mote's first variable (its stack may have overflowed, or an "
                f"index may be "
                "negative), simulated time 5 us",
            ),
        ),
        (
            {
                "report": "time",
                "reason": "limit",
                "mote": 3,
                "sim_us": 5,
                "last": ["a", "b"],
                "unfinished": "c",
                "pending": "1\n2\n3\n4\n5",
            },
            Outcome.WALL_LIMIT,
            (
                "mote 3: limit, simulated time 5 us",
                "last printed: a",
                "last printed: b",
                "without a line's end: c",
                "printed since: 2",
                "printed since: 3",
                "printed since: 4",
                "printed since: 5",
            ),
        ),
        (
            {"report": "full", "reason": "too long"},
            Outcome.TRUNCATED,
            ("too long", "print less, or allow more with ORCHESTRATE_LOG_LIMIT=BYTES"),
        ),
        ({"report": "error", "kind": "load", "message": "m"}, Outcome.SETUP_ERROR, ("m",)),
        ({"report": "error", "kind": "memory", "message": "m"}, Outcome.OUT_OF_MEMORY, ("m",)),
        ({"report": "error", "kind": "odd", "message": "m"}, Outcome.LOST, ("m",)),
        (
            {"report": "error", "kind": "script", "message": 7},
            Outcome.LOST,
            ("the script ended without a verdict; simulated time 7 us",),
        ),
        (
            {"report": "error", "kind": "script", "message": 7, "script": "ran without waiting"},
            Outcome.WALL_LIMIT,
            ("ran without waiting; simulated time 7 us",),
        ),
        ({}, Outcome.LOST, ("the simulator's process ended with exit code 3 and no report",)),
    ],
)
def test_how_a_run_ended(tmp_path, report, outcome, evidence):
    log = tmp_path / "log"
    log.write_text(f"TEST OK\n{END}5\n")
    assert results.outcome_of(report, 3, log) == (outcome, evidence)


def test_how_a_run_ended_otherwise(tmp_path, monkeypatch):
    log = tmp_path / "log"
    assert results.outcome_of({"report": "end", "verdict": True}, 0, log) == (
        Outcome.TRUNCATED,
        (f"{log} does not end with {END!r}",),
    )
    log.write_text(f"TEST TIMEOUT\nTEST FAILED\n{END}5\n")
    assert results.outcome_of({"report": "end", "verdict": False}, 0, log) == (
        Outcome.NO_VERDICT,
        ("TEST TIMEOUT: the script's time ran out, and it has no verdict for that",),
    )
    killed = ("the simulator's process ended with signal 9 and no report",)
    assert results.outcome_of({}, -9, log) == (Outcome.LOST, killed)
    with pytest.raises(Unsupported, match="^what$"):
        results.outcome_of({"report": "error", "kind": "description", "message": "what"}, 0, log)
    with pytest.raises(StorageFailed) as raised:
        results.outcome_of({"report": "error", "kind": "storage", "message": "full"}, 0, log)
    assert str(raised.value) == (
        "full\n    free space or choose another folder (--store, --logdir), then run the same command again"
    )
    monkeypatch.setattr("orchestrator.build.lines.source_line", lambda path, offset: f"{path.name}+{offset}")
    report = {"report": "crash", "reason": "x", "mote": 1, "sim_us": 2, "code": "9", "firmware": "/a/f.so"}
    assert results.outcome_of(report, 0, log)[1][1] == "in f.so+9"
    assert results.outcome_of(report | {"called": 1}, 0, log)[1][1] == "in code called by f.so+9"


# --- states of radios of a run that was cut


def test_states_of_a_run_that_stopped(tmp_path):
    rows = [
        "time_us,mote,event,frame,channel,power,signal_dbm",
        "10,2,listening,,26,31,",
        "10,1,listening,,26,31,",
        "15,1,transmitting,1,26,31,",
        "17,2,received,1,26,31,",
        "19,1,listening,,26,31,",
        "30,1,off,,26,31",
    ]
    cut_states.keep(tmp_path, 25)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "events.csv").write_text("\n".join(rows))
    cut_states.keep(tmp_path, 25)
    assert (tmp_path / "states-cut.csv").read_text() == (
        "mote,off_us,listening_us,receiving_us,interfered_us,transmitting_us\n1,10,11,0,0,4\n2,10,15,0,0,0\n"
    )
    (tmp_path / "states-cut.csv").unlink()
    (tmp_path / "states.csv").write_text("")
    cut_states.keep(tmp_path, 25)
    assert not (tmp_path / "states-cut.csv").exists()


# --- what the kernel is told


def described(**given):
    values = dict(
        seed=1, mote_types=(), setting=b"S", motes=b"M", javascript=False, interpreted=False, simulation=None
    )
    return Described(**values | given)


class OneType:
    identifier, interfaces, source = "t", ("a", "b"), "x.c"


def test_a_run_s_description():
    text = described(mote_types=(OneType,)).text(7, {"t": Path("/f/t.so")}, "5.0")
    assert text == b"simulation 1\nrules 5.0\nseed 7\nS\ntype /f/t.so\ninterface a\ninterface b\nM"
    with pytest.raises(Unsupported, match="^no rule set '4.9'; there are: 5.0, 2026.07$"):
        described().text(1, {}, "4.9")
    with pytest.raises(Unsupported, match="^no firmware is given for the mote type 't'$"):
        described(mote_types=(OneType,)).text(1, {}, "5.0")
    for path, name, what in (
        ("/a\nb", "i", "the path of a firmware"),
        ("/a", "i\0", "the name of an interface"),
    ):
        with pytest.raises(Unsupported, match=f"^{what} must be one line without a byte 0: "):
            type_lines(Path(path), (name,))


def test_the_command_of_a_run(tmp_path, monkeypatch):
    monkeypatch.delenv("ORCHESTRATE_LOG_LIMIT", raising=False)
    job = Job(None, 1, {}, Path("/l"))
    usual = ["/k", "--log", "/l", "--log-limit", str(4 << 30)]
    assert EmbeddedEngine(Path("/k"))._command(job) == usual
    more = Job(None, 1, {}, Path("/l"), wall_limit_s=3, radio=Path("/r"))
    assert EmbeddedEngine(Path("/k"), plain=True)._command(more) == [
        *usual,
        *("--limit", "3.0", "--radio", "/r", "--every-tick", "1", "--code-per-mote", "1"),
    ]
    assert (job.ruleset, job.wall_limit_s, job.radio) == ("5.0", None, None)
    assert on_platform("a", "zoul") == "a@zoul"


def test_engines_by_their_options():
    plain = engine.engine(EngineOptions(plain=True))
    assert plain.plain and plain is engine.engine(EngineOptions(plain=True))
    usual = engine.engine(None)
    assert not usual.plain and usual is engine.engine(EngineOptions()) and usual.described() == {}
    assert (usual.rules(None), usual.rules("2026.07"), usual.name) == ("5.0", "2026.07", "embedded")
    with pytest.raises(WrongUsage) as raised:
        known("embeded")
    assert str(raised.value) == (
        "no engine named 'embeded'; did you mean embedded? there are: cooja, embedded, testbed"
    )

    class Stopped:
        def run(self, jobs, done):
            pass

    assert run_one(Stopped(), None) == RunResult(Outcome.LOST, 0, 0.0, 0, 0, ("the simulator was ended",))


def test_what_is_left_of_a_limit_and_of_a_killed_process():
    assert [engine._left(*one) for one in ((None, 5), (10.0, 4.0), (1.0, 5.0))] == [None, 6.0, 0.1]
    assert engine._reported(b"", True) == {
        "report": "time",
        "reason": "wall-clock limit; the process had to be killed",
    }
    assert engine._reported(b"", False) == {} and engine._reported(b'{"a": 1}', True) == {"a": 1}


@pytest.mark.parametrize(
    ("report", "evidence"),
    [
        ({"report": "end", "verdict": True, "sim_us": 5, "events": 6, "peak_memory": 7}, ()),
        (
            {"report": "end", "verdict": False, "script": "why"},
            ("the simulation's script says TEST FAILED", "why"),
        ),
        ({"report": "crash", "reason": "odd"}, ("odd", "printed")),
    ],
)
def test_a_run_s_result(tmp_path, report, evidence):
    log = tmp_path / "log"
    log.write_text(f"TEST OK\n{END}5\n")
    made = engine._result(report, 0, 1.5, ("printed",), log, described(javascript=True))
    assert (made.evidence, made.wall_s) == (evidence, 1.5)
    assert (made.sim_us, made.events, made.peak_memory) == tuple(
        report.get(name, 0) for name in ("sim_us", "events", "peak_memory")
    )


# --- counted instructions


def test_callgrind_s_file_is_read_by_object_and_address():
    code = profiled._read(
        """\
ob=(1) /bin/kernel
fn=(1) main
0x10 5
calls=1 0x2000
+4 100
ob=(2) ???
fn=(2) 0x2000
0x2000 7
+4 3
* 1
-8 2
cob=(3) /lib/libc.so
cfn=(3) memcpy
calls=1 0x9000
+2 50
cob=(3)
cfn=(4) printf
calls=1 0x9100
+2 60
ob=(1)
cob=(2)
fn=(1)
calls=2 0x3000
0x14 9
""".splitlines(keepends=True)
    )
    assert dict(code.executed) == {0x2000: 7, 0x2004: 4, 0x1FFC: 2, 0x1FFE: 50}
    assert code.entered == {0x3000}


@pytest.mark.parametrize(
    ("place", "file"),
    [
        ("./app/./os/lib/list.c:12 (discriminator 3)", "os/lib/list.c"),
        ("./app/a.h:3", "app/a.h"),
        ("??:0", "libc"),
    ],
)
def test_files_of_places(place, file):
    assert profiled._file(place) == file
