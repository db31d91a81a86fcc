# SPDX-License-Identifier: Apache-2.0
"""All that a user reads of a search: page, JSON and terminal (tests/recorded.py)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.features.search import page
from orchestrator.features.search.judge import Confirmed
from orchestrator.features.search.model import Constraint, Goal, Measure, Parameter, Search, Trial
from orchestrator.features.search.run import Found
from orchestrator.features.search.written import Written
from tests import page_in_words, recorded

RECORDED = Path(__file__).with_name("recorded_pages")
COST = Measure("cost", title="Cost", bounds=(0.0, float("inf")))
LOSS = Measure("loss", "S", unit="%", scale=100.0, bounds=(0.0, 1.0))
DELAY = Parameter("application.delay", low=0.0, high=10.0, unit="s")
SIZE = Parameter("application.size", low=1.0, high=100.0, log=True, whole=True)
RATE = Parameter("application.rate", ("low", "high"))
LITTLE = Constraint(LOSS, True, 0.02, "loss/S <= 2 %")
SETTINGS = [("0.5 s", "1", "low"), ("10 s", "100", "high"), ("5 s", "10", "low"), ("6 s", "20", "high"),
            ("7 s", "30", "high"), ("8 s", "40", "low")]  # fmt: skip


def trial(number: int, cost, loss, at: int | None = None, **changes) -> Trial:
    delay, size, rate = SETTINGS[number if at is None else at]
    settings = {"application.delay": delay, "application.size": size, "application.rate": rate}
    return Trial(
        number, settings, {"cost": dict(enumerate(cost)), "loss/S": dict(enumerate(loss))}, **changes
    )


KEEPS = [0.01, 0.011, 0.012]
TRIALS = (
    trial(0, [80, 81, 82], KEEPS),
    trial(1, [50, 51, 55], KEEPS),
    trial(2, [70, 71, 72], [0.5, 0.52, 0.54], stopped="loss/S <= 2 % is missed by the whole interval"),
    trial(3, [60, 61, 62], [0.01, 0.02, 0.03]),
    Trial(4, trial(4, [], []).settings, failed="no run of it ended ok"),
    trial(5, [55], [0.001]),
)
FRESH = (
    trial(10, [50, 52, 51], KEEPS, 1),
    trial(11, [52, 51, 52], KEEPS, 5),
    trial(12, [49, 48, 47], [0.1, 0.02], 0),
)
CONFIRMED = tuple(
    Confirmed(TRIALS[of], fresh, kept)
    for of, fresh, kept in zip((1, 5, 0), FRESH, (True, True, False), strict=True)
)
SEARCH = Search("found", (Goal(COST),), (LITTLE,), (DELAY, SIZE, RATE), 6, 2, (1, 2, 3), 2, (4, 5, 6), 3, 1)
FRONT = replace(SEARCH, goals=(Goal(COST), Goal(LOSS, False)), constraints=())
SHARES = {"application.delay": 0.666, "application.size": 0.334}
FOUND = {
    "one-goal": Found(SEARCH, TRIALS, CONFIRMED, (SHARES,)),
    "two-goals": Found(FRONT, TRIALS, CONFIRMED, (SHARES, {})),
    "none-confirmed": Found(SEARCH, TRIALS, CONFIRMED[2:], ({},)),
    "none-kept": Found(SEARCH, TRIALS[2:4], (), ({},)),
    "nothing-measured": Found(SEARCH, TRIALS[4:5], (), ({},)),
}


def test_the_page_of_a_search():
    found = FOUND["two-goals"]
    text = page_in_words.told(page.build(found, Path("store/found search")))
    recorded.same(recorded.rounded(text), RECORDED / "two-goals.txt")
    described = page.described(found, Path("index.html"))
    assert json.loads(json.dumps(described, allow_nan=False)) == described


@pytest.mark.parametrize(("found", "code"), [("one-goal", 0), ("none-kept", 1)])
def test_a_search_without_a_winner_is_a_failed_verdict(found, code, tmp_path, monkeypatch, capsys):
    (tmp_path / "s.yaml").write_text(
        "experiment: lossy\ntopology: {shape: chain, publishers: 2, spacing: 5 m}\n"
        "application: {name: aggregation}\nduration: 5 s\nseeds: 2..9\n"
    )
    monkeypatch.chdir(tmp_path)
    asked = []
    monkeypatch.setattr(
        "orchestrator.features.search.run.run", lambda wanted, *_: (asked.append(wanted), FOUND[found])[1]
    )
    monkeypatch.setattr(page, "write", lambda folder, *_: folder / "index.html")
    from orchestrator.cli.app import main

    call = [
        "search",
        "s.yaml",
        "--minimise",
        "events_transmitted",
        "--over",
        "application.delay=0..1 s",
        "--json",
    ]
    assert main([*call, "--store", "there"]) == code
    told = json.loads(capsys.readouterr().out)
    assert told["experiment"] == "found" and told["page"] == "there/lossy-search/index.html"
    wanted = asked[0]
    assert (wanted.seeds, wanted.fresh) == ((2, 3, 4, 5, 6), tuple(range(7, 27)))
    assert (wanted.trials, wanted.batch, wanted.first, wanted.candidates, wanted.seed) == (40, 8, 3, 3, 1)
    assert main([*call, "--store", "there", "--seeds", "8,3", "--confirm", "2", "--first", "9"]) == code
    assert (asked[1].seeds, asked[1].first, asked[1].fresh) == ((8, 3), 2, (9, 10))


@pytest.mark.parametrize("end", ["0 s", "9999999 s"])
def test_both_ends_of_a_range_are_tried_before_anything_is_run(end, tmp_path, monkeypatch, capsys):
    from orchestrator.cli.app import main

    (tmp_path / "s.yaml").write_text(
        "experiment: lossy\ntopology: {shape: chain, publishers: 2, spacing: 5 m}\n"
        "application: {name: aggregation}\nduration: 5 s\nseeds: 2..9\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("orchestrator.features.search.run.run", lambda *_: pytest.fail("it was begun"))
    over = f"duration={end}..10 s" if end == "0 s" else f"duration=10 s..{end}"
    assert main(["search", "s.yaml", "--minimise", "events_transmitted", "--over", over]) == 3
    assert "out of range" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([], 'nothing to vary: --over "application.delay=0..10 s"'),
        (["a"], "'a' is not PATH=RANGE, such as application.delay=0..10 s"),
        (["=1"], "'=1' is not PATH=RANGE, such as application.delay=0..10 s"),
        (["a="], "'a=' is not PATH=RANGE, such as application.delay=0..10 s"),
        (["a=1..2", "a=1,2"], "a is varied twice; keep one"),
        (["a=x,x"], "a: one choice leaves nothing to vary; write a=one,another or a range"),
        (["a=1.."], "a: '1..' is not a range with two ends, such as 0..10 s step 1 s or 1..100 log"),
        (["a=1 s..2 m"], "a: '1 s..2 m' has several units; write one: 0..10 s"),
        (["a=1..1"], "a: '1..1' ends before it begins"),
        (
            ["a=0..1 log"],
            "a: '0..1 log': a logarithmic range begins above 0 and has no step; a step is above 0",
        ),
        (
            ["a=1..2 step 0"],
            "a: '1..2 step 0': a logarithmic range begins above 0 and has no step; a step is above 0",
        ),
    ],
)
def test_faults_of_what_is_varied(given, told):
    written = Written()
    written.parameters(given)
    assert written.faults == [told]


def test_a_wrong_constraint_or_range_hides_no_later_one():
    written = Written()
    found = written.constraints(["x", "nothing <= 1", "events_transmitted <= 1 %", "events_transmitted <= 5"])
    assert [one.bound for one in found] == [5.0] and len(written.faults) == 3
    written = Written()
    assert [one.path for one in written.parameters(["x", "a=1..", "b=1..2"])] == ["b"]
    assert len(written.faults) == 2
