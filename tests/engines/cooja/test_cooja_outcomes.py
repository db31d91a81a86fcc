# SPDX-License-Identifier: Apache-2.0
"""Every way to fail, as real Coojas of both revisions told it: the outcome and the lines that prove it."""

import re
import shutil
import subprocess

import pytest
from cooja_cases import CASES, build
from engine_firmware import simulation
from hypothesis import given
from hypothesis import strategies as st
from played_cooja import record

from orchestrator.csc.model import JavaScript
from orchestrator.engines.cooja.console import Console
from orchestrator.engines.cooja.failures import recognise
from orchestrator.engines.cooja.verdict import judge, vanished
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import run_one
from orchestrator.runs.model import Outcome
from tests.waiting import HANG_S

RULES = ("5.0", "2026.07")
ENDED = {"limit": "hang", "kill": "kill"}


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("name", CASES)
def test_each_failure_is_recognised(name, rules, fake, clock_of_hangs, tmp_path):
    case = CASES[name]
    fake.will(record(rules, name) | ({"then": ENDED[case.end]} if case.end else {}))
    (tmp_path / "run").mkdir()
    result = run_one(
        fake.engine,
        Job(
            simulation([(0, 0)], 3, **dict(case.options)),
            1,
            {"t": fake.library},
            tmp_path / "run" / "COOJA.testlog",
            wall_limit_s=HANG_S,
        ),
    )
    assert result.outcome is case.outcome, result.evidence
    assert case.says in "\n".join(result.evidence)
    assert bool(result.evidence) == (case.outcome is not Outcome.OK)
    assert not any(line.startswith(("ERROR", "INFO")) for line in result.evidence)
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) in ([], ["COOJA.testlog"])
    assert not list(tmp_path.glob("orchestrate-cooja-*/.tmp-*"))


def test_commands_that_end_cooja_leave_no_verdict_in_the_log(tmp_path):
    log = tmp_path / "COOJA.testlog"
    log.write_text("Random seed: 1\nTest ended at simulation time: 64276002\n")
    script = JavaScript("while(true) { YIELD(); }", "", 1, "", ())
    assert judge(True, [], log, script, commands=True) == (Outcome.OK, ())
    assert judge(False, [], log, script, commands=True)[0] is Outcome.FAILED
    assert judge(True, [], log, script)[0] is Outcome.TRUNCATED


@pytest.mark.skipif(not all(map(shutil.which, ("gcc", "nm", "addr2line"))), reason="needs gcc and binutils")
def test_a_crash_in_firmware_names_its_source_line(fake, tmp_path):
    library = build(tmp_path, CASES["null-pointer"].does)
    symbols = subprocess.run(["nm", library], capture_output=True, text=True, check=True).stdout
    start = int(re.search(r"(\w+) T cooja_tick$", symbols, re.MULTILINE)[1], 16)
    line = next(
        number
        for number, text in enumerate((tmp_path / "firmware.c").read_text().splitlines(), 1)
        if "void cooja_tick" in text
    )
    said = record("5.0", "null-pointer")
    fake.will(
        said
        | {
            "console": [
                re.sub(r"\[mtype\d+\.cooja\+0x\w+\]", f"[mtype7.cooja+{start:#x}]", each)
                for each in said["console"]
            ]
        }
    )
    (tmp_path / "run").mkdir()
    result = run_one(
        fake.engine,
        Job(
            simulation([(0, 0)], 3),
            1,
            {"t": library},
            tmp_path / "run" / "COOJA.testlog",
            wall_limit_s=HANG_S,
        ),
    )
    frame = next(
        number for number, each in enumerate(result.evidence) if f"[mtype7.cooja+{start:#x}]" in each
    )
    said = re.fullmatch(
        r"in .*\bcooja_tick \(.*firmware\.c:(\d+)\)", result.evidence[frame + 1]
    )  # what it inlines stands before
    assert said and int(said[1]) in (line, line + 1), result.evidence


def test_runs_in_one_jvm_are_judged_apart_and_a_crash_loses_only_its_own(fake, clock_of_hangs, tmp_path):
    names = [
        "ok",
        "failed-verdict",
        "null-pointer",
        "ok",
        "no-controller",
        "killed",
        "endless-loop",
        "script-timeout",
    ]
    fake.will(
        *(
            record("5.0", name) | ({"then": ENDED[CASES[name].end]} if CASES[name].end else {})
            for name in names
        )
    )
    jobs = []
    for number, name in enumerate(names):
        folder = tmp_path / f"a run, number={number}"  # Cooja takes a comma and = for settings
        folder.mkdir()
        jobs.append(
            Job(
                simulation([(0, 0)], 3, **dict(CASES[name].options)),
                number,
                {"t": fake.library},
                folder / "COOJA.testlog",
                wall_limit_s=HANG_S,
            )
        )
    results = {}
    fake.engine.run(jobs, lambda job, result: results.setdefault(job.seed, result))
    assert [results[number].outcome for number in range(len(names))] == [
        CASES[name].outcome for name in names
    ]
    assert list(results) == sorted(results), "each as it ended"
    assert len(fake.starts()) == 4, "one more after each that took its JVM along"
    for job, name in zip(jobs, names, strict=True):
        log = record("5.0", name)["log"]
        assert (job.log.read_text() if job.log.exists() else None) == log


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# C  [libc.so.6", "# V  [libjvm.so"),
        ("# C  [libc.so.6", "# C  [libjvm.so"),
        ("v  ~RuntimeStub::nep_invoker_blob", "j  java.util.zip.Inflater.inflate"),
        ("org.contikios.cooja.", "com.example."),
        ("Java frames:", "Other frames:"),
        ("# Problematic frame:", "#"),
    ],
)
def test_a_crash_elsewhere_is_the_simulator_s(old, new):
    said = record("5.0", "null-pointer-in-libc")
    changed = [line.replace(old, new) for line in said["report"]]
    assert changed != said["report"]
    assert vanished(134, said["console"], True, said["report"])[0] is Outcome.CRASH
    for report in (changed, [], said["report"][:9], ["# Problematic frame:"]):
        assert vanished(134, said["console"], True, report)[0] is Outcome.LOST


def test_a_failed_verdict_of_a_script_of_any_form(tmp_path):
    log = tmp_path / "COOJA.testlog"
    log.write_text(record("5.0", "failed-verdict")["log"])
    assert judge(False, [], log, JavaScript("log.testFailed();", "", 1, "", ()))[0] is Outcome.FAILED


@pytest.mark.parametrize("name", ["nextEvent", "<local3>"])
def test_a_queue_that_ran_empty_after_the_script_had_passed_is_no_failure(name, tmp_path):
    log = tmp_path / "COOJA.testlog"
    console = [
        "ERROR [sim] [Simulation.java:232] - Simulation stopped due to error: Cannot read field "
        f'"time" because "{name}" is null',
        f'java.lang.NullPointerException: Cannot read field "time" because "{name}" is null',
    ]
    script = simulation([(0, 0)], 3).script
    log.write_text(record("5.0", "ok")["log"])
    assert judge(False, console, log, script) == (Outcome.OK, ())
    assert judge(False, [console[1].replace(name, "this.other")], log, script)[0] is Outcome.LOST
    log.write_text(record("5.0", "failed-verdict")["log"])
    assert judge(False, console, log, script)[0] is Outcome.FAILED
    log.write_text(record("5.0", "ok")["log"][:-1])
    assert judge(False, console, log, script)[0] is Outcome.CRASH


@pytest.mark.parametrize(
    "said",
    [
        'NullPointerException: Cannot invoke "org.contikios.cooja.Mote.getInterfaces()" because the '
        'return value of "org.contikios.cooja.Simulation.getMoteWithID(int)" is null',
        "IllegalStateException: Can not find mote with id [Element: <radio/>]",
        'NullPointerException: Cannot invoke "Thread.isAlive()" because "this.scriptThread" is null',
    ],
)
def test_a_race_between_cooja_s_threads_is_no_fault_of_the_file(said):
    outcome, evidence = recognise(["Exception when loading simulation:", f"java.lang.{said}"])
    assert outcome is Outcome.LOST
    assert said in evidence[0] and "run it again" in evidence[-1]


def test_an_exit_status_that_contradicts_the_log(fake, tmp_path):
    fake.will(record("5.0", "ok") | {"exit": 1})
    result = run_one(
        fake.engine, Job(simulation([(0, 0)], 3), 1, {"t": fake.library}, tmp_path / "COOJA.testlog")
    )
    assert result.outcome is Outcome.LOST
    assert "exit status does not" in result.evidence[0]


def test_a_console_that_contradicts_the_log(fake, tmp_path):
    fake.will(record("5.0", "ok") | {"console": record("5.0", "failed-verdict")["console"]})
    assert (
        run_one(
            fake.engine, Job(simulation([(0, 0)], 3), 1, {"t": fake.library}, tmp_path / "COOJA.testlog")
        ).outcome
        is Outcome.LOST
    )
    fake.will(record("5.0", "failed-verdict") | {"console": record("5.0", "ok")["console"]})
    assert (
        run_one(
            fake.engine, Job(simulation([(0, 0)], 3), 1, {"t": fake.library}, tmp_path / "COOJA.testlog")
        ).outcome
        is Outcome.FAILED
    )


@pytest.mark.parametrize("kept", ["", "Random seed: 1\n", -1, -40, "no verdict"])
def test_a_log_that_is_cut_is_truncated_whatever_the_console_says(kept, fake, tmp_path):
    whole = record("5.0", "ok")
    log = (
        whole["log"].replace("TEST OK\n", "")
        if kept == "no verdict"
        else kept
        if isinstance(kept, str)
        else whole["log"][:kept]
    )
    fake.will(whole | {"log": log})
    result = run_one(
        fake.engine, Job(simulation([(0, 0)], 3), 1, {"t": fake.library}, tmp_path / "COOJA.testlog")
    )
    assert result.outcome is Outcome.TRUNCATED


def test_a_log_that_grows_for_ever_is_ended(fake, tmp_path, monkeypatch):
    monkeypatch.setenv("ORCHESTRATE_LOG_LIMIT", "100000")
    fake.will(record("5.0", "endless-loop") | {"then": "log"})
    result = run_one(
        fake.engine, Job(simulation([(0, 0)], 3), 1, {"t": fake.library}, tmp_path / "COOJA.testlog")
    )
    assert result.outcome is Outcome.TRUNCATED
    assert "for ever" in result.evidence[-1]


def test_other_firmware_than_was_given_is_no_result(fake, tmp_path):
    fake.will(record("5.0", "ok") | {"firmware": "other"})
    result = run_one(
        fake.engine, Job(simulation([(0, 0)], 3), 1, {"t": fake.library}, tmp_path / "COOJA.testlog")
    )
    assert result.outcome is Outcome.SETUP_ERROR
    assert "not the firmware that was given" in result.evidence[0]


# -- properties

CONSOLES = [(name, rules) for name in CASES for rules in RULES]
MOTES_SAY = st.lists(
    st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=60).map(
        lambda text: f"mote: {text}"
    ),
    max_size=6,
)


@given(st.sampled_from(CONSOLES), MOTES_SAY, MOTES_SAY)
def test_what_else_is_printed_does_not_hide_a_failure(which, before, after):
    console = record(which[1], which[0])["console"]
    assert (recognise([*before, *console, *after]) or (None,))[0] is (recognise(console) or (None,))[0]


@given(st.lists(st.text(max_size=200)), st.one_of(st.none(), st.integers(0, 255)), st.booleans())
def test_any_console_and_any_status_has_an_outcome_with_evidence(console, status, begun):
    outcome, evidence = vanished(status, console, begun)
    assert outcome is not Outcome.OK
    assert evidence


@given(st.booleans(), st.lists(st.text(max_size=100)), st.binary(max_size=300))
def test_any_log_is_judged(tmp_path_factory, said_ok, console, data):
    log = tmp_path_factory.getbasetemp() / "any.testlog"
    log.write_bytes(data)
    outcome, evidence = judge(said_ok, console, log, simulation([(0, 0)]).script)
    assert (outcome is Outcome.OK) == (not evidence)
    if outcome is Outcome.OK:
        assert said_ok and b"TEST OK\nTest ended at simulation time: " in data


@given(st.sampled_from(CONSOLES), st.lists(st.integers(1, 300), min_size=1))
def test_the_console_is_read_alike_in_any_pieces(which, sizes):
    data = "".join(line + "\n" for line in record(which[1], which[0])["console"]).encode()

    def read(pieces):
        console, marks = Console(), []
        for piece in pieces:
            marks += [(mark, console.lines()) for mark in console.feed(piece)]
        return marks + [(mark, console.lines()) for mark in console.end()], console.lines()

    pieces, at = [], 0
    while at < len(data):
        pieces.append(data[at : at + sizes[len(pieces) % len(sizes)]])
        at += len(pieces[-1])
    assert read(pieces) == read([data])
    assert [mark for mark, _ in read([data])[0]][:1] == (["begin"] if "Loading" in data.decode() else [])
