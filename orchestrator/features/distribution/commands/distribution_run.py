# SPDX-License-Identifier: Apache-2.0
"""orchestrate distribution run: the system in real time, on this machine or on the gateways of a testbed."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator import feature
from orchestrator.cli.options import positive

if TYPE_CHECKING:
    from orchestrator.features.distribution.real_time import RealTime
    from orchestrator.features.distribution.schedulability.verdict import Verdict

DESCRIPTION = """Run the system in real time on this machine: each node is a process, pinned to
a processor of its own if there are enough, and each of its tasks one more, with
the priorities of the analysis as the host's real-time priorities (SCHED_FIFO)
where they are allowed. Values go by an event channel and over the loopback
network. Executions are computed for as long as the file says.

With --testbed, the nodes are started through SSH on the gateways of a lab
(`orchestrate testbed up --virtual` starts one), and values go over the network
between them.

This host is no real-time system: deadlines that are missed are counted, each
with what took the longest beyond the executions of its path: the host (which ran something
else), the network, or our own code. The exit code is 1 if one was missed, or a
value was outdated."""
STARTUP_S = 1  # misses of the first second are shown apart: what is set up then takes its time


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `orchestrate distribution run`."""
    parser.add_argument(
        "--seconds", type=positive, default=10, metavar="N", help="run for so long (default: 10)"
    )
    parser.add_argument(
        "--shortest",
        type=positive,
        default=50,
        metavar="PERCENT",
        help="an execution takes between this share of its worst case and all of it (default: 50)",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the executions (default: 1)")
    parser.add_argument(
        "--no-priorities", action="store_true", help="do without the host's real-time priorities"
    )
    parser.add_argument(
        "--testbed", type=Path, metavar="LAB", help="start the nodes on the gateways of this inventory"
    )
    parser.add_argument(
        "--gateways",
        nargs="+",
        default=[],
        metavar="NAME",
        help="which ones, a gateway for each node in the file's order (default: LAB's first ones)",
    )
    parser.add_argument(
        "--log", type=Path, metavar="FILE", help="write a log, which `orchestrate ingest` makes tables of"
    )


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate distribution run`; return 1 if a deadline was missed or a value outdated."""
    from orchestrator.cli import files
    from orchestrator.errors import WrongUsage
    from orchestrator.features.distribution import real_time
    from orchestrator.features.distribution.commands.distribution_common import reading
    from orchestrator.features.distribution.load import load
    from orchestrator.features.distribution.run_time import CannotRun, tables_of
    from orchestrator.features.distribution.schedulability.verdict import verdict

    if args.shortest > 100:
        raise WrongUsage(f"--shortest: {args.shortest} is more than 100 %")
    if args.gateways and args.testbed is None:
        raise WrongUsage("--gateways: there are none without --testbed LAB")
    judged = verdict(load(args.file), reading(args))
    if judged.impossible:
        names = ", ".join(deadline.distribution.name for deadline in judged.impossible)
        raise WrongUsage(
            f"{judged.system.name} can't run: {names} can't keep data valid\n"
            f"    `orchestrate distribution deadlines {shlex.quote(str(args.file))}` says why"
        )
    try:
        tables = tables_of(judged.system, judged.tasks)
    except CannotRun as error:
        raise WrongUsage(f"{judged.system.name} can't run: {error}") from None
    how = (tables, args.seconds * 1_000_000, args.shortest / 100, args.seed, not args.no_priorities)
    result = real_time.run(*how) if args.testbed is None else _on_gateways(args, how)
    if args.log is not None:
        files.write(args.log, result.log().encode())
    if args.json:
        print(json.dumps(described(judged, result), indent=2))
    else:
        _show(judged, result)
    late = any(job["cause"] for job in result.jobs)
    return 1 if late or any(age["age"] > age["validity"] for age in result.ages) else 0


def _on_gateways(args: argparse.Namespace, how: tuple) -> RealTime:
    from orchestrate_testbed.gateway.distribution.clock import DRIFT_PPM

    from orchestrator.features.distribution import real_time
    from orchestrator.features.distribution.started import Started

    processes = feature.offered("processes-on-gateways")
    names = [table.name for table in how[0]]
    with processes.started(args.testbed, args.gateways, names) as streams:
        started = [Started(name, stream, stream.close) for name, stream in streams]
        return real_time.run_nodes(started, *how, drift_ppm=DRIFT_PPM)


def described(judged: Verdict, result: RealTime) -> dict:
    """Return what ran, as plain values; times in us."""
    startup = [job for job in result.jobs if job["release"] < STARTUP_S * 1_000_000]
    later = [job for job in result.jobs if job["release"] >= STARTUP_S * 1_000_000]
    return {
        "system": judged.system.name,
        "real_time_priorities": not result.refused,
        "refused": result.refused,
        "processors_shared": result.shared,
        "jobs": len(result.jobs),
        "missed_at_start": result.causes(startup),
        "missed": result.causes(later),
        "tasks": _tasks(result),
        "targets": _targets(result),
        "reads_without_data": result.without_data,
        "clock_steps": result.clock_steps,
        "clock_error": result.clock_error,
        "clock_drift_ppm": result.drift_ppm,
        "malformed": result.malformed,
    }


def _by(name: str, those: list[dict]) -> Iterable[tuple[str, list[dict]]]:
    """Return them by their value of `name`, in the order in which the values come."""
    groups: dict[str, list[dict]] = {}
    for entry in those:
        groups.setdefault(entry[name], []).append(entry)
    return groups.items()


def _tasks(result: RealTime) -> list[dict]:
    return [
        {
            "task": name,
            "kind": there[0]["kind"],
            "jobs": len(there),
            "largest": max(job["response"] for job in there),
            "deadline": there[0]["deadline"],
            "missed": result.causes(there),
        }
        for name, there in _by("task", result.jobs)
    ]


def _targets(result: RealTime) -> list[dict]:
    return [
        {
            "target": name,
            "values": len(there),
            "oldest": max(age["age"] for age in there),
            "validity": there[0]["validity"],
            "outdated": sum(age["age"] > age["validity"] for age in there),
        }
        for name, there in _by("target", result.ages)
    ]


def _show(judged: Verdict, result: RealTime) -> None:
    from orchestrator.cli.tables import Table, numbers
    from orchestrator.console import show
    from orchestrator.features.distribution.commands.distribution_common import ages_table, us

    content = described(judged, result)
    rows = [
        (
            task["task"],
            task["kind"],
            us(task["jobs"]),
            us(task["largest"]),
            us(task["deadline"]),
            *((us(count), "red" if count else "") for count in task["missed"].values()),
        )
        for task in content["tasks"]
    ]
    late = (f"late: {cause}" for cause in content["missed"])
    columns = ["task", "kind", *numbers("jobs", "largest, us", "deadline, us", *late)]
    note = "late: by what took the longest beyond the executions of the job's path"
    show(Table(f"{judged.system.name}: completion times in real time", columns, rows, note))
    note = f"ages have the clocks' error added, at most {us(content['clock_error'])} us a node"
    if content["clock_drift_ppm"]:
        note += f", which grows by {content['clock_drift_ppm']} ppm between two answers of the reference"
    show(ages_table("Ages of data in real time", content["targets"], ["values"], note))
    print(_verdict(content))


def _verdict(content: dict) -> str:
    from orchestrator.words import counted

    how = (
        "with real-time priorities"
        if content["real_time_priorities"]
        else f"without real-time priorities ({content['refused']})"
    )
    shared = ", nodes sharing processors" if content["processors_shared"] else ""
    start, later = sum(content["missed_at_start"].values()), sum(content["missed"].values())
    old = sum(target["outdated"] for target in content["targets"])
    outdated = f"{old:,} value{' was' if old == 1 else 's were'} outdated"
    steps = f" A clock stepped {counted(content['clock_steps'], 'time')}." if content["clock_steps"] else ""
    if content["malformed"]:
        steps += f" {counted(content['malformed'], 'message')} of no node came."
    return (
        f"{content['system']} ran {how}{shared}: of {content['jobs']:,} jobs {start} missed their deadline "
        f"in the first second and {later} later; {outdated}.{steps}"
    )
