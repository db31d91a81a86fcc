# SPDX-License-Identifier: Apache-2.0
"""Figure 7, the adaptive deadline and the run-time diagram: what is made of logs that a plain model
writes."""

from types import SimpleNamespace

import pandas as pd
import pytest

from orchestrator.papers.blackboard import (
    adaptive,
    contradictions,
    costs,
    figure_7,
    notifications,
    results,
    storage,
    test_case,
)
from orchestrator.papers.check import FAILS, HOLDS, MISSING, Check, checks_table
from orchestrator.scenario.load import loads
from tests.papers.blackboard_runs import BOARD, PUBLICATIONS, SEEDS, SLICE, grown, series, stored


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return {figure_7.EXPERIMENT: stored(tmp_path_factory.mktemp("store"), figure_7.EXPERIMENT, series())}


@pytest.fixture(autouse=True)
def no_compiler(monkeypatch):
    """Bytes are test_blackboard_storage.py's."""
    monkeypatch.setattr(storage, "_available", lambda: ({}, ["no compiler here"]))


def verdicts(checks) -> dict[str, str]:
    return {check.id: check.verdict for check in checks}


def test_the_model_of_section_6_bears_out_all_but_the_bound_of_11_and_that_of_20(found):
    """The mean beyond a slice is 10 ms and the blackboard's time; single ones come up to 20 ms and that."""
    assert verdicts(figure_7.checks(found)) == {
        "below": HOLDS,
        "fluctuates": HOLDS,
        "level": HOLDS,
        "above-eleven": FAILS,
        "always-20": FAILS,
        "always-30": HOLDS,
        "gives-up": HOLDS,
    }


def test_each_check_can_go_the_other_way(tmp_path):
    slow = {figure_7.EXPERIMENT: stored(tmp_path / "slow", figure_7.EXPERIMENT, series(11.0))}
    told = verdicts(figure_7.checks(slow))
    assert [told[name] for name in ("below", "level", "always-30", "gives-up")] == [FAILS] * 4
    quick = {figure_7.EXPERIMENT: stored(tmp_path / "quick", figure_7.EXPERIMENT, series(0.0, most=10.9))}
    told = verdicts(figure_7.checks(quick))
    assert told["above-eleven"] == told["always-20"] == HOLDS


def test_only_subscriber_1_of_the_present_campaign_counts(found):
    frame = notifications.read(found[figure_7.EXPERIMENT])
    assert (
        len(frame) == len(figure_7.SERIES) * 41 * len(SEEDS) * PUBLICATIONS
        and frame["delay"].max() <= SLICE + BOARD
    )


def test_without_runs_nothing_is_claimed():
    for result in results():
        if result.scenarios:
            assert {check.verdict for check in result.checks({})} <= {MISSING}
            assert result.sections is not None and result.sections({})


def test_the_section_is_drawn_and_always_the_same(found):
    figures = [block for block in figure_7.sections(found)[0].blocks if hasattr(block, "drawing")]
    assert len(figures) == 3 and all(figure.svg == figure.svg and b"<svg" in figure.svg for figure in figures)
    assert figures[0].drawing.file("csv").decode().splitlines()[0] == "series,x,y,low,high,unit"
    assert figures[0].drawing.file("pdf") == figures[0].drawing.file("pdf")


@pytest.mark.parametrize("cell", ["D10", "10", "D10-", "D10-a"])
def test_names_that_are_no_cell_of_a_sweep(cell):
    with pytest.raises(ValueError, match="no cell"):
        notifications.split(cell)


# --- the adaptive deadline
# -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("step", "feasible", "tight"), [(1000, HOLDS, HOLDS), (0, FAILS, MISSING), (30_000, HOLDS, FAILS)]
)
def test_a_deadline_that_grows_is_judged_by_its_course(tmp_path, step, feasible, tight):
    rows = [row for extra in (0, 10, 30) for seed in SEEDS for row in grown(extra, seed, step)]
    of = {adaptive.EXPERIMENT: stored(tmp_path, adaptive.EXPERIMENT, rows)}
    assert verdicts(adaptive.checks(of)) == {"feasible": feasible, "tight": tight}
    courses = adaptive.courses(of)
    assert courses[0].ends == [10.0] * 3 and courses[0].last_change == [0] * 3
    if step == 1000:
        assert all(19 <= end <= 21 for end in courses[30].ends)
        by_hand = [
            sum(1 for a, b in zip(frame["deadline"], frame["deadline"][1:]) if b > a) for frame in courses[30]
        ]
        assert [10 + grew for grew in by_hand] == courses[30].ends


def test_a_course_is_drawn_as_steps():
    x, y = adaptive._course(pd.DataFrame({"deadline": [10.0, 10.0, 11.0, 11.0, 12.0, 12.0]}))
    assert list(zip(x, y)) == [(1, 10), (3, 10), (3, 11), (5, 11), (5, 12), (6, 12)]


# --- scenarios and command
# -------------------------------------------------------------------------------------------
def test_the_scenarios_hold_what_the_results_ask_for():
    texts = {name: text for result in results() for name, text in (*result.scenarios, *result.varied)}
    cells = {name: {cell.name for cell in loads(text, name).cells} for name, text in texts.items()}
    assert cells["figure-7.yaml"] == {
        f"{name}-{extra:02d}" for name in figure_7.SERIES for extra in range(figure_7.MOST + 1)
    }
    assert {notifications.split(cell)[0] for cell in cells["costs.yaml"]} == set(costs.VARIANTS)
    assert {f"A-{extra:02d}" for extra in adaptive.DRAWN} <= cells["adaptive.yaml"]
    for cell in loads(texts["figure-7.yaml"], "figure-7.yaml").cells:
        name, extra = notifications.split(cell.name)
        assert cell.application.parameters["extra-work"] == 1000 * extra and cell.application.parameters[
            "deadline"
        ] == 1000 * int(name[1:])
        assert cell.application.parameters["gives-up"] is (name == "G10")


def test_every_reading_is_told_with_runs_and_without(found):
    for of in ({}, found):
        told = contradictions.contradictions(of)
        assert len(told) >= 15 and all(len(one.readings) >= 2 for one in told)
    level = next(one for one in told if one.title.startswith("Beyond a slice"))
    assert any(
        line == "Ours: not measured" for one in told for reading in one.readings for line in reading.numbers
    )
    assert "later than 11 ms" in level.readings[0].numbers[1]


def test_notifications_are_told_in_seconds_and_milliseconds(tmp_path):
    of = stored(
        tmp_path, "exp", [("D10-05", 2, 1_500_000, 2_500, 10_000), ("D10-05", 1, 250_000, 500, 10_000)]
    )
    assert notifications.read(of).to_dict("records") == [
        {"cell": "D10-05", "seed": 1, "time": 0.25, "delay": 0.5, "deadline": 10.0},
        {"cell": "D10-05", "seed": 2, "time": 1.5, "delay": 2.5, "deadline": 10.0},
    ]


def test_the_deadlines_are_judged_on_one_series_and_the_page_says_so(found):
    """Runs that differ in the deadline alone notify at the same times, so they aren't simulated again."""
    assert set(figure_7.SERIES) == {"D10", "G10"}
    text = next(block for block in figure_7.sections(found)[0].blocks if hasattr(block, "paragraphs"))
    assert figure_7.ONE_SERIES in text.paragraphs
    ours = figure_7.sweep(found[figure_7.EXPERIMENT])
    last = figure_7.tables(found)[0].rows[-1]  # 40 ms of extra work
    delays = ours.cells["D10", 40]
    assert [entry.text for entry in last[4:8]] == [
        f"{100 * delays.later_than(ms) / delays.n:.1f} %" for ms in (10, 11, 20, 30)
    ]


def test_a_deadline_that_never_grew_is_no_evidence_of_where_it_stops(tmp_path):
    """The first run's deadline grew from 10 to 12 ms; the second's was never missed."""
    rows = [("A-20", 1, 0, 11_000, 10_000), ("A-20", 1, 50_000, 11_500, 12_000)]
    never = [("A-00", 1, 0, 500, 10_000), ("A-00", 1, 50_000, 500, 10_000)]
    both = {adaptive.EXPERIMENT: stored(tmp_path / "both", adaptive.EXPERIMENT, rows + never)}
    alone = {adaptive.EXPERIMENT: stored(tmp_path / "alone", adaptive.EXPERIMENT, never)}
    assert verdicts(adaptive.checks(both))["tight"] == HOLDS
    assert adaptive.checks(both)[1].evidence.startswith("it grew in 1 of 2 runs ")
    assert verdicts(adaptive.checks(alone))["tight"] == MISSING


def notified(*of: tuple[str, int, int]) -> SimpleNamespace:
    """A run with notifications (thread, published at, us, run at, us)."""
    return SimpleNamespace(
        execution=SimpleNamespace(
            notifications=[
                SimpleNamespace(thread=thread, time_us=ran, delay_us=ran - published)
                for thread, published, ran in of
            ]
        )
    )


@pytest.mark.parametrize(
    ("second", "verdict", "words"),
    [(30, HOLDS, "in 1 of 1"), (20, FAILS, "in 0 of 1"), (10, FAILS, "in 0 of 1")],
)
def test_subscriber_1_is_first_in_every_publication_of_both(second, verdict, words):
    run = notified(
        ("subscriber1", 5, 20), ("subscriber2", 5, second), ("subscriber1", 100, 120), ("other", 5, 6)
    )
    check = test_case._order([run])
    assert (check.verdict, check.evidence.startswith(words)) == (verdict, True)
    assert test_case._order([notified(("subscriber1", 5, 20))]).verdict == FAILS, (
        "nothing that both were notified of"
    )


def test_claims_are_a_table_of_claim_result_and_evidence():
    (row,) = checks_table([Check("id", "It holds", "6.1", HOLDS, "in 3 of 3")], "Claims").rows
    assert [(entry.text, entry.detail, entry.tone) for entry in row] == [
        ("It holds", "section 6.1", ""),
        (HOLDS, "", "good"),
        ("in 3 of 3", "", ""),
    ]


def test_the_note_counts_seeds_and_notifications():
    def note(*seeds):
        delays = {extra: SimpleNamespace(seeds=count, n=4 + extra) for extra, count in enumerate(seeds)}
        return figure_7._note(SimpleNamespace(of=lambda series: delays))

    assert note(1, 1).endswith(" 1 seed, 4 to 5 notifications each.")
    assert note(1, 3).endswith(" 1 to 3 seeds, 4 to 5 notifications each.")


# --- at the bounds of the paper's words
# ------------------------------------------------------------------------------------------------
def of_delays(tmp_path, series: str, delays: dict[int, tuple[float, ...]]) -> dict:
    """One run for each amount of extra work, in ms, with these delays in ms."""
    rows = [
        (f"{series}-{extra:02d}", 1, turn * 50_000, round(1000 * late), 1000 * int(series[1:]))
        for extra, several in delays.items()
        for turn, late in enumerate(several)
    ]
    return {figure_7.EXPERIMENT: stored(tmp_path, figure_7.EXPERIMENT, rows)}


def test_which_extra_work_is_below_ten_above_it_and_beyond_a_slice(tmp_path):
    """Each amount at an end of a range has delays of its own."""
    found = of_delays(
        tmp_path,
        "D10",
        {
            0: (4.0, 5.0),
            9: (5.0, 10.0),
            10: (1.0, 100.0),
            11: (2.0, 8.5),
            20: (1.0, 11.0),
            21: (9.0, 11.0),
            30: (10.0, 10.0),
            31: (11.0, 11.0),
            40: (8.0, 14.0),
        },
    )
    told = {check.id: (check.verdict, check.evidence) for check in figure_7.checks(found)}
    assert told["below"] == (
        HOLDS,
        "0 to 9 ms: the latest after 10.00 ms (extra work 9 ms); 0 of 4 later",
    )
    assert told["fluctuates"] == (
        HOLDS,
        "latest less earliest, 10 < extra work ≤ 20 ms: 6.50 ms to 10.00 ms; below 10 ms of extra work at "
        "most 5.00 ms; missed there: 0.0 % to 50.0 %",
    )
    assert told["level"] == (
        HOLDS,
        "mean 10.50 ms; 21 to 30 ms: 10.00 ms, 31 to 40 ms: 11.00 ms; single notifications after 8.00 ms to "
        "14.00 ms",
    )


@pytest.mark.parametrize(
    ("lower", "upper", "verdict"),
    [
        (12.0, 12.0, HOLDS),
        (12.1, 12.1, FAILS),
        (10.0, 10.0, HOLDS),
        (9.9, 9.9, FAILS),
        (11.5, 10.5, HOLDS),
        (11.6, 10.5, FAILS),
        (10.5, 11.6, FAILS),
    ],
)
def test_a_level_is_one_within_a_millisecond(tmp_path, lower, upper, verdict):
    found = of_delays(tmp_path, "D10", {0: (1.0,), 11: (1.0,), 25: (lower,), 35: (upper,)})
    told = {check.id: check.verdict for check in figure_7.checks(found)}
    assert told["level"] == verdict
    assert told["fluctuates"] == FAILS  # no more than below 10 ms


@pytest.mark.parametrize(("late", "verdict"), [(11.0, HOLDS), (11.001, FAILS)])
def test_eleven_milliseconds_are_met_up_to_eleven(tmp_path, late, verdict):
    found = of_delays(tmp_path / "a", "D10", {20: (30.0,), 21: (late, 1.0), 40: (2.0,)})
    check = figure_7._above_eleven(figure_7.sweep(found[figure_7.EXPERIMENT]))
    share = "1 of 3 notifications" if verdict is FAILS else "0 of 3 notifications"
    assert (check.verdict, share in check.evidence) == (verdict, True)


def test_a_delay_of_just_the_deadline_meets_it():
    delays = notifications.Delays(
        pd.DataFrame({"seed": [1, 1, 2], "delay": [10.0, 10.1, 9.0], "deadline": 10.0})
    )
    assert (delays.missed, delays.later_than(9.0), delays.n, delays.seeds) == (1, 2, 3, 2)
    assert (delays.low, delays.high) == (9.0, 10.1) and delays.mean == pytest.approx(29.1 / 3)


def test_delays_are_pooled_from_one_amount_to_another(tmp_path):
    found = of_delays(tmp_path, "D10", {extra: (float(extra),) for extra in (1, 2, 3, 10)})
    sweep = notifications.Sweep(found[figure_7.EXPERIMENT])
    assert list(sweep.of("D10")) == [1, 2, 3, 10] and sweep.of("D11") == {}
    assert sweep.pooled("D10", 2, 10).mean == 5.0 and sweep.pooled("D10", 4, 9) is None
