# SPDX-License-Identifier: Apache-2.0
"""Figure 7, the adaptive deadline and the run-time diagram: what is made of logs that a plain model
writes."""

import pytest

from orchestrator.features.blackboard.paper import adaptive, costs, figure_7, notifications, results, storage
from orchestrator.papers.check import FAILS, HOLDS, MISSING
from orchestrator.scenario.load import loads
from tests.features.blackboard.blackboard_runs import BOARD, PUBLICATIONS, SEEDS, SLICE, grown, series, stored


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


def test_delays_are_pooled_from_one_amount_to_another(tmp_path):
    found = of_delays(tmp_path, "D10", {extra: (float(extra),) for extra in (1, 2, 3, 10)})
    sweep = notifications.Sweep(found[figure_7.EXPERIMENT])
    assert list(sweep.of("D10")) == [1, 2, 3, 10] and sweep.of("D11") == {}
    assert sweep.pooled("D10", 2, 10).mean == 5.0 and sweep.pooled("D10", 4, 9) is None


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
