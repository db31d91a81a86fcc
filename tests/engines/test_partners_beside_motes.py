# SPDX-License-Identifier: Apache-2.0
"""A run with gateways: what the simulation is started with, and what its end is called."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from orchestrator.engines.embedded import with_partners
from orchestrator.engines.embedded.live import LiveMote, SimulationEnded, Stage
from orchestrator.engines.log import SCRIPT_TIMEOUT
from orchestrator.engines.model import Job
from orchestrator.errors import Unsupported
from orchestrator.runs.model import Outcome, RunResult

MOTE = SimpleNamespace(id=5, x=1.0, y=2.0, image=b"image")
DEPLOYMENT = SimpleNamespace(
    medium="medium",
    start_delay_us=9,
    firmware=SimpleNamespace(identifier="t"),
    motes=(MOTE,),
    partners=SimpleNamespace(simulated_by="cosimulation"),
)
JOB = Job(DEPLOYMENT, 3, {"t": Path("/f")}, Path("/l"), "2026.07", 1.5)
RUN = RunResult(Outcome.OK, 1, 2.0, 3, 4, ("said",))


@pytest.fixture
def live(monkeypatch):
    """What was started; its run ends with `ends` (an error, or what CoSimulation returns)."""
    there = SimpleNamespace(started=[], ends=True, result=RUN, running=set(), open=0)

    class Live:
        process = "process"

        def __init__(self, *given):
            there.started.append(given)

        def __enter__(self):
            there.open += 1
            return self

        def __exit__(self, *_):
            there.open -= 1

        def end(self, ended):
            assert ended is True
            return there.result

    def of(kind):
        def together(live, gateways, seed):
            def run():
                assert there.running == {"process"} and there.open == 1
                if isinstance(there.ends, Exception):
                    raise there.ends
                return there.ends

            there.started.append((kind, type(live), gateways, seed))
            return SimpleNamespace(run=run)

        return together

    monkeypatch.setattr(with_partners, "Live", Live)
    monkeypatch.setattr(with_partners.feature, "resolve", of)
    there.kind = Live
    return there


def test_what_is_started(live):
    assert with_partners.run(JOB, Path("/k"), live.running) == RUN
    stage = Stage("medium", 3, Path("/l"), 9, "2026.07", 1.5, False)
    motes = [LiveMote(Path("/f"), 5, 1.0, 2.0, image=b"image")]
    assert live.started == [(stage, motes, Path("/k")), ("cosimulation", live.kind, DEPLOYMENT.partners, 3)]
    assert not live.running and not live.open


@pytest.mark.parametrize("outcome", list(Outcome))
@pytest.mark.parametrize("early", [False, True])
def test_a_script_that_would_have_failed_gave_no_verdict(live, outcome, early):
    """Nothing but the time's end fails a run with gateways."""
    live.result = replace(RUN, outcome=outcome)
    if early:
        live.ends = SimulationEnded(live.result)
    told = with_partners.run(JOB, Path("/k"), live.running)
    late = replace(RUN, outcome=Outcome.NO_VERDICT, evidence=SCRIPT_TIMEOUT)
    assert told == (late if outcome is Outcome.FAILED else live.result)
    assert not live.running and not live.open


def test_what_ends_the_gateways_ends_the_run(live):
    live.ends = ValueError("a bug")
    with pytest.raises(ValueError, match="^a bug$"):
        with_partners.run(JOB, Path("/k"), live.running)
    assert not live.running and not live.open


def test_no_record_of_radios_is_kept(live):
    words = "no record of radios is kept of a run with gateways\n    its trace (`trace: true`) has each hop"
    with pytest.raises(Unsupported, match=f"^{re.escape(words)}$"):
        with_partners.run(replace(JOB, radio=Path("/r")), Path("/k"), live.running)
    assert not live.started
