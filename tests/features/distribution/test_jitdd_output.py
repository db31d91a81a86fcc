# SPDX-License-Identifier: Apache-2.0
"""What a user reads of the paper on just-in-time data distribution, of the model and of made-up runs
(tests/recorded.py).
"""

from __future__ import annotations

from types import SimpleNamespace

from orchestrator.features.distribution.paper import figures
from orchestrator.papers.check import FAILS


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
