# SPDX-License-Identifier: Apache-2.0
"""orchestrate distribution schedule: bounds on all response times, and the simulated schedule."""

from __future__ import annotations

import argparse
import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.cli.options import positive

if TYPE_CHECKING:
    from orchestrator.cli.tables import Table
    from orchestrator.features.distribution.schedulability.simulate import Schedule
    from orchestrator.features.distribution.schedulability.verdict import Verdict

DESCRIPTION = """Compute the deadlines, give all tasks deadline-monotonic priorities, and bound
the response time of each from a path's release to the task's end, over nodes
and networks. A second analysis checks the first. A simulation of the schedule
shows what happens at worst-case execution times: where it reaches the bound,
the bound is exact. The exit code is 1 if a deadline isn't held."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `orchestrate distribution schedule`."""
    parser.add_argument(
        "--periods",
        type=positive,
        default=100,
        metavar="N",
        help="simulate so many periods of the slowest source (default: 100)",
    )
    parser.add_argument(
        "--sensitivity", action="store_true", help="say how much longer each execution may take"
    )
    parser.add_argument(
        "--table", type=Path, metavar="FILE", help="write the table of tasks and priorities (YAML)"
    )


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate distribution schedule`; return 1 if a deadline isn't held."""
    from orchestrator.cli import files
    from orchestrator.features.distribution.commands.distribution_common import reading
    from orchestrator.features.distribution.load import load
    from orchestrator.features.distribution.priorities import table
    from orchestrator.features.distribution.schedulability.verdict import verdict

    system = load(args.file)
    judged = verdict(system, reading(args))
    if judged.impossible:
        return _impossible(args.file, judged, args.json)
    schedule = judged.simulated(args.periods)
    margins = _sensitivity(judged) if args.sensitivity and judged.schedulable else None
    if args.json:
        print(json.dumps(_described(judged, schedule, margins), indent=2))
    else:
        _show(judged, schedule, margins, args.periods)
    if args.table is not None:
        files.write(args.table, table(judged).encode())
        if not args.json:
            print(f"{args.table} written")
    return 0 if judged.schedulable else 1


def _impossible(file: Path, judged: Verdict, as_json: bool) -> int:
    names = [deadline.distribution.name for deadline in judged.impossible]
    if as_json:
        content = {"system": judged.system.name, "schedulable": False, "without_deadline": names}
        print(json.dumps(content, indent=2))
    else:
        print(
            f"{judged.system.name} is not schedulable: {', '.join(names)} can't keep data valid, however "
            f"quick they are; `orchestrate distribution deadlines {shlex.quote(str(file))}` says why."
        )
    return 1


def _sensitivity(judged: Verdict) -> dict:
    from orchestrator.features.distribution.sensitivity import margins, together

    return {"together": together(judged.tasks), "each": list(margins(judged.tasks))}


def _described(judged: Verdict, schedule: Schedule, margins: dict | None) -> dict:
    from orchestrator.features.distribution.commands.distribution_common import bounds_described
    from orchestrator.features.distribution.utilisation import utilisation

    content = {
        "system": judged.system.name,
        "schedulable": judged.schedulable,
        "needs_clocks_that_agree": judged.needs_clocks,
        "analyses_agree": judged.second == judged.verified,
        "utilisation": {name: float(share) for name, share in utilisation(judged.tasks).items()},
        "tasks": bounds_described(judged, {task.name: schedule.worst(task.name) for task in judged.tasks}),
        "missed": {name: sum(job.late for job in jobs) for name, jobs in schedule.jobs.items()},
        "ages": _ages(judged, schedule),
    }
    if margins is not None:
        content["sensitivity"] = {
            "together": margins["together"],
            "each": [vars(margin) | {"factor": margin.factor} for margin in margins["each"]],
        }
    return content


def _ages(judged: Verdict, schedule: Schedule) -> list[dict]:
    """Return what each target read in the simulated schedule, times in us."""
    reads = schedule.reads(judged.system, judged.tasks)
    rows = []
    for name, target in judged.system.targets.items():
        mine = [read for read in reads if read.target == name]
        stamped = [read for read in mine if read.stamp is not None]
        validity = judged.system.objects[target.object]
        rows.append(
            {
                "target": name,
                "reads": len(mine),
                "without_data": len(mine) - len(stamped),
                "oldest": max((read.oldest for read in stamped), default=None),
                "validity": validity,
                "outdated": sum(read.oldest > validity for read in stamped),
            }
        )
    return rows


def _show(judged: Verdict, schedule: Schedule, margins: dict | None, periods: int) -> None:
    from orchestrator.cli.tables import Table, numbers
    from orchestrator.console import show
    from orchestrator.features.distribution.commands.distribution_common import ages_table, us, used_table
    from orchestrator.features.distribution.utilisation import utilisation

    show(_responses(judged, schedule, periods), used_table(utilisation(judged.tasks)))
    ages, counts = _ages(judged, schedule), ["reads", "without_data"]
    show(ages_table("Ages of data in the simulated schedule", ages, counts, "oldest: as the target ends"))
    if margins is not None:
        each = [
            (margin.name, us(margin.now), us(margin.most), f"{margin.factor:,.2f}")
            for margin in margins["each"]
        ]
        columns = ["what", *numbers("takes, us", "may take, us", "times")]
        note = f"each alone; all together may take {margins['together']:,.3f} times as long"
        show(Table("Sensitivity", columns, each, note))
    print(_verdict(judged))


def _responses(judged: Verdict, schedule: Schedule, periods: int) -> Table:
    """Return the bounds on the response times beside those of the simulated schedule."""
    from orchestrator.cli.tables import Table, numbers
    from orchestrator.features.distribution.commands.distribution_common import us

    by_job = {bound.task.name: bound.response for bound in judged.by_job or ()}
    rows = []
    for bound, shorter in zip(judged.verified, judged.bounds):
        name, deadline, seen = bound.task.name, us(bound.task.deadline), schedule.worst(bound.task.name)
        exact = " *" if seen == shorter.response else ""
        rows.append(
            (
                name,
                bound.task.resource,
                str(bound.task.priority),
                deadline if shorter.held else (f"{deadline} not held", "red"),
                us(bound.response),
                us(by_job.get(name)),
                us(seen) + exact if seen else None,
            )
        )
    times = numbers("priority", "deadline, us", "bound, us", "by job, us", "seen, us")
    note = (
        "bound: whatever the offsets are. by job: with the releases as they are, if clocks agree. seen: "
        f"the longest in {periods} periods at worst-case execution times; * the bound is exact."
    )
    return Table(f"{judged.system.name}: response times", ["task", "on", *times], rows, note)


def _verdict(judged: Verdict) -> str:
    agree = (
        "The second analysis gives the same bounds."
        if judged.second == judged.verified
        else ("The second analysis gives other bounds: please report this as a bug.")
    )
    if not judged.schedulable:
        late = [bound.task.name for bound in judged.bounds if not bound.held]
        return (
            f"{judged.system.name} is not shown to be schedulable: {len(late)} of {len(judged.bounds)} tasks "
            f"have no bound within their deadline, {late[0]} first. {agree}"
        )
    if judged.needs_clocks:
        return (
            f"{judged.system.name} is schedulable if the nodes' clocks agree: without regard to when tasks "
            f"are released, not every deadline would be held. {agree}"
        )
    return f"{judged.system.name} is schedulable, whatever the offsets of releases are. {agree}"
