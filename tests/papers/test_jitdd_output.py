# SPDX-License-Identifier: Apache-2.0
"""What a user reads of the paper on just-in-time data distribution, of the model and of made-up runs
(tests/recorded.py).
"""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest

from orchestrator.distribution.model import Timing
from orchestrator.distribution.real_time import RealTime
from orchestrator.papers.check import FAILS, HOLDS, MISSING
from orchestrator.papers.jitdd import deadlines, drawn, figures, measured, real_time, schedule
from orchestrator.papers.jitdd.measured import Logged
from orchestrator.papers.jitdd.systems import SCENARIOS, analysed, system
from orchestrator.papers.table import results
from tests import page_in_words, recorded

RECORDED = Path(__file__).with_name("recorded_output")


def told(part) -> str:
    return recorded.rounded(page_in_words.told(part, page_in_words.in_brief))


@pytest.mark.parametrize("module", [deadlines, schedule], ids=["deadlines", "schedule"])
def test_what_the_model_says_beside_what_is_printed(module):
    """The page has the tables and checks that the terminal has. The simulated schedule is test_jitdd.py's."""
    section = told(module.sections({}))
    assert [table for table in module.tables({}) if told(table).splitlines()[1] not in section] == []
    assert [check for check in module.checks({}) if check.evidence not in section] == []
    recorded.same(section, RECORDED / f"jitdd-{module.__name__.rpartition('.')[2]}.txt")


def logs(name: str, runs: int, late: float, scale: int = 1) -> Logged:
    """Of every task and target some jobs and values in each run, of which some are late and outdated."""
    jobs, ages = [], []
    for seed in range(1, runs + 1):
        draw = random.Random(f"{name} {seed}")

        def some(bound: int, draw: random.Random = draw, seed: int = seed) -> list[tuple[int, int, int]]:
            return [(number, round(bound * draw.uniform(0.2, late)), bound) for number in range(3 + seed)]

        jobs.append({task.name: some(task.deadline * scale) for task in analysed(name).tasks})
        validity = system(name).objects
        ages.append(
            {target: some(validity[of.object] * scale) for target, of in system(name).targets.items()}
        )
    return Logged(tuple(jobs), tuple(ages))


RUNS = {
    measured.RUN_TIME: {title.split(",")[0]: logs(name, 2, 1.01) for name, title in SCENARIOS.items()},
    measured.RADIO: {
        "1": logs("scenario-1.yaml", 2, 0.9, measured.SCALE),
        "4": logs("scenario-4.yaml", 3, 0.9, measured.SCALE),
    },
}


def test_what_ran_beside_the_papers_lines(monkeypatch):
    monkeypatch.setattr(measured, "logged", lambda found, experiment: found.get(experiment, {}))
    recorded.same(told(measured.sections(RUNS)), RECORDED / "jitdd-run-time.txt")
    assert {check.verdict for check in measured.checks(RUNS)} == {HOLDS, FAILS}
    only = {measured.RADIO: {"4": RUNS[measured.RADIO]["4"]}}
    recorded.same(told(measured.sections(only)), RECORDED / "jitdd-over-the-radio-only.txt")
    nothing = {measured.RUN_TIME: {"1": Logged(({},), ({},))}}
    assert [check.verdict for check in measured.checks(nothing)] == [MISSING] * 4


@cache
def ran(name: str) -> RealTime:
    """Jobs before, at and after the end of the first second, in time and late; ages within and beyond."""
    draw = random.Random(name)
    said = [
        [
            {"job": ["T", "target", number, 250_000 * number, 9, 8], "cause": draw.choice(CAUSES)}
            for number in range(12 * 100)
        ]
    ]
    said[0] += [{"age": ["T", number, age, 1, 5]} for number, age in enumerate((4, 5, 6, 5_000))]
    said[0] += [{"steps": 1 + len(name) % 3, "error": 1, "exchanges": 3}]
    refused = "" if name == "scenario-1.yaml" else "not permitted"
    if name == "scenario-2.yaml":
        said = [[{"job": ["T", "target", 0, 1_000_000, 9, 9], "cause": ""}, {"age": ["T", 0, 5, 1, 5]}]]
    return RealTime([], refused, False, said)


CAUSES = ("", "", "host", "network", "code")


def test_what_was_missed_in_real_time(monkeypatch):
    monkeypatch.setattr(real_time, "ran", ran)
    recorded.same(told(real_time.sections({})), RECORDED / "jitdd-real-time.txt")
    assert [check.verdict for check in real_time.checks({})] == [FAILS, FAILS]
    monkeypatch.setattr(real_time, "ran", lambda name: ran("scenario-2.yaml"))
    assert [check.verdict for check in real_time.checks({})] == [HOLDS, HOLDS]


def test_the_first_second_ends_with_its_last_microsecond(monkeypatch):
    job = ["T", "target", 0]
    said = [{"job": [*job, release, 9, 8], "cause": "code"} for release in (0, 999_999, 1_000_000)]
    monkeypatch.setattr(real_time, "ran", lambda name: RealTime([], "", False, [[*said, {"steps": 0}]]))
    (table,) = real_time.tables({})
    assert [entry.text for entry in table.rows[0]][2:5] == ["3", "2", "1"]
    assert real_time.checks({})[0].evidence == "4 of 12 jobs were late after the first second"


def test_a_scenario_runs_once_in_real_time_and_as_long_as_the_page_says(monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(real_time.real_time, "run", lambda tables, *how: asked.append((len(tables), how)))
    real_time.ran.cache_clear()
    try:
        for name in (*SCENARIOS, "scenario-1.yaml"):
            real_time.ran(name)
    finally:
        real_time.ran.cache_clear()
    assert [how for _, how in asked] == [(seconds * 1_000_000, 0.5, 1) for seconds in (600, 10, 10, 50)]
    assert all(nodes > 1 for nodes, _ in asked)
    assert "scenario 4, weapons alignment, in real time: 50 s" in capsys.readouterr().err


# --- what would be said of other systems
# ------------------------------------------------------------------------------------------------
def test_printed_deadlines_that_no_reading_gives(monkeypatch):
    def other(name: str):
        """The first row of each table is printed with another deadline, and released with its period."""
        known = system(name)
        steps = {
            step.name: replace(
                step, printed=Timing(step.printed.period, 0, step.printed.period + (not place), 1)
            )
            for place, step in enumerate(known.steps.values())
        }
        return replace(known, steps=steps)

    monkeypatch.setattr(deadlines, "system", other)
    told_of = {check.id: (check.verdict, check.evidence) for check in deadlines.checks({})}
    assert told_of["deadlines-Table 2"][0] == told_of["deadlines-Table 3"][0] == FAILS
    assert told_of["release"] == (
        HOLDS,
        "Tables 2 and 3 print releases of 0 us, their sources' deadlines",
    )
    first = next(iter(system("scenario-1.yaml").steps))
    assert told_of["within"] == (FAILS, f"2 rows of Table 3 have R + D > P: {first} and others")
    steps = list(system("scenario-1.yaml").steps.values())
    within = deadlines._within(steps)
    assert (within.verdict, within.evidence) == (HOLDS, "all rows")


def test_what_is_not_schedulable_is_said(monkeypatch):
    def bound(name: str, response: int | None, deadline: int) -> SimpleNamespace:
        return SimpleNamespace(task=SimpleNamespace(name=name, deadline=deadline), response=response)

    def other(name: str) -> SimpleNamespace:
        held = name in ("scenario-1.yaml", "scenario-4.yaml")
        bounds = [bound("far", 50, 1000), bound("near", 60, 100), bound("unknown", None, 10_000)]
        return SimpleNamespace(
            tasks=analysed("scenario-3.yaml").tasks,
            bounds=bounds[:2] if held else bounds,
            schedulable=held,
            needs_clocks=name == "scenario-1.yaml",
            verified=bounds,
            second=bounds if held else [],
        )

    monkeypatch.setattr(schedule, "analysed", other)
    recorded.same(told(schedule.sections({})), RECORDED / "jitdd-schedule-of-others.txt")


def test_simulated_jobs_that_are_late_are_said(monkeypatch):
    late = SimpleNamespace(late=True, task=SimpleNamespace(name="T", kind="step"))
    in_time = SimpleNamespace(late=False, task=SimpleNamespace(name="T", kind="step"))
    run = SimpleNamespace(jobs={"T": [late, in_time], "U": [in_time]}, reads=lambda *_: [])
    monkeypatch.setattr(figures, "runs", lambda name: (run,) * (1 + (name == "scenario-2.yaml")))
    (check, _) = figures.checks({})
    assert (check.verdict, check.evidence) == (
        FAILS,
        "5 of 15 simulated jobs and 0 simulated transmissions are late, the first periods included",
    )


@pytest.mark.parametrize(
    ("values", "tone", "largest"),
    [([5, 10], "good", "10"), ([11], "bad", "11"), ([], "bad", "0"), ([1_000] * 1_000, "bad", "1,000")],
)
def test_values_up_to_the_line_are_good(values, tone, largest):
    one = drawn.Drawn(None, "scenario-2.yaml", ["data-1-to-targets"], "age")
    row = one.row(page_in_words.Entry("what"), values, 10)
    assert [entry.text for entry in row] == ["–", "what", f"{len(values):,}", largest, "10"]
    assert [entry.tone for entry in row] == ["", "", "", tone, ""]


def test_the_results_say_what_they_are():
    said = [f"{one.name}: {one.summary} [{one.heading}] {one.asked}\n" for one in results("jitdd")]
    recorded.same("".join(said), RECORDED / "jitdd-results.txt")
