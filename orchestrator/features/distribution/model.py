# SPDX-License-Identifier: Apache-2.0
"""The model of a system that distributes data (section 3 of the paper). All times are whole microseconds."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Timing:
    """The scheduling parameters <P, D, R, E> of a task, in us.

    `release`: from the start of its period; it may lie beyond the period. `deadline`: from the release.
    """

    period: int
    release: int
    deadline: int
    execution: int


@dataclass(frozen=True)
class Source:
    """The producer of a data object, on a node."""

    name: str
    node: str
    object: str
    timing: Timing


@dataclass(frozen=True)
class Target:
    """A reader of a data object, on a node.

    It may read at any time in its data access window, from its release to its deadline.
    """

    name: str
    node: str
    object: str
    timing: Timing


@dataclass(frozen=True)
class Load:
    """A task that has nothing to do with the data, but takes processor time."""

    name: str
    node: str
    timing: Timing


@dataclass(frozen=True)
class Step:
    """A part of a distribution's path: a supplier, event channel, consumer, or processing component.

    `each_target`: whether it and the steps after it run once for each target. `printed`: its row in a table.
    """

    name: str
    node: str
    execution: int
    each_target: bool = False
    printed: Timing | None = None


@dataclass(frozen=True)
class Distribution:
    """The delivery of an object to some of its targets, by a path's steps and a network between nodes."""

    name: str
    object: str
    targets: tuple[str, ...]
    path: tuple[str, ...] = ()
    network: str = ""


@dataclass(frozen=True)
class System:
    """A whole system, with entries by name in the file's order. `lines`: the line of each entry, by name."""

    name: str
    nodes: tuple[str, ...]
    networks: dict[str, int]  # name -> delay of a transmission
    objects: dict[str, int]  # name -> validity
    sources: dict[str, Source]
    targets: dict[str, Target]
    steps: dict[str, Step] = field(default_factory=dict)
    distributions: dict[str, Distribution] = field(default_factory=dict)
    loads: dict[str, Load] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict, compare=False)

    def source_of(self, name: str) -> Source:
        """Return the one source of an object."""
        return next(source for source in self.sources.values() if source.object == name)

    def source(self, distribution: Distribution) -> Source:
        """Return the source of the object that is distributed."""
        return self.source_of(distribution.object)

    def readers(self, distribution: Distribution) -> list[Target]:
        """Return the targets of a distribution."""
        return [self.targets[name] for name in distribution.targets]
