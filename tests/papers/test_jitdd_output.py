# SPDX-License-Identifier: Apache-2.0
"""What a user reads of the paper on just-in-time data distribution, of the model and of made-up runs
(tests/recorded.py).
"""

from __future__ import annotations

import random
from functools import cache
from types import SimpleNamespace

from orchestrator.distribution.real_time import RealTime
from orchestrator.papers.check import FAILS
from orchestrator.papers.jitdd import figures, real_time
from orchestrator.papers.jitdd.systems import SCENARIOS


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


def test_simulated_jobs_that_are_late_are_said(monkeypatch):
    late = SimpleNamespace(late=True, task=SimpleNamespace(name="T"))
    in_time = SimpleNamespace(late=False, task=SimpleNamespace(name="T"))
    run = SimpleNamespace(jobs={"T": [late, in_time], "U": [in_time]}, reads=lambda *_: [])
    monkeypatch.setattr(figures, "runs", lambda name: (run,) * (1 + (name == "scenario-2.yaml")))
    (check, _) = figures.checks({})
    assert (check.verdict, check.evidence) == (
        FAILS,
        "5 of 15 simulated jobs are late, the first periods included",
    )
