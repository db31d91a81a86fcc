# SPDX-License-Identifier: Apache-2.0
"""The engine `testbed` on pseudo-terminals whose motes a thread plays."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from orchestrate_testbed.client import Daemon
from orchestrate_testbed.merge import MoteLines, lines
from orchestrate_testbed.model import Endpoint, Gateway, Lab, LabLayout, Mote, Spot

from orchestrator.csc.model import EndScript
from orchestrator.engines.log import ending
from orchestrator.engines.protocol import engine as chosen
from orchestrator.errors import Unsupported, WrongUsage
from orchestrator.features.testbed.engine.casting import cast
from orchestrator.features.testbed.engine.run import TestbedRun
from orchestrator.features.testbed.engine.verdict import judge, said, write
from orchestrator.features.testbed.engine.watching import Watch, Watched, flashings
from orchestrator.runs.model import Outcome
from orchestrator.scenario.model import EngineOptions

# -- verdicts


@pytest.fixture
def log(tmp_path):
    def make(*times_and_texts: tuple[int, str]) -> Path:
        path = tmp_path / "merged"
        path.write_text("".join(f"{time}\tID:1\t{text}\n" for time, text in times_and_texts))
        return path

    return make


@pytest.mark.parametrize(
    ("script", "said_at", "reached", "outcome", "end"),
    [
        (EndScript(100), [(5, "x")], 200, Outcome.OK, 100),
        (EndScript(100, "good"), [(50, "all good")], 200, Outcome.OK, 110),
        (EndScript(100, "good"), [(105, "all good")], 200, Outcome.OK, 110),
        (EndScript(100, "good"), [(120, "all good")], 200, Outcome.FAILED, 110),
        (EndScript(100, "good", "bad"), [(5, "good"), (6, "bad")], 200, Outcome.FAILED, 110),
        (EndScript(100, "good"), [(50, "all good")], 40, Outcome.FAILED, 40),
        (EndScript(100, "good", "bad", ends_at_verdict=True), [(5, "good"), (6, "bad")], 200, Outcome.OK, 5),
        (EndScript(100, "good", ends_at_verdict=True), [(5, "x")], 200, Outcome.FAILED, 110),
        (EndScript(100, verdict_at_timeout=False), [(5, "x")], 200, Outcome.NO_VERDICT, 100),
    ],
)
def test_verdicts_as_in_simulations(log, script, said_at, reached, outcome, end):
    verdict = judge(script, log(*said_at), reached, late_us=10)
    assert (verdict.outcome, verdict.end_us) == (outcome, end)


@pytest.mark.parametrize(
    ("script", "said_at", "outcome", "end"),
    [
        (EndScript(100, "good", ends_at_verdict=True), [(45, "good")], Outcome.OK, 45),
        (EndScript(100, "good", ends_at_verdict=True), [(46, "good")], Outcome.FAILED, 40),
        (EndScript(100, "good"), [(41, "good")], Outcome.FAILED, 40),
    ],
)
def test_a_line_that_ended_the_run_may_seem_to_be_later_by_the_clocks_error(
    log, script, said_at, outcome, end
):
    verdict = judge(script, log(*said_at), 40, clock_error_us=5)
    assert (verdict.outcome, verdict.end_us) == (outcome, end)


def test_the_log_has_the_form_of_coojas(log, tmp_path):
    merged = log((5, "one"), (105, "late"))
    verdict = judge(EndScript(100), merged, 200)
    path = tmp_path / "COOJA.testlog"
    assert write(merged, path, 7, verdict, [(3, "of the end")]) == 2
    assert path.read_text().splitlines()[:3] == [
        "Random seed: 7",
        "5\tID:1\tone",
        "100\tID:3\tof the end",
    ]
    found = ending(path)
    assert (found.complete, found.verdict, found.sim_us) == (True, "OK", 100)


def test_a_line_is_heard_though_chunks_cut_it(tmp_path):
    path = tmp_path / "M1.1.log"
    path.write_bytes(b'!1 1 {"event":"open"}\n@5 5 8\nall run,\n@6 6 6\nend 4\n\n')
    assert said(path, "run,end 4", 0) and not said(path, "run,end 5", 0)


def test_what_came_before_motes_were_started_ends_no_run(tmp_path, monkeypatch):
    path = tmp_path / "M1.1.log"
    path.write_bytes(b"@5 5 10\n!run,end,0\n\n")
    watched = Watched(None, {}, tmp_path, None, segments={"M1": (path,)})
    watch = Watch("r", {"G1": watched})
    monkeypatch.setattr(Watch, "look", lambda self, logs: None)
    watch.begin()
    assert not watch.heard(["!run,end"])
    with path.open("ab") as file:
        file.write(b"@6 6 8\n!run,en\n")
    assert not watch.heard(["!run,end"])
    with path.open("ab") as file:
        file.write(b"@7 7 9\n\n!run,end\n")
    assert watch.heard(["!run,end"])


def test_what_came_before_a_tool_had_the_port_ends_no_run(tmp_path):
    path = tmp_path / "M1.1.log"
    path.write_bytes(b'@5 5 8\n!run,end\n!6 6 {"baud":1,"event":"lent"}\n@7 7 3\nnew\n')
    assert said(path, "new", 0) and not said(path, "!run,end", 0)


def test_what_a_mote_said_before_it_was_flashed_is_of_other_firmware(tmp_path):
    path = tmp_path / "M1.1.log"
    path.write_bytes(
        b'!1 1 {"baud":115200,"boot":"b","event":"open"}\n@2 2 6\nold\nol\n!3 3 {"event":"lent"}\n'
        b'!4 4 {"baud":115200,"boot":"b","event":"open"}\n@5 5 4\nnew\n\n'
    )
    told = MoteLines("M1")
    assert flashings([path]) == 1
    assert [text for _, _, text in lines([path], told, 1)] == [b"new"]
    assert told.missing() == []
    assert [text for _, _, text in lines([path], MoteLines("M1"))] == [b"old", b"new"]


# -- who plays what


def lab_of(*motes: str, spares: tuple[str, ...] = (), platforms: dict[str, str] | None = None) -> Lab:
    made = tuple(
        Mote(name, "G1", (platforms or {}).get(name, "sky"), f"/dev/{name}", name, spare=name in spares)
        for name in motes
    )
    spots = tuple(Spot(mote.name, 0, 0) for mote in made if not mote.spare)
    return Lab("l", (Gateway("G1", Endpoint("G1", "h")),), made, layouts=(LabLayout("all", spots),))


def test_motes_of_a_layout_play_in_its_order():
    made = cast(lab_of("A", "B", "C"), "all", [2, 1], {"C": "dead"})
    assert {number: mote.name for number, mote in made.parts.items()} == {1: "A", 2: "B"}
    assert made.lacking == [] and made.replaced == []


def test_a_spare_of_its_kind_takes_the_place_of_a_dead_mote():
    lab = lab_of("A", "B", "S", "T", spares=("S", "T"), platforms={"S": "z1"})
    made = cast(lab, "all", [1, 2], {"B": "no such device"})
    assert {number: mote.name for number, mote in made.parts.items()} == {1: "A", 2: "T"}
    assert made.replaced == ["T is in the place of B: no such device"]


def test_nobody_left_is_said_with_the_reason():
    made = cast(lab_of("A", "B", "S", spares=("S",)), "all", [1, 2], {"A": "gone", "B": "gone", "S": "gone"})
    assert made.lacking == ["A (G1): gone", "B (G1): gone"]
    made = cast(lab_of("A"), "all", [1, 2], {})
    assert made.lacking == ["the run has 2 motes, but the layout all of l has 1"]


# -- whole runs


def test_a_run_on_motes_leaves_the_log_of_a_run(bed):
    boards_said = {"M1": b"hello \x1b[2J from one\n", "M2": b"hello from two\n!end\n"}
    result, log = bed.run(EndScript(3_600_000_000, "!end", ends_at_verdict=True), boards_said)
    assert result.outcome is Outcome.OK, result.evidence
    assert [line.split("\t")[1:] for line in log.splitlines()[1:-2]] == [
        ["ID:1", "hello [2J from one"],
        ["ID:2", "hello from two"],
        ["ID:2", "!end"],
    ]
    found = result.testbed
    assert [(mote.mote, mote.name, mote.gateway) for mote in found.motes] == [
        (1, "M1", "G1"),
        (2, "M2", "G1"),
    ]
    assert (found.lab, found.layout, found.missing, found.replaced) == ("tiny", "all", (), ())
    daemon = bed.home / ".orchestrate-testbed" / "daemon"
    assert list((daemon / "runs").iterdir()) == [], "nothing of the run is left there"
    assert not (bed.home / ".orchestrate-testbed" / "state" / "reservation").exists()


@pytest.mark.parametrize(("asked_us", "answered_us"), [(-30_000_000, 0), (0, 30_000_000)])
def test_the_error_of_the_clocks_takes_no_line_of_a_run(bed, monkeypatch, asked_us, answered_us):
    """On a busy machine, an answer about the time is late by more than the run takes."""
    ask = Daemon.clock

    def slow(daemon):
        pair = ask(daemon)
        return replace(pair, asked_us=pair.asked_us + asked_us, answered_us=pair.answered_us + answered_us)

    monkeypatch.setattr(Daemon, "clock", slow)
    said = {"M1": b"hello from one\n", "M2": b"hello from two\n!end\n"}
    result, log = bed.run(EndScript(3_600_000_000, "!end", ends_at_verdict=True), said)
    assert result.outcome is Outcome.OK, result.evidence
    assert [line.split("\t")[2] for line in log.splitlines()[1:-2]][-2:] == ["hello from two", "!end"]
    assert log.count("hello") == 2 and result.testbed.clock_error_us >= 15_000_000


def test_a_mote_that_says_nothing_is_dead_and_no_radios_loss(bed):
    script = EndScript(3_600_000_000, "alone", ends_at_verdict=True)  # not before M1 has spoken
    result, _ = bed.run(script, {"M1": b"alone\n"})
    assert result.outcome is Outcome.TESTBED
    assert result.evidence == (
        "M2 (G1), mote 2 of the run, said nothing, so that nothing shows that it was alive.",
    )
    assert result.testbed.missing == result.evidence


def test_a_mote_that_cannot_be_flashed_is_replaced_by_a_spare(bed):
    (bed.home / "broken").write_text("M2\n")
    script = EndScript(3_600_000_000, "!end", ends_at_verdict=True)
    result, log = bed.run(script, {"M1": b"one\n", "S1": b"spare\n!end\n"})
    assert result.outcome is Outcome.OK, result.evidence
    assert "ID:2\tspare" in log
    assert result.testbed.replaced[0].startswith("S1 is in the place of M2: exit code 1")


def test_a_reservation_that_runs_out_in_mid_run_ends_it(bed, monkeypatch):
    watched = TestbedRun._watched

    def until_both_have_spoken(run, watch, epoch_us, late_us, _reserved_until):
        spoken = b""
        while not (b"one\n" in spoken and b"two\n" in spoken):
            watch.look(True)
            listed = [each for one in watch.gateways.values() for each in one.segments.values()]
            spoken = b"".join(segment.read_bytes() for segments in listed for segment in segments)
        return watched(run, watch, epoch_us, late_us, 0.0)

    monkeypatch.setattr(TestbedRun, "_watched", until_both_have_spoken)
    result, log = bed.run(EndScript(3_600_000_000, "!end"), {"M1": b"one\n", "M2": b"two\n"})
    assert result.outcome is Outcome.TRUNCATED and "ID:2\ttwo" in log
    assert re.fullmatch(
        r"the reservation ran out [0-9]+ s after the start; the run was to take 3600 s", result.evidence[0]
    )
    assert result.testbed.missing == result.evidence


def test_nothing_runs_on_fewer_motes_than_asked(bed):
    (bed.home / "dev" / "M2").unlink()
    (bed.home / "dev" / "S1").unlink()
    result, log = bed.run(EndScript(1_000_000), {})
    assert result.outcome is Outcome.TESTBED and log == ""
    assert "M2 (G1): no such device" in " ".join(result.evidence)


def test_the_engine_needs_a_lab_and_follows_no_rules(bed):
    with pytest.raises(WrongUsage, match="--inventory"):
        chosen("testbed", EngineOptions())
    engine = chosen("testbed", EngineOptions(inventory=str(bed.inventory)))
    assert engine is chosen("testbed", EngineOptions(inventory=str(bed.inventory)))
    assert engine.rules(None) == "real radios and clocks"
    with pytest.raises(Unsupported):
        engine.rules("5.0")


def test_the_control_node_starts_last(bed, tmp_path):
    path = Path(bed.inventory)
    path.write_text(path.read_text().replace("tool: command,", "reset: 'log-reset {mote}', tool: command,"))
    order = tmp_path / "order"
    script = bed.home / "bin" / "log-reset"
    script.parent.mkdir()
    script.write_text(f"#!/bin/sh\necho $1 >> {order}\n")
    script.chmod(0o755)
    bed.server.path = str(script.parent)
    bed.roles = {1: "control", 2: "subscriber"}
    bed.run(EndScript(500_000), {})
    assert order.read_text().split() == ["M2", "M1"]


# -- what a report says of it
