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
from orchestrator.features.testbed.engine.listening import listener
from orchestrator.features.testbed.engine.unfinished import Record, is_run, read
from orchestrator.features.testbed.engine.watching import Watch, Watched
from orchestrator.features.testbed.gateways import AtGateway


@dataclass(frozen=True)
class Earlier:
    """A run that an earlier controller began. `missing`: sentences about what can't be fetched any more."""

    record: Record
    watch: Watch
    missing: tuple[str, ...] = ()


def watched_at(place: AtGateway, motes: Mapping[int, Mote], folder: Path) -> Watched:
    """Return one gateway of a run that listens to these motes."""
    return Watched(place, dict(motes), folder / place.gateway.name, listener(place))


def names(places: Mapping[str, AtGateway], key: str | None = None) -> list[str]:
    """Return the names of runs on gateways that have been asked, the newest last.

    `key`: only those of one job; None for all.
    """
    found = {run for place in places.values() for run in place.kept.runs if is_run(run, key)}
    return sorted(found, key=lambda run: run.rpartition("-")[2].zfill(20))


def find(lab: Lab, places: Mapping[str, AtGateway], key: str, folder: Path) -> Earlier | None:
    """Return the run of a job that goes on without a controller; None if there is none.

    Runs that never began are removed. Raises RunFailed if the run's controller is still alive.
    """
    for name in reversed(names(places, key)):
        found = earlier(lab, places, name, folder)
        if found is not None:
            if found.record.alive():
                raise RunFailed(
                    f"this run is under way: process {found.record.process.split()[1]} of this "
                    f"machine makes it ({name})\n"
                    "    wait for its end, or end that process and run the scenario again, which "
                    "goes on with it"
                )
            return found
        forget(places, name)
    return None


def earlier(lab: Lab, places: Mapping[str, AtGateway], name: str, folder: Path) -> Earlier | None:
    """Return a run by its name; None if it never began. Raises LabError if no gateway can tell."""
    record, pairs, failed = None, {}, None
    for place in places.values():
        if name not in place.kept.runs:
            continue
        try:
            kept = read(listener(place).kept(name))
        except LabError as error:
            failed = error
            continue
        if kept is not None and kept[0].epoch_us is not None and kept[0].lab == lab.name:
            record, pairs[place.gateway.name] = kept[0], kept[1]
    if record is None and failed is not None:
        raise failed  # it is not known whether there is a record
    if record is None:
        return None
    motes = {mote.name: mote for mote in lab.motes}
    missing, at = [], {}
    for number, mote, gateway, _ in record.parts:
        if mote not in motes or gateway not in places:
            missing.append(f"{mote} ({gateway}), mote {number} of the run, is no longer in the inventory.")
        else:
            at.setdefault(gateway, {})[number] = motes[mote]
    watch = Watch(name, {each: watched_at(places[each], of, folder) for each, of in sorted(at.items())})
    for gateway, service, number in record.services:
        if gateway in watch.gateways:
            watch.gateways[gateway].services[service] = number
    if record.services:
        missing.append("The controller of the event service was gone for a part of the run.")
    for each, watched in watch.gateways.items():
        if each not in pairs:
            missing.append(f"{each} has nothing of this run any more, or does not answer.")
        watched.listener.remember(_ours(pairs.get(each, []), record), record.same_clock)
    return Earlier(record, watch, tuple(missing))


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
