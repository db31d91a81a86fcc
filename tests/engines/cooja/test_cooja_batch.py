# SPDX-License-Identifier: Apache-2.0
"""Several runs in one JVM, with a pipe in place of its console and a clock of the test's."""

from __future__ import annotations

import os
from types import SimpleNamespace

import pytest
from engine_firmware import simulation

from orchestrator.engines.cooja import batch
from orchestrator.engines.cooja.batch import Batch
from orchestrator.engines.model import Job
from orchestrator.runs.model import Outcome

BEGIN = b"INFO  [main] [Cooja.java:9] - Loading x.csc random seed: 1\n"
OK, FAILED = b"INFO  [main] [Cooja.java:9] - TEST OK\n", b"ERROR [main] [Cooja.java:9] - TEST x.csc FAILED\n"
PASSED = "x\nTEST OK\nTest ended at simulation time: 5000\n"


class Pipe:
    """A JVM that has printed all of its console; `ends`: it closes it, and has this status."""

    def __init__(self, said=b"", status=0, ends=True):
        self.status, self.ended, self.killed, self.waits = status, ends, 0, []
        self.output, self._writing = os.pipe()
        os.write(self._writing, said)
        if ends:
            os.close(self._writing)

    def wait(self, timeout_s):
        self.waits.append(timeout_s)
        return self.status if self.ended else None

    def kill(self):
        self.killed += 1

    def peak_memory(self):
        return 1000 + self.killed


class Runs:
    """Jobs with logs, the JVMs that are started for them one after the other, and what came of it."""

    def __init__(self, folder, logs, *jvms, wrong=(), report=(), limit=1 << 20, **job):
        self.jvms, self.started, self.results, self.checked = list(jvms), [], [], []
        self.jobs = []
        for number, text in enumerate(logs):
            log = folder / f"log{number}"
            if text is not None:
                log.write_text(text)
            self.jobs.append(Job(simulation([(0, 0)], 3), number, {}, log, **job))
        self.batch = Batch(
            self.start,
            lambda number, result: self.results.append((number, result)),
            lambda number: self.checked.append(number) or list(wrong),
            lambda: list(report),
            limit,
        )

    def start(self, numbers):
        self.started.append(list(numbers))
        return self.jvms[len(self.started) - 1]

    def run(self, stopped=lambda: False):
        self.batch.run(self.jobs, stopped)
        return [(number, one.outcome) for number, one in self.results]


@pytest.fixture
def clock(monkeypatch):
    """Seconds that pass at each look; they stand still at first."""
    now = SimpleNamespace(seconds=100.0, step=0.0)

    def monotonic():
        now.seconds += now.step
        return now.seconds

    monkeypatch.setattr(batch, "time", SimpleNamespace(monotonic=monotonic))
    monkeypatch.setattr(batch, "_LOOK_EVERY_S", 0.001)
    return now


def test_each_run_of_a_jvm_has_its_result(tmp_path, clock):
    jvm = Pipe((BEGIN + OK) * 3)
    runs = Runs(tmp_path, [PASSED] * 3, jvm)
    assert runs.run() == [(0, Outcome.OK), (1, Outcome.OK), (2, Outcome.OK)]
    assert runs.started == [[0, 1, 2]] and runs.checked == [0, 1, 2]
    for _, result in runs.results:
        assert (result.sim_us, result.wall_s, result.events, result.evidence) == (5000, 0.0, 0, ())
        assert result.peak_memory == 1000
    assert jvm.killed == 1 and jvm.waits[-1] is None


def test_the_first_run_has_the_start_of_the_jvm_and_others_their_own_time(tmp_path, clock):
    class Slow(Pipe):
        """Each look at its memory comes a second after the last."""

        def peak_memory(self):
            clock.seconds += 1.0
            return 0

    jvm = Slow(BEGIN + OK + BEGIN + OK)
    runs = Runs(tmp_path, [PASSED] * 2, jvm)
    runs.run()
    assert [result.wall_s for _, result in runs.results] == [1.0, 0.0]


@pytest.mark.parametrize(
    ("marks", "status", "outcomes"),
    [
        ((OK, OK), 0, (Outcome.OK, Outcome.OK)),
        ((OK, OK), 1, (Outcome.OK, Outcome.LOST)),
        ((OK, OK), None, (Outcome.OK, Outcome.OK)),
        ((FAILED, OK), 1, (Outcome.LOST, Outcome.OK)),
        ((FAILED, OK), 0, (Outcome.LOST, Outcome.LOST)),
        ((OK, FAILED), 1, (Outcome.OK, Outcome.LOST)),
    ],
)
def test_the_exit_status_is_that_of_all_runs(tmp_path, clock, marks, status, outcomes):
    """The logs say that each passed; the last one's result waits for the status."""
    runs = Runs(tmp_path, [PASSED] * 2, Pipe(b"".join(BEGIN + mark for mark in marks), status))
    assert [outcome for _, outcome in runs.run()] == list(outcomes)
    said = [result.evidence[:1] for _, result in runs.results]
    contradicts = status is not None and status != (0 if marks == (OK, OK) else 1)
    if contradicts:
        assert said[1] == ("the log and the console say TEST OK, but Cooja's exit status does not",)


def test_a_jvm_that_does_not_end_after_its_last_run_is_ended_and_the_result_counts(tmp_path, clock):
    jvm = Pipe(BEGIN + OK, ends=False)
    clock.step = 7.0  # twenty seconds are over at the third look
    runs = Runs(tmp_path, [PASSED], jvm)
    assert runs.run() == [(0, Outcome.OK)]
    assert jvm.killed == 2 and jvm.waits == [None, None]


def test_what_a_jvm_prints_after_its_last_run_is_read_to_its_end(tmp_path, clock):
    jvm = Pipe(BEGIN + OK + b"x" * 60_000 + b"\n", 0)
    runs = Runs(tmp_path, [PASSED], jvm)
    assert runs.run() == [(0, Outcome.OK)] and jvm.waits[0] == 20.0


def test_a_jvm_that_ends_in_a_run_loses_that_run_alone(tmp_path, clock):
    report = [
        "# Problematic frame:",
        "# C  [libc.so.6+0x1] memcpy",
        "Java frames: (J=compiled Java code)",
        "v  ~RuntimeStub::nep_invoker_blob",
        "j  org.contikios.cooja.contikimote.X.tick()V",
    ]
    fatal = b"# A fatal error has been detected by the Java Runtime Environment:\n"
    jvms = Pipe(BEGIN + OK + BEGIN + fatal, 134), Pipe(BEGIN + OK, 0)
    runs = Runs(tmp_path, [PASSED] * 3, *jvms, report=report)
    assert runs.run() == [(0, Outcome.OK), (1, Outcome.CRASH), (2, Outcome.OK)]
    assert runs.started == [[0, 1, 2], [2]]


@pytest.mark.parametrize(("said", "outcome"), [(BEGIN, Outcome.CRASH), (b"", Outcome.LOST)])
def test_whether_cooja_had_begun_the_run_is_known(tmp_path, clock, said, outcome):
    assert Runs(tmp_path, [None], Pipe(said, 7)).run() == [(0, outcome)]
    assert Runs(tmp_path, [PASSED, None], Pipe(BEGIN + OK + said, 7)).run()[1] == (1, outcome)


def test_firmware_that_is_another_makes_a_good_run_none(tmp_path, clock):
    runs = Runs(tmp_path, [PASSED, "x\nTEST FAILED\nTest ended at simulation time: 5\n"],
                Pipe(BEGIN + OK + BEGIN + FAILED, 1), wrong=["another firmware"])  # fmt: skip
    assert runs.run() == [(0, Outcome.SETUP_ERROR), (1, Outcome.FAILED)]
    assert runs.results[0][1].evidence == ("another firmware",) and runs.checked == [0]


def test_marks_of_more_runs_than_there_are_change_nothing(tmp_path, clock):
    runs = Runs(tmp_path, [PASSED], Pipe(BEGIN + OK + BEGIN + FAILED, 0))
    assert runs.run() == [(0, Outcome.OK)]


@pytest.mark.parametrize(("limit", "outcome"), [(9, Outcome.TRUNCATED), (10, Outcome.LOST)])
def test_a_log_may_have_as_many_bytes_as_it_may(tmp_path, clock, limit, outcome):
    jvm = Pipe(BEGIN, ends=outcome is Outcome.LOST)
    runs = Runs(tmp_path, ["12345\n789\n"], jvm, limit=limit)
    assert runs.run() == [(0, outcome)]
    if outcome is Outcome.TRUNCATED:
        assert runs.results[0][1].evidence == (
            "the log has 10 bytes, more than it may; Cooja was ended",
            "last line: 789",
        )
        assert jvm.killed == 2


@pytest.mark.parametrize(("limit_s", "killed"), [(3.0, True), (None, False)])
def test_a_run_that_takes_longer_than_it_may_is_ended(tmp_path, clock, limit_s, killed):
    """A run may take as long as its limit, and no longer."""
    looks = []

    class Waits(Pipe):
        """Every look comes a second later; after six of them it ends."""

        def peak_memory(self):
            clock.seconds += 1.0
            looks.append(clock.seconds)
            if len(looks) == 6 and not self.ended:
                self.ended = True
                os.close(self._writing)
            return 0

    jvm = Waits(BEGIN, ends=False)
    runs = Runs(tmp_path, ["1\nlast\n"], jvm, wall_limit_s=limit_s)
    (outcome,) = [outcome for _, outcome in runs.run()]
    if killed:
        assert outcome is Outcome.WALL_LIMIT and len(looks) == 4 and jvm.killed == 2
        assert runs.results[0][1].evidence == ("wall-clock limit of 3 s; Cooja was ended", "last line: last")
        assert runs.results[0][1].wall_s == 4.0
    else:
        assert outcome is Outcome.LOST


def test_a_stop_leaves_no_result_and_begins_no_jvm(tmp_path, clock):
    asked = []
    runs = Runs(tmp_path, [PASSED] * 2, Pipe(BEGIN, 137))
    assert runs.run(lambda: bool(asked) or asked.append(1) is not None) == [] and len(runs.started) == 1
    runs = Runs(tmp_path, [PASSED], Pipe(BEGIN + OK, 0))
    assert runs.run(lambda: True) == [] and runs.started == []
