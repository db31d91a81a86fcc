# SPDX-License-Identifier: Apache-2.0
"""Tables, metrics and reports of a round's experiments, as `orchestrate run` makes them of one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from orchestrator.campaign.model import RoundRun
from orchestrator.campaign.prepared import Prepared
from orchestrator.campaign.record import Round
from orchestrator.errors import Fault
from orchestrator.execution import pipeline
from orchestrator.execution.plan import Plan
from orchestrator.execution.progress import Listener
from orchestrator.runs.model import Outcome


@dataclass(frozen=True)
class Results:
    """By experiment: its report, faults of the scenario's own metrics, runs whose logs are damaged."""

    reports: dict[str, Path] = field(default_factory=dict)
    faults: dict[str, tuple[Fault, ...]] = field(default_factory=dict)
    damaged: dict[str, tuple[str, ...]] = field(default_factory=dict)


def of_round(
    prepared: Prepared, one: Round, store: Path, page: bool, master: str | None, told: Listener
) -> Results:
    """Make them, one experiment after the other; `master`: what computes, None as the files say.

    Raises what pipeline.run raises.
    """
    made = Results()
    for planned, runs in _parts(prepared, one):
        if all(run.outcome is not Outcome.OK for run in runs):
            continue
        experiment = planned.scenario.experiment
        report, faults, damaged = pipeline.results(
            planned,
            store,
            [run.run_id for run in runs],
            page=page,
            master=master,
            file=prepared.campaign.spark,
            told=told,
        )
        if report is not None:
            made.reports[experiment] = report
        if faults:
            made.faults[experiment] = faults
        if damaged:
            made.damaged[experiment] = damaged
    return made


def present(prepared: Prepared, one: Round, store: Path) -> None:
    """Make the round's runs the present campaign of each of its experiments."""
    for planned, runs in _parts(prepared, one):
        if runs:
            pipeline.keep(planned, store, [run.run_id for run in runs])


def _parts(prepared: Prepared, one: Round) -> Iterator[tuple[Plan, list[RoundRun]]]:
    """Each part with the scenario that was run, and the round's runs of it in the plan's order."""
    there = {run.key: run for run in one.runs()}
    for part in one.plan.parts:
        planned = prepared.parts[part.experiment].plan
        scenario = replace(planned.scenario, source=part.text)
        yield replace(planned, scenario=scenario), [there[key] for key in part.keys() if key in there]
