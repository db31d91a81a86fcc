# SPDX-License-Identifier: Apache-2.0
"""All that a user reads of a search: page, JSON and terminal (tests/recorded.py)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.errors import WrongUsage
from orchestrator.search import judge, page, study
from orchestrator.search.judge import Confirmed
from orchestrator.search.model import Constraint, Goal, Measure, Parameter, Search, Trial, label
from orchestrator.search.run import Found
from orchestrator.search.written import Written
from orchestrator.statistics.estimates import estimate
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


def kept_pair(mine: list[float], other: list[float]) -> list[str]:
    """What is said of two that keep the bounds; those numbers are their costs."""
    both = tuple(
        Confirmed(TRIALS[of], trial(10 + of, cost, [0.01] * len(cost), of), True)
        for of, cost in ((1, mine), (5, other))
    )
    return judge.sentences(SEARCH, TRIALS, both)[1:]


@pytest.mark.parametrize(
    ("mine", "other", "apart"),
    [
        ([1.0, 2.0, 3.0], [1.5, 1.9, 3.3], False),
        ([1.0, 2.0, 3.0], [9.0, 9.5, 11.0], True),
        ([1.0, 2.0, 3.0], [2.0, 3.0, 4.0], True),  # by the same at every seed: no interval, and no doubt
        ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], False),
    ],
)
def test_two_are_told_apart_by_pairs(mine, other, apart):
    said = [line for line in kept_pair(mine, other) if "can't be told" in line]
    assert (said == []) is apart
    assert apart or "application.size = 40" in said[0]


@pytest.mark.parametrize(("length", "whole"), [(31, True), (32, True), (33, False)])
def test_a_label_is_cut_where_a_scenario_s_cells_end(length, whole):
    name = label({"a.b": "x" * (length - 2)})
    assert (name == "b=" + "x" * (length - 2)) is whole
    assert len(name) == min(length, 32) and (whole or name.startswith("b=" + "x" * 21 + "-"))


@pytest.mark.parametrize(("found", "code"), [("one-goal", 0), ("none-kept", 1)])
def test_a_search_without_a_winner_is_a_failed_verdict(found, code, tmp_path, monkeypatch, capsys):
    (tmp_path / "s.yaml").write_text(
        "experiment: lossy\ntopology: {shape: chain, publishers: 2, spacing: 5 m}\n"
        "application: {name: aggregation}\nduration: 5 s\nseeds: 2..9\n"
    )
    monkeypatch.chdir(tmp_path)
    asked = []
    monkeypatch.setattr(
        "orchestrator.search.run.run", lambda wanted, *_: (asked.append(wanted), FOUND[found])[1]
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
    monkeypatch.setattr("orchestrator.search.run.run", lambda *_: pytest.fail("it was begun"))
    over = f"duration={end}..10 s" if end == "0 s" else f"duration=10 s..{end}"
    assert main(["search", "s.yaml", "--minimise", "events_transmitted", "--over", over]) == 3
    assert "out of range" in capsys.readouterr().err


FAULTS = {
    "goals": ([], [], "no goal: --minimise METRIC or --maximise METRIC"),
    "twice": (["events_transmitted"], ["events_transmitted"], "a metric is a goal twice; name it once"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_of_goals(name):
    least, most, told = FAULTS[name]
    written = Written()
    written.goals(least, most)
    assert written.faults == [told]
    with pytest.raises(WrongUsage) as raised:
        written.raise_any()
    assert str(raised.value) == f"the search can't be begun:\n    {told}"


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


@pytest.mark.parametrize(
    ("given", "most", "bound", "faults"),
    [
        ("event_loss_rate<=2%", True, 0.02, []),
        (" event_loss_rate  >= 0.5 ", False, 0.5, []),
        ("events_transmitted <= 7", True, 7.0, []),
        ("events_transmitted <= 7 %", None, None, ["'events_transmitted <= 7 %': events_transmitted is in"]),
        ("event_loss_rate = 2", None, None, ["'event_loss_rate = 2' is not a constraint: write"]),
        ("nothing <= 2", None, None, ["no metric 'nothing'; "]),
    ],
)
def test_bounds_as_they_are_written(given, most, bound, faults):
    written = Written()
    found = written.constraints([given])
    assert len(written.faults) == len(faults)
    assert all(said.startswith(start) for said, start in zip(written.faults, faults, strict=True))
    assert [(one.most, one.bound, one.written) for one in found] == (
        [(most, bound, " ".join(given.split()))] if not faults else []
    )


def test_a_constraint_is_missed_by_the_whole_interval_only_beyond_the_bound():
    low, high = estimate([1.0, 2.0, 3.0]).low, estimate([1.0, 2.0, 3.0]).high
    for bound in (low, high, (low + high) / 2):
        found = estimate([1.0, 2.0, 3.0])
        above, below = Constraint(COST, True, bound, ""), Constraint(COST, False, bound, "")
        assert (above.excess(found) > 0, below.excess(found) > 0) == (bound < high, bound > low)
        assert not above.hopeless(found) and not below.hopeless(found)
    assert Constraint(COST, True, low - 0.001, "").hopeless(estimate([1.0, 2.0, 3.0]))
    assert Constraint(COST, False, high + 0.001, "").hopeless(estimate([1.0, 2.0, 3.0]))
    assert Constraint(COST, True, 5.0, "").excess(estimate([7.0])) == 2.0
    assert Constraint(COST, False, 5.0, "").excess(estimate([7.0])) == -2.0


def test_importance_needs_two_parameters(tmp_path):
    alone = study.Study(tmp_path, replace(SEARCH, parameters=(DELAY,)))
    assert alone.importance(0) == {} and alone.asked == 0
    (tmp_path / "two").mkdir()
    both = study.Study(tmp_path / "two", replace(SEARCH, parameters=(DELAY, RATE)))
    for number in range(12):
        both.ask()
        (asked,) = both.waiting()
        cost = float(asked.settings["application.delay"].split()[0])
        both.tell(Trial(number, asked.settings, {"cost": {1: cost, 2: cost}, "loss/S": {1: 0.01, 2: 0.01}}))
    assert set(both.importance(0)) == {"application.delay", "application.rate"}


def test_what_a_parameter_and_a_measure_are_by_default():
    plain = Parameter("a")
    assert (plain.choices, plain.low, plain.high, plain.unit, plain.step) == ((), 0.0, 0.0, "", None)
    assert not plain.log and not plain.whole
    measure = Measure("m")
    assert (measure.key, measure.title, measure.unit, measure.scale) == ("total", "", "", 1.0)
    assert Goal(measure).smallest and Goal(measure).told == "minimise m"
    assert Goal(measure, False).told == "maximise m" and Goal(measure, False).loss(2.0) == -2.0
    one = Trial(3, {"a.b": "x", "c": "1 s"})
    assert (one.values, one.stopped, one.failed, one.told) == ({}, "", "", "a.b = x, c = 1 s")


@pytest.mark.parametrize(
    ("low", "high", "step", "value", "text"),
    [
        (50.0, 51.0, None, 50.123456, "50.12"),  # a hundredth of the range, wherever it lies
        (0.0, 1000.0, None, 123.4, "120"),
        (0.0, 1.0, 0.25, 0.5, "0.5"),
        (0.125, 1.0, 0.25, 0.375, "0.375"),  # the digits of its beginning count as well
        (0.0, 10.0, None, 10.04, "10"),
    ],
)
def test_values_have_digits_by_their_range_and_step(low, high, step, value, text):
    assert Parameter("a", low=low, high=high, step=step).text(value) == text


def test_a_wrong_constraint_or_range_hides_no_later_one():
    written = Written()
    found = written.constraints(["x", "nothing <= 1", "events_transmitted <= 1 %", "events_transmitted <= 5"])
    assert [one.bound for one in found] == [5.0] and len(written.faults) == 3
    written = Written()
    assert [one.path for one in written.parameters(["x", "a=1..", "b=1..2"])] == ["b"]
    assert len(written.faults) == 2
