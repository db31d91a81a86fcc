# SPDX-License-Identifier: Apache-2.0
"""Tables, metrics and reports of a round's experiments, as `orchestrate run` makes them of one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from orchestrator.errors import Fault, NoSuchThing
from orchestrator.execution import pipeline
from orchestrator.execution.progress import Listener
from orchestrator.features.campaigns.model import PartPlan, Product, RoundRun
from orchestrator.features.campaigns.prepared import Prepared
from orchestrator.features.campaigns.record import Round
from orchestrator.features.campaigns.written import Campaign
from orchestrator.runs.model import Outcome


@dataclass(frozen=True)
class Results:
    """By experiment: its report, faults of the scenario's own metrics, runs whose logs are damaged."""

    reports: dict[str, Path] = field(default_factory=dict)
    faults: dict[str, tuple[Fault, ...]] = field(default_factory=dict)
    damaged: dict[str, tuple[str, ...]] = field(default_factory=dict)


def of_round(
    prepared: Prepared, round_: Round, store: Path, page: bool, master: str | None, listener: Listener
) -> Results:
    """Make and note them, experiment by experiment. `master`: the Spark master; None: the files decide.

    The campaign may have been edited since: what a round is made of is in its plan and in the store. Raises
    what pipeline.run raises.
    """
    results = Results()
    for part, runs in _parts(round_):
        if all(run.outcome is not Outcome.OK for run in runs):
            continue
        experiment = part.experiment
        here = prepared.parts.get(experiment)
        scenario = None if here is None else here.plan.scenario
        try:
            report, faults, damaged = pipeline.results(
                experiment,
                () if scenario is None else scenario.metrics,
                store,
                [run.run_id for run in runs],
                page=page,
                master=master,
                file=prepared.campaign.spark or (None if scenario is None else scenario.spark),
                told=listener,
            )
        except NoSuchThing as error:  # nothing was measured: the verdict says so, and the others have theirs
            listener.say(f"no report of {experiment}: {error}")
            continue
        if report is not None:
            results.reports[experiment] = report
        if faults:
            results.faults[experiment] = faults
        if damaged:
            results.damaged[experiment] = damaged
    round_.made(Product.RESULTS)
    return results


def give_verdict(campaign: Campaign, round_: Round, store: Path, listener: Listener) -> None:
    """Give the verdict that a round lacks, and say it in a line. Raises StorageFailed."""
    from orchestrator.features.campaigns.judging import files, verdict  # loads pandas

    listener.stage("comparing with the baseline")
    verdict_given = verdict.give(store, campaign.name, campaign.judging, round_.id)
    page = files.write(store, verdict_given).absolute()
    listener.say(f"{campaign.name}, round {round_.plan.number}: {verdict_given.colour.value}; {page}")


def present(prepared: Prepared, round_: Round, store: Path) -> None:
    """Make the round's runs the present campaign of each of its experiments."""
    for part, runs in _parts(round_):
        if runs:
            planned = prepared.parts[part.experiment].plan
            scenario = replace(planned.scenario, source=part.text)  # the one that was run
            pipeline.keep(replace(planned, scenario=scenario), store, [run.run_id for run in runs])


def _parts(round_: Round) -> Iterator[tuple[PartPlan, list[RoundRun]]]:
    """Each part, and the round's runs of it in the plan's order."""
    there = {run.key: run for run in round_.runs()}
    for part in round_.plan.parts:
        yield part, [there[key] for key in part.keys() if key in there]
