# SPDX-License-Identifier: Apache-2.0
"""Checks a system that could be read: the model's assumptions (section 4.1), 64 bits, and utilisation."""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm

from orchestrator.features.distribution.deadlines import MOST
from orchestrator.features.distribution.model import Distribution, System, Timing
from orchestrator.features.distribution.readings import Reading
from orchestrator.features.distribution.tasks import tasks
from orchestrator.features.distribution.utilisation import percent, utilisation
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.units import TIME, show
from orchestrator.words import counted, enumerated


def judge(system: System, faults: Faults) -> None:
    """Note everything that is wrong with a system whose file could be read."""
    before = len(faults)
    for timed in (*system.sources.values(), *system.targets.values(), *system.loads.values()):
        for wrong, remedy in timing_faults(timed.timing, f"{type(timed).__name__.lower()} {timed.name}"):
            faults.add(_at(system, timed.name), wrong, remedy)
    _one_source(system, faults)
    _delivered(system, faults)
    _paths(system, faults)
    if len(faults) == before:
        _superperiods(system, faults)
        _utilisation(system, faults)


def _at(system: System, name: str) -> int:
    return system.lines.get(name, 0)


def _time(value: int) -> str:
    return show(value, TIME)


def timing_faults(timing: Timing, what: str) -> Iterator[tuple[str, str]]:
    """Yield each fault of an entry's scheduling parameters, with its remedy."""
    if timing.deadline > timing.period:
        yield (
            f"{what}: its deadline of {_time(timing.deadline)} is longer than its period of "
            f"{_time(timing.period)}",
            "a deadline is counted from the release and is at most a period",
        )
    if timing.execution > timing.deadline:
        yield (
            f"{what}: it executes for {_time(timing.execution)}, longer than its deadline of "
            f"{_time(timing.deadline)}",
            "give it a later deadline, or a faster node",
        )


def _one_source(system: System, faults: Faults) -> None:
    """Each object has one source, whose period is shorter than the validity (assumptions 2 and 4)."""
    by_object: dict[str, list[str]] = {name: [] for name in system.objects}
    for source in system.sources.values():
        by_object[source.object].append(source.name)
        validity = system.objects[source.object]
        if source.timing.period >= validity:
            faults.add(
                _at(system, source.name),
                f"source {source.name}: its period of {_time(source.timing.period)} isn't shorter than the "
                f"validity of {source.object}, {_time(validity)}",
                "produce more often, or let the object be valid for longer; otherwise each value is outdated "
                "before the next one is there",
            )
    for name, sources in by_object.items():
        if not sources:
            faults.add(
                _at(system, name), f"object {name} has no source", f"add a source with `object: {name}`"
            )
        elif len(sources) > 1:
            faults.add(
                _at(system, sources[1]),
                f"object {name} has {counted(len(sources), 'source')}: {enumerated(sources)}",
                "keep one source, or make objects of their own",
            )


def _delivered(system: System, faults: Faults) -> None:
    """Each target gets its object, once."""
    by: dict[str, str] = {}
    for distribution in system.distributions.values():
        if not distribution.targets:
            faults.add(
                _at(system, distribution.name),
                f"distribution {distribution.name} has no targets",
                "add one that reads its object",
            )
        for name in distribution.targets:
            if system.targets[name].object != distribution.object:
                faults.add(
                    _at(system, distribution.name),
                    f"distribution {distribution.name} carries {distribution.object}, but {name} reads "
                    f"{system.targets[name].object}",
                    "leave the target out, or give it that object",
                )
            if name in by:
                faults.add(
                    _at(system, distribution.name),
                    f"{name} is a target of {by[name]} and of {distribution.name}",
                    "keep one",
                )
            by.setdefault(name, distribution.name)
    for target in system.targets.values():
        if target.name not in by:
            faults.add(
                _at(system, target.name),
                f"target {target.name} gets no data: no distribution carries {target.object} to it",
                f"add it to a distribution of {target.object}",
            )


def _paths(system: System, faults: Faults) -> None:
    """Check that steps belong to one object, and that paths sharing a step share all before it (a tree)."""
    before: dict[str, tuple[tuple[str, ...], Distribution]] = {}
    for distribution in system.distributions.values():
        for place, name in enumerate(distribution.path):
            earlier, other = before.setdefault(name, (distribution.path[:place], distribution))
            if other is distribution:
                continue
            if other.object != distribution.object:
                wrong = f"step {name} is in paths of {other.object} and of {distribution.object}"
                faults.add(_at(system, distribution.name), wrong, "give each object steps of its own")
            elif earlier != distribution.path[:place] or other.network != distribution.network:
                wrong = f"step {name} comes after other steps, or over another network, in {other.name}"
                faults.add(_at(system, distribution.name), wrong, "paths part once, and never meet again")
        if not distribution.network and (pair := _apart(system, distribution)):
            faults.add(
                _at(system, distribution.name),
                f"distribution {distribution.name} goes from {pair[0]} to {pair[1]}, but has no network",
                "add `network: NAME`",
            )
    for name in system.steps:
        if name not in before:
            faults.add(_at(system, name), f"step {name} is in no path", "add it to a distribution's `path:`")


def _apart(system: System, distribution: Distribution) -> tuple[str, str] | None:
    """Return the first two nodes between which a distribution needs a network."""
    path = [system.source_of(distribution.object).node] if _has_source(system, distribution.object) else []
    path += [system.steps[name].node for name in distribution.path]
    for target in distribution.targets:
        for here, there in zip(path, [*path[1:], system.targets[target].node]):
            if here != there:
                return here, there
    return None


def _has_source(system: System, name: str) -> bool:
    return any(source.object == name for source in system.sources.values())


def _superperiods(system: System, faults: Faults) -> None:
    for distribution in system.distributions.values():
        periods = {
            timed.name: timed.timing.period
            for timed in (system.source(distribution), *system.readers(distribution))
        }
        if lcm(*periods.values()) > MOST:
            longest = max(
                periods,
                key=lambda name: (
                    lcm(*periods.values())
                    // lcm(*(period for other, period in periods.items() if other != name))
                ),
            )
            faults.add(
                _at(system, longest),
                f"distribution {distribution.name}: the periods of its source and targets have no common "
                f"multiple below 2^63 us; without {longest} it is the smallest",
                "choose periods that are multiples of each other, or of a common time",
            )


def _utilisation(system: System, faults: Faults) -> None:
    """Fault a resource that has more to do than time; it is never schedulable, whatever the deadlines are."""
    nominal = {
        distribution.name: system.source(distribution).timing.period
        for distribution in system.distributions.values()
    }
    for resource, share in utilisation(tasks(system, Reading(), nominal)).items():
        if share > 1:
            faults.add(
                _at(system, resource),
                f"{resource} is used to {percent(share)}",
                "move tasks to another node, let them run less often, or take a faster one",
            )
