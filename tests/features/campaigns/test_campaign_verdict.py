# SPDX-License-Identifier: Apache-2.0
"""The commands beside a verdict, on a store whose rounds were made without a simulation."""

import json

import pytest

from orchestrator.cli.app import main
from orchestrator.features.campaigns import baseline as baselines
from orchestrator.features.campaigns.commands import campaign_run
from orchestrator.features.campaigns.model import State
from tests.features.campaigns.nights_store import NAME, Nights

FILE = """\
campaign: nights
seeds: 1..2
verdict: {effect: 2 %, false-alarms: 1 %}
parts:
  - paper: blackboard-test-case
"""


@pytest.fixture
def nights(tmp_path):
    made = Nights(tmp_path / "store")
    made.file = tmp_path / "nights.yaml"
    made.file.write_text(FILE)
    made.night()
    return made


def call(nights, capfd, *words, action="campaign"):
    code = main([action, *map(str, words), "--store", str(nights.store)])
    told = capfd.readouterr()
    return code, told.out, told.err


def test_from_the_first_round_to_a_red_one(nights, capfd, tmp_path):
    code, out, _ = call(nights, capfd, "verdict", nights.file)
    assert code == 7 and "nights, round 1: incomplete" in out and "no round was promoted yet" in out
    shown = call(nights, capfd, "promote", nights.file, "--reason", "the first")
    assert shown[0] == 0 and "would become the baseline: 2 cells, 24 runs" in shown[1]
    assert baselines.present(nights.store, NAME) is None
    code, out, _ = call(
        nights, capfd, "promote", nights.file, "--reason", " the \n first ", "--yes", "--by", "me"
    )
    assert code == 0 and "is the baseline now" in out
    kept = baselines.present(nights.store, NAME)
    assert (kept.reason, kept.by, kept.number) == ("the first", "me", 1)
    nights.night(code="b", loss=0.16)
    files = tmp_path / "j.xml", tmp_path / "s.md"
    files[1].write_text("before\n")
    code, out, _ = call(nights, capfd, "verdict", nights.file, "--junit", files[0], "--summary", files[1])
    assert code == 1 and "red: chain/merged: Event loss rate worse" in out
    assert "more than 2 %" in out and "at most 1 %" in out
    assert b"<failure" in files[0].read_bytes()
    assert files[1].read_text().startswith("before\n## nights, round 000002: red")
    code, out, _ = call(nights, capfd, "promote", nights.file, "--reason", "meant", "--json")
    told = json.loads(out)
    assert told["verdict"] == "red" and not told["promoted"]
    assert "another firmware: chain/plain, chain/merged" in told["changes"]
    _, out, _ = call(nights, capfd, "promote", nights.file, "--reason", "meant")
    assert "  red: chain/merged: Event loss rate worse" in out and out.endswith("with --yes promotes it\n")


def test_of_a_reason_every_line_is_shown_and_the_page_if_it_is_wanted(nights, capfd, monkeypatch):
    opened = []
    monkeypatch.setattr("orchestrator.cli.report.show", opened.append)
    (nights.store / "campaigns" / NAME / baselines.FILE).write_text("{}")
    code, out, _ = call(nights, capfd, "verdict", nights.file)
    assert code == 7 and opened == []
    first, second = out.split("  incomplete: ")[1].splitlines()[:2]
    assert "not a baseline that can be read" in first and second.startswith(
        "      take the file from a backup"
    )
    assert call(nights, capfd, "verdict", nights.file, "--open")[0] == 7
    assert opened == [nights.store / "campaigns" / NAME / "verdicts" / "000001" / "index.html"]


def test_of_many_rounds_the_last_ten_are_shown_and_of_many_reasons_eight(nights, capfd):
    call(nights, capfd, "promote", nights.file, "--reason", "x", "--yes")
    for _ in range(11):
        nights.night(cells=[f"cell {number}" for number in range(10)], seeds=(1, 2))
    _, out, _ = call(nights, capfd, "status", nights.file)
    shown = [line.split()[0] for line in out.splitlines() if "2026-" in line]
    assert out.startswith("nights: 12 rounds") and shown == [str(number) for number in range(3, 13)]
    _, out, _ = call(nights, capfd, "status", nights.file, "--rounds", "2")
    assert [line.split()[0] for line in out.splitlines() if "2026-" in line] == ["11", "12"]
    code, out, _ = call(nights, capfd, "promote", nights.file, "--reason", "x")
    assert code == 0 and out.count("  incomplete: ") == 8


def test_a_verdict_as_json(nights, capfd):
    code, out, _ = call(nights, capfd, "verdict", nights.file, "--json", "--round", "1")
    told = json.loads(out)
    assert code == 7 and told["verdict"] == "incomplete" and told["round"] == "000001"
    assert told["page"].endswith("verdicts/000001/index.html")


@pytest.mark.parametrize(
    ("words", "code", "what"),
    [
        (("verdict", "FILE", "--round", "9"), 9, "no round 9"),
        (("verdict", "FILE", "--junit", "/none/x.xml"), 9, "/none/x.xml can't be written"),
        (("promote", "FILE"), 2, "--reason"),
        (("promote", "FILE", "--reason", "  "), 2, "--reason is empty"),
        (("seeds", "FILE", "--power", "2"), 2, "not between"),
        (("seeds", "FILE", "--metrics", "none"), 9, "no metric of two seeds"),
    ],
)
def test_what_is_wrong_is_said(nights, capfd, words, code, what):
    got, out, err = call(nights, capfd, *(nights.file if word == "FILE" else word for word in words))
    assert got == code and what in out + err


def test_a_round_of_no_campaign_is_named(nights, capfd):
    nights.file.write_text(FILE.replace("nights", "knights"))
    code, _, err = call(nights, capfd, "verdict", nights.file)
    assert code == 9 and "'knights'" in err and "nights" in err


def test_a_verdict_key_that_is_wrong_is_said_with_its_line(nights, capfd):
    nights.file.write_text(FILE.replace("effect: 2 %", "effect: 200 %, efect: 1"))
    code, _, err = call(nights, capfd, "verdict", nights.file)
    assert code == 3 and "nights.yaml:3" in err and "verdict has no" in err and "verdict.effect" in err


def test_how_many_seeds(nights, capfd):
    code, out, _ = call(nights, capfd, "seeds", nights.file, "--json", "--metrics", "event_loss_rate")
    rows = {row["cell"]: row for row in json.loads(out)}
    assert code == 0 and set(rows) == {"plain", "merged"}  # 2 points are wide enough for a spread of 1
    assert rows["plain"]["enough"] and rows["plain"]["half"] < 2 == rows["plain"]["wanted"]
    assert rows["plain"]["seeds"] == 7  # fewer can't be dealt in enough ways, however small the spread
    few = call(nights, capfd, "seeds", nights.file, "--half", "0.1%")
    assert few[0] == 1 and "delay_ms/p50" in few[1] and "seeds in the baseline and in a night" in few[1]
    larger = json.loads(call(nights, capfd, "seeds", nights.file, "--json", "--change", "20%")[1])
    assert all(row["seeds"] < 10 for row in larger)
    none = json.loads(call(nights, capfd, "seeds", nights.file, "--json", "--change", "1%")[1])
    assert all(row["seeds"] is None for row in none)  # below the stated effect nothing can be found


@pytest.mark.parametrize(("state", "code"), [(State.COMPLETE, 7), (State.INTERRUPTED, 130)])
def test_a_night_ends_with_its_verdict_unless_it_was_interrupted(nights, capfd, monkeypatch, state, code):
    class Made:
        pass

    made = Made()
    made.state = state
    seen = []
    monkeypatch.setattr(campaign_run, "make", lambda campaign, store, options: seen.append(options) or made)
    monkeypatch.setattr(campaign_run, "in_words", lambda result: "a round")
    got, out, _ = call(nights, capfd, nights.file, "--time-budget", "5h", action="nightly")
    assert got == code and ("incomplete" in out) == (code == 7)
    assert seen[0].budget_s == 5 * 3600 and seen[0].cluster is None
    call(nights, capfd, nights.file, "--on", "spark://there:7077", "--through", "s3://b/p", action="nightly")
    assert (seen[1].cluster.master, seen[1].cluster.through) == ("spark://there:7077", "s3://b/p")
    assert call(nights, capfd, nights.file, "--through", "s3://b/p", action="nightly")[0] == 2
