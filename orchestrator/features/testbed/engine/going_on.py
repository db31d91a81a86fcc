# SPDX-License-Identifier: Apache-2.0
"""Finds runs whose controller has disappeared, as their gateways know them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from orchestrate_testbed.client import ClockPair
from orchestrate_testbed.errors import LabError
from orchestrate_testbed.model import Lab, Mote

from orchestrator.errors import RunFailed
from orchestrator.features.testbed.engine import collected_logs
from orchestrator.features.testbed.engine.listening import listener
from orchestrator.features.testbed.engine.unfinished import Record, is_run, read
from orchestrator.features.testbed.engine.watching import Watch, Watched
from orchestrator.features.testbed.gateways import AtGateway


class Doubtful(LabError):
    """Nobody can tell whether a run began."""


@dataclass(frozen=True)
class Earlier:
    """A run that an earlier controller began. `missing`: sentences about what can't be fetched any more."""

    record: Record
    watch: Watch
    missing: tuple[str, ...] = ()


def watched_at(place: AtGateway, motes: Mapping[int, Mote], folder: Path) -> Watched:
    """Return one gateway of a run that listens to these motes. `folder`: of the run's logs here."""
    return Watched(place, dict(motes), folder / place.gateway.name, listener(place))


def names(places: Mapping[str, AtGateway], key: str | None = None) -> list[str]:
    """Return the names of runs on gateways that have been asked, the newest last.

    `key`: only those of one job; None for all.
    """
    runs = {run for place in places.values() for run in place.kept.runs if is_run(run, key)}
    return sorted(runs, key=lambda run: run.rpartition("-")[2].zfill(20))


def find(lab: Lab, places: Mapping[str, AtGateway], key: str) -> Earlier | None:
    """Return the run of a job that goes on without a controller; None if there is none.

    Runs that never began are removed. Raises RunFailed if the run's controller is still alive, LabError if
    nobody can tell whether a run began.
    """
    for name in reversed(names(places, key)):
        run = earlier(lab, places, name, collected_logs.of_run(name))
        if run is not None:
            if run.record.alive():
                raise RunFailed(
                    f"this run is under way: process {run.record.process.split()[1]} of this "
                    f"machine makes it ({name})\n"
                    "    wait for its end, or end that process and run the scenario again, which "
                    "goes on with it"
                )
            return run
        forget(places, name)
    return None


def earlier(lab: Lab, places: Mapping[str, AtGateway], name: str, folder: Path) -> Earlier | None:
    """Return a run by its name; None if it never began. `folder`: what is here of its logs.

    Raises Doubtful if a gateway is silent or its record can't be read, LabError if it is another lab's.
    """
    records, doubts = _records(places, name, folder)
    began = [record for record, _ in records.values() if record.epoch_us is not None]
    if not began:
        taking_part = {gateway for record, _ in records.values() for _, _, gateway, _ in record.parts}
        doubts += [f"{each} is silent" for each in _silent(places) if not taking_part or each in taking_part]
        if doubts:
            raise Doubtful(
                f"{name}: nobody can tell whether this run began: {'; '.join(doubts)}\n"
                "    wait until all gateways answer, or `orchestrate testbed collect --remove` gives it up"
            )
        return None
    record = began[0]
    if record.lab != lab.name:
        raise LabError(
            f"{name} is a run of the lab {record.lab}, not of {lab.name}\n    collect it by that inventory"
        )
    motes = {mote.name: mote for mote in lab.motes}
    missing, at = [], {}
    for number, mote, gateway, _ in record.parts:
        if mote not in motes or gateway not in places:
            missing.append(f"{mote} ({gateway}), mote {number} of the run, is no longer in the inventory.")
        else:
            at.setdefault(gateway, {})[number] = motes[mote]
    watch = Watch(name, {each: watched_at(places[each], of, folder) for each, of in sorted(at.items())})
    watch.goes_on(record)
    for gateway, service, number in record.services:
        if gateway in watch.gateways:
            watch.gateways[gateway].services[service] = number
    if record.services:
        missing.append("The controller of the event service was gone for a part of the run.")
    silent = _silent(places)
    for each, watched in watch.gateways.items():
        watched.find()
        here = watched.folder / collected_logs.COMPLETE
        if each not in silent and name not in places[each].kept.runs and not here.exists():
            watched.emptied = True
            missing.append(f"{each} no longer has anything of this run.")
        pairs = records[each][1] if each in records else []
        watched.listener.remember(_ours(pairs, record), record.same_clock)
    return Earlier(record, watch, tuple(missing))


def _silent(places: Mapping[str, AtGateway]) -> list[str]:
    """Return the gateways that have not said what they keep."""
    return [name for name, place in places.items() if not place.kept.home]


def _records(
    places: Mapping[str, AtGateway], name: str, folder: Path
) -> tuple[dict[str, tuple[Record, list[ClockPair]]], list[str]]:
    """Return the records of a run by gateway, its own or the copy here, and why others are not known."""
    records, doubts = {}, []
    for each, place in places.items():
        text = ""
        if name in place.kept.runs:
            try:
                text = listener(place).kept(name)
            except LabError as error:
                doubts.append(str(error).split("\n")[0])
        record = read(text)
        if record is None and text:
            doubts.append(f"the record on {each} can't be read")
        record = record or read(collected_logs.noted(folder / each, collected_logs.RECORD))
        if record is not None:
            records[each] = record
    return records, doubts


def _ours(pairs: list[ClockPair], record: Record) -> list[ClockPair]:
    """Return comparisons of clocks converted to our monotonic clock."""
    shift = record.shift_us()
    return [
        replace(pair, asked_us=pair.asked_us + shift, answered_us=pair.answered_us + shift) for pair in pairs
    ]


def forget(places: Mapping[str, AtGateway], name: str) -> None:
    """Remove a run from the gateways that have it and answer."""
    Watch(
        name,
        {each: watched_at(place, {}, Path()) for each, place in places.items() if name in place.kept.runs},
    ).remove()
