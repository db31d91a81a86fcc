# SPDX-License-Identifier: Apache-2.0
"""Runs whose controller was killed: what was logged before is collected after."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from orchestrate_testbed.client import ClockPair

from orchestrator.cli import app
from orchestrator.csc.model import EndScript
from orchestrator.features.testbed.engine import run as testbed_run
from orchestrator.features.testbed.engine import unfinished
from orchestrator.runs.model import Outcome
from tests.features.testbed.lab.beds import RESET

SAID = {"M1": b"hello from one\n", "M2": b"hello from two\n!end\n"}
UNTIL_END = EndScript(3_600_000_000, "!end", ends_at_verdict=True)  # an hour: no machine is that busy


def runs(bed) -> list[str]:
    return sorted(each.name for each in (bed.home / ".orchestrate-testbed/daemon/runs").iterdir())


@pytest.mark.parametrize(("request_", "number"), [("fetch", 1), ("close", 1), ("remove", 1)])
def test_the_next_call_ends_the_run_that_a_kill_left(bed, request_, number):
    bed.killed(UNTIL_END, SAID, request_, number)
    assert len(runs(bed)) == 1
    result, log = bed.run(UNTIL_END, {})
    assert result.outcome is Outcome.OK, result.evidence
    assert [line.split("\t")[1:] for line in log.splitlines()[1:-2]] == [
        ["ID:1", "hello from one"],
        ["ID:2", "hello from two"],
        ["ID:2", "!end"],
    ]
    assert [mote.name for mote in result.testbed.motes] == ["M1", "M2"] and result.testbed.missing == ()
    assert bed.boards.flashed() == ["M1 app i", "M2 app i"], "nothing was flashed again"
    assert runs(bed) == []
    assert not (bed.home / ".orchestrate-testbed" / "state" / "reservation").exists()


def test_a_silent_gateway_keeps_the_run_on_all_gateways_until_everything_is_here(two_gateways, monkeypatch):
    bed, (silent, other) = two_gateways, two_gateways.boards.servers.values()
    monkeypatch.setattr(testbed_run, "PATIENCE_S", 0.0)
    bed.killed(UNTIL_END, SAID, "close")
    silent.falls_silent()
    for _ in range(2):
        result, log = bed.run(UNTIL_END, {})
        assert result.outcome is Outcome.TRUNCATED and "hello from two" in log
        assert result.testbed.missing == result.evidence and "G1 was silent" in result.evidence[0]
        assert [*other.home.glob(".orchestrate-testbed/daemon/runs/run-*/M2.*")], "nothing is removed"
    for path in other.home.glob(".orchestrate-testbed/daemon/runs/run-*"):
        shutil.rmtree(path)  # its disk was changed; all that was on it is here
    silent.falls_silent(False)
    result, log = bed.run(UNTIL_END, {})
    assert result.outcome is Outcome.OK and result.testbed.missing == (), result.evidence
    assert [line.split("\t")[1:] for line in log.splitlines()[1:-2]] == [
        ["ID:1", "hello from one"],
        ["ID:2", "hello from two"],
        ["ID:2", "!end"],
    ]
    assert runs(bed) == [] and not [*Path(os.environ["XDG_STATE_HOME"]).rglob("*.log")]


def test_what_nobody_can_tell_of_a_run_removes_nothing(two_gateways, tmp_path, capsys):
    bed, (silent, other) = two_gateways, two_gateways.boards.servers.values()
    bed.killed(UNTIL_END, SAID, "close")
    (record,) = other.home.glob(".orchestrate-testbed/daemon/runs/run-*/run.json")
    record.write_text("[" * 1900)
    shutil.rmtree(os.environ["XDG_STATE_HOME"])
    silent.falls_silent()
    result, _ = bed.run(UNTIL_END, {})
    assert result.outcome is Outcome.TESTBED and "can't be read" in result.evidence[0]
    command = ["testbed", "collect", str(bed.inventory), str(tmp_path / "out")]
    assert app.main(command) == 7 and "nobody can tell" in capsys.readouterr().out
    assert record.exists()
    assert app.main([*command, "--remove"]) == 7 and not record.exists()


def test_a_mote_without_the_records_that_others_print_at_the_end_is_named(bed):
    records = b"!cnt,packets_received,7\n"
    result, _ = bed.run(UNTIL_END, {"M1": b"hello\n", "M2": records + b"!end\n"})
    assert result.outcome is Outcome.TESTBED
    assert result.testbed.missing == result.evidence and result.evidence[0].startswith("M1 (G1), mote 1 of")
    result, _ = bed.run(UNTIL_END, {"M1": b"!die,planned\n", "M2": records + b"!end\n"})
    assert result.outcome is Outcome.OK, "the scenario killed it"


def test_a_run_that_never_began_is_made_anew(bed):
    bed.killed(UNTIL_END, {}, "keep", 2)
    assert len(runs(bed)) == 1
    result, log = bed.run(UNTIL_END, SAID)
    assert result.outcome is Outcome.OK, result.evidence
    assert len(bed.boards.flashed()) == 4 and log.count("hello") == 2
    assert runs(bed) == []


def test_another_scenario_is_told_who_has_the_ports(bed):
    bed.killed(UNTIL_END, {}, "fetch")
    result, _ = bed.run(replace(UNTIL_END, timeout_us=1), {})
    assert result.outcome is Outcome.TESTBED
    assert "orchestrate testbed collect" in " ".join(result.evidence)
    assert len(runs(bed)) == 1, "the other run is still there"


def test_a_run_under_way_is_not_taken_over(bed, monkeypatch):
    bed.killed(UNTIL_END, {}, "fetch")
    monkeypatch.setattr(unfinished.Record, "alive", lambda record: True)
    result, _ = bed.run(UNTIL_END, {})
    assert result.outcome is Outcome.TESTBED and "this run is under way" in result.evidence[0]
    assert len(runs(bed)) == 1


def test_collect_brings_a_run_without_its_scenario(bed, tmp_path, capsys):
    bed.killed(UNTIL_END, SAID, "fetch")
    out = tmp_path / "out"
    assert app.main(["testbed", "collect", str(bed.inventory), str(out)]) == 7
    assert "goes on" in capsys.readouterr().out and len(runs(bed)) == 1
    assert not [*tmp_path.glob("out/*")]
    assert app.main(["testbed", "collect", str(bed.inventory), str(out), "--now"]) == 7
    (folder,) = out.iterdir()
    result = json.loads((folder / "result.json").read_text())
    assert result["outcome"] == Outcome.TRUNCATED.value
    assert result["evidence"][0].startswith("the run was ended ")
    log = (folder / "COOJA.testlog").read_text()
    assert "ID:1\thello from one" in log and "ID:2\t!end" in log
    assert not runs(bed)
    assert not (bed.home / ".orchestrate-testbed" / "state" / "reservation").exists()
    assert app.main(["testbed", "collect", str(bed.inventory), str(out)]) == 0


def test_a_run_behind_a_gateway_without_python(bed, tmp_path):
    text = bed.inventory.read_text().replace(f"python: {sys.executable}", "python: none")
    bed.inventory.write_text(text)
    result, _ = bed.run(UNTIL_END, SAID)
    assert result.outcome is Outcome.TESTBED
    assert result.evidence[0].startswith("G1: without Python nobody listens to a mote while it is flashed")
    assert bed.boards.flashed() == []

    reset = bed.home / "reset"
    reset.write_text(f'#!/bin/sh\necho "$1 reset" >> {bed.home}/flashed\n')
    reset.chmod(0o755)
    bed.inventory.write_text(text.replace("tool: command,", f"reset: '{reset} {{mote}}', tool: command,"))
    result, log = bed.run(UNTIL_END, SAID, upon=RESET)
    assert result.outcome is Outcome.OK, result.evidence
    assert "ID:1\thello from one" in log and "ID:2\t!end" in log
    (note,) = result.testbed.notes
    assert note.startswith("G1 has no Python: the times of its motes' lines are wrong by up to ")
    assert result.testbed.missing == () and not list((bed.home / ".orchestrate-testbed/plain").iterdir())


# -- records


def a_record(**changes) -> unfinished.Record:
    made = unfinished.Record(
        "k" * 64, "t", 7, "tiny", "all", ((1, "M1", "G1", "0" * 16),), ("S1 for M2",), UNTIL_END, "me@here",
        "here 1 2", unfinished.clocks.boot(), 5_000_000, 1_000_000_000, 5_000_000, 6_000_000,
    )  # fmt: skip
    return replace(made, **changes)


def test_a_record_is_read_as_it_was_kept():
    pairs = [ClockPair(1, 2, 3, 4, 5, "b")]
    assert unfinished.read(unfinished.text_of(a_record(), pairs)) == (a_record(), pairs)


@pytest.mark.parametrize(
    "damage",
    [
        lambda given: given.pop("title"),
        lambda given: given.update(more=1),
        lambda given: given.update(seed="7"),
        lambda given: given.update(epoch_us="now"),
        lambda given: given.update(parts=[[1, "M1", "G1"]]),
        lambda given: given.update(parts=[["1", "M1", "G1", ""]]),
        lambda given: given.update(pairs=[[1, 2, 3, 4, "5", "b"]]),
        lambda given: given["ends"].update(success_line=3),
        lambda given: given["ends"].update(timeout_us=None),
        lambda given: given.update(boot=None),
    ],
)
def test_what_is_no_record_is_none(damage):
    given = json.loads(unfinished.text_of(a_record(), []))
    assert unfinished.read(json.dumps(given)) is not None
    damage(given)
    assert unfinished.read(json.dumps(given)) is None
    assert unfinished.read("[]") is None and unfinished.read("{") is None


def test_a_controller_that_was_started_anew_has_another_clock(monkeypatch):
    same = a_record()
    assert same.same_clock and same.shift_us() == 0
    monkeypatch.setattr(unfinished.time, "time_ns", lambda: 1_000_000_000_000 + 40_000_000_000)  # 40 s later
    monkeypatch.setattr(unfinished.time, "monotonic_ns", lambda: 3_000_000_000)
    other = a_record(boot="another")
    # The run began 40 s ago, which our clock calls -37 s; the record's called it 5 s.
    assert other.shift_us() == -37_000_000 - 5_000_000
