# SPDX-License-Identifier: Apache-2.0
"""The changes between the baseline's round and a red one, and the smallest set of cells that shows them.

It goes by the digests of plans and manifests.

This says what changed, never why a metric did; `orchestrate bisect` can show that. The sources that are
compared are those that the store keeps of both rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from orchestrator.errors import OrchestrateError
from orchestrator.execution import origin
from orchestrator.features.campaigns import record
from orchestrator.features.campaigns.durations import Durations
from orchestrator.features.campaigns.judging.cover import Shows, smallest
from orchestrator.features.campaigns.model import CellPlan, RoundRun
from orchestrator.features.campaigns.record import Round
from orchestrator.runs.identity import plain
from orchestrator.runs.manifest import Manifest
from orchestrator.runs.model import VERDICTS, Outcome
from orchestrator.runs.store import Store

# Of runs for which the firmware is to blame, crashes among them.
FAILURES = frozenset({*VERDICTS, Outcome.CRASH, Outcome.SANITIZER})
OUTCOME = "outcome"  # in place of a metric's name: runs failed
BUILD = "how it is built"
MODULES, APPLICATIONS = "middleware/", "apps/"


class What(StrEnum):
    """Kinds of things that a round is made of."""

    MODULE = "middleware module"
    APPLICATION = "application"
    CONTIKI = "embedded Contiki"  # sources that are neither
    FIRMWARE = "firmware"
    ENGINE = "engine"
    SCENARIO = "scenario"
    CSC = ".csc"
    TOOL = "orchestrate"
    REPOSITORY = "repository"  # of orchestrate, of an application or of Contiki-NG


@dataclass(frozen=True)
class Red:
    """Something that is red: a metric of a cell, or OUTCOME. `key`: which of the metric's numbers."""

    experiment: str
    cell: str
    metric: str
    key: str = "total"

    @property
    def place(self) -> str:
        return f"{self.experiment}/{self.cell}"


@dataclass(frozen=True)
class Change:
    """One difference from the baseline.

    `name`: of the module, mote type, engine; `how`: then and now, in words; `files`: those that differ;
    `cells`: EXPERIMENT/CELL of the round that it is in.
    """

    what: What
    name: str
    how: str
    files: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()


@dataclass(frozen=True)
class Blame:
    """The changes from the round `base` to a red `round` (ids).

    `shows`: the cells that show all that is red. `unchanged`: red cells in which nothing changed that
    determines a run; `before`: those that failed in the baseline's round as well. `notes`: what could not be
    told.
    """

    campaign: str
    base: str
    round: str
    red: tuple[Red, ...]
    changes: tuple[Change, ...]
    shows: tuple[Shows, ...]
    unchanged: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def failed(round_: Round) -> list[Red]:
    """Return the cells of a round in which runs failed."""
    places = dict.fromkeys((run.experiment, run.cell) for run in round_.runs() if run.outcome in FAILURES)
    return [Red(*place, OUTCOME) for place in places]


def blame(store: Path, base: Round, now: Round, red: Sequence[Red]) -> Blame:
    """Compare the two rounds. Raises StorageFailed for rounds that can't be read."""
    compared = _Compared(Store(store), base, now)
    changes = compared.changes()
    red = tuple(dict.fromkeys(red))
    of: dict[str, list[int]] = {}
    for number, change in enumerate(changes):
        for place in change.cells:
            of.setdefault(place, []).append(number)
    unchanged = {place.place for place in red if place.place in compared.same}
    covers: dict[str, set[tuple]] = {}
    for failure in red:  # a metric is shown once for each set of changes that it is red with
        covers.setdefault(failure.place, set()).add(
            (failure.metric, failure.key, tuple(of.get(failure.place, ())))
        )
    seconds = _seconds(record.readable(store, now.plan.campaign)[0], now, covers)
    return Blame(
        now.plan.campaign,
        base.id,
        now.id,
        red,
        tuple(changes),
        tuple(smallest(covers, seconds)),
        tuple(sorted(unchanged)),
        tuple(place.place for place in failed(base) if place in red),
        tuple(compared.notes),
    )


def _cells(round_: Round) -> dict[str, CellPlan]:
    return {"/".join(place): cell for place, cell in round_.plan.cells.items()}


def _seconds(rounds: Sequence[Round], now: Round, covers: Mapping[str, Any]) -> dict[str, float]:
    """Return the time to simulate a cell with all its seeds, from earlier runs.

    Cells without any count as slow as the slowest of the others.
    """
    durations = Durations(rounds)
    took = {}
    for place, cell in _cells(now).items():
        if place in covers and (seconds := durations.known_s(place.partition("/")[0], cell.cell)) is not None:
            took[place] = seconds * len(cell.seeds)
    slowest = max(took.values(), default=0.0)
    return {place: took.get(place, slowest) for place in covers}


class _Compared:
    """The cells of two rounds side by side."""

    def __init__(self, store: Store, base: Round, now: Round):
        self._store, self._base, self._now = store, base, now
        self._before, self._after = _cells(base), _cells(now)
        self.both = [place for place in self._after if place in self._before]
        self.same = {
            place for place in self.both if self._before[place].made_of == self._after[place].made_of
        }
        self.notes: list[str] = []
        self._runs: tuple[dict, dict] | None = None

    def changes(self) -> list[Change]:
        """All changes, those nearest to the motes first."""
        changes_found = [*self._firmware(), *self._engine(), *self._scenario(), *self._csc(), *self._tool()]
        order = list(What)
        return sorted(_merged(changes_found), key=lambda change: (order.index(change.what), change.name))

    def _grouped(self, key: Callable[[CellPlan], Any]) -> Iterator[tuple[Any, list[str]]]:
        """Yield what differs in cells that both have, by the pair (then, now), with these cells."""
        groups: dict[Any, list[str]] = {}
        for place in self.both:
            then, now = key(self._before[place]), key(self._after[place])
            if then != now:
                groups.setdefault((then, now), []).append(place)
        yield from groups.items()

    def _firmware(self) -> Iterator[Change]:
        for (then, now), places in self._grouped(lambda cell: tuple(sorted(cell.firmware.items()))):
            types = dict(then).keys() | dict(now).keys()
            for name in sorted(kind for kind in types if dict(then).get(kind) != dict(now).get(kind)):
                difference = f"{_short(dict(then).get(name))} to {_short(dict(now).get(name))}"
                yield Change(What.FIRMWARE, name, difference, (), tuple(places))
            yield from self._made_of(places)

    def _made_of(self, places: list[str]) -> Iterator[Change]:
        """Yield the differences in the firmware of these cells: sources, or how it was built."""
        pair = self._pair(places)
        if pair is None:
            self.notes.append(
                f"what the firmware of {_named(places)} was made of can't be compared: the store has lost "
                "the runs of one of the two rounds"
            )
            return
        (then_folder, then), (now_folder, now) = pair
        files: tuple[str, ...] = ()
        try:
            before, other = origin.kept_sources(then_folder), origin.kept_sources(now_folder)
        except OrchestrateError as error:
            before = other = None
            self.notes.append(f"sources can't be compared: {str(error).splitlines()[0]}")
        if before is None or other is None:
            self.notes.append(f"the sources of {_named(places)} are no longer in the store")
        else:
            files = origin.changed_files(before, other)
        for (what, name), theirs in _sorted_out(files).items():
            yield Change(what, name, "", tuple(theirs), tuple(places))
        built = [
            f"{name}: {_short(was) or 'none'} to {_short(is_) or 'none'}"
            for name, was, is_ in _differing(plain(then.built), plain(now.built))
            if name not in ("description", "engine_image")
        ]
        if built:
            yield Change(What.FIRMWARE, BUILD, "; ".join(built), (), tuple(places))
        if not built and not files and before is not None and other is not None:
            self.notes.append(
                f"the firmware of {_named(places)} is another although its sources and options are the same: "
                "the compiler, its headers, or how orchestrate calls it changed"
            )

    def _engine(self) -> Iterator[Change]:
        for (then, now), places in self._grouped(lambda cell: cell.engine):
            versions = ", ".join(
                f"{name} {was} to {is_}" for name, was, is_ in _differing(vars(then), vars(now)) if was != is_
            )
            yield Change(What.ENGINE, now.name, versions, (), tuple(places))

    def _scenario(self) -> Iterator[Change]:
        groups: dict[str, list[str]] = {}
        for place in self.both:
            if self._before[place].digest == self._after[place].digest:
                continue
            pair = self._pair([place])
            difference = "its settings"
            if pair is not None:
                (_, then), (_, now) = pair
                apart = list(_differing(_flat(plain(then.parameters)), _flat(plain(now.parameters))))
                difference = "; ".join(f"{name} {was} to {is_}" for name, was, is_ in apart) or difference
            groups.setdefault(difference, []).append(place)
        for difference, places in groups.items():
            yield Change(What.SCENARIO, "settings", difference, (), tuple(places))
        for name, here, there in (("new", self._after, self._before), ("gone", self._before, self._after)):
            if places := [place for place in here if place not in there]:
                yield Change(What.SCENARIO, f"cells that are {name}", "", (), tuple(places))
        seeds = [
            place for place in self.both if not {*self._after[place].seeds} & {*self._before[place].seeds}
        ]
        if seeds:
            self.notes.append(f"{_named(seeds)}: no seed is in both rounds")

    def _csc(self) -> Iterator[Change]:
        """Cells whose runs differ although firmware, engine and settings are the same."""
        places = [
            place
            for place in self.both
            if place not in self.same and _identity(self._before[place]) == _identity(self._after[place])
        ]
        groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        for place in places:
            how, files = "orchestrate writes it otherwise, or an EEPROM image in it is another", ()
            if (pair := self._pair([place])) is not None:
                (then_folder, then), (now_folder, now) = pair
                if then.built.description != now.built.description:
                    how = "application.yaml is another, of which EEPROM images are made"
                try:
                    before, other = origin.kept_sources(then_folder), origin.kept_sources(now_folder)
                except OrchestrateError:
                    before = other = None
                if before is not None and other is not None and before.digest != other.digest:
                    files = origin.changed_files(before, other)
                    how = "it names other sources, of which the same firmware was made"
            groups.setdefault((how, files), []).append(place)
        for (how, files), theirs in groups.items():
            yield Change(What.CSC, "simulation", how, files, tuple(theirs))

    def _tool(self) -> Iterator[Change]:
        then, now = self._base.plan, self._now.plan
        before = {checkout.what: checkout for checkout in then.checkouts}
        places = tuple(self._after)
        if then.version != now.version:
            yield Change(What.TOOL, "version", f"{then.version} to {now.version}", (), places)
        for checkout in now.checkouts:
            was = before.get(checkout.what)
            if was is not None and (was.commit, was.changed) != (checkout.commit, checkout.changed):
                commits = f"{_commit(was)} to {_commit(checkout)}"
                yield Change(What.REPOSITORY, checkout.what, commits, (), places)
        if then.host != now.host:
            self.notes.append(f"the rounds were made on different machines: {then.host}, {now.host}")

    def _pair(self, places: Sequence[str]) -> tuple[tuple[Path, Manifest], tuple[Path, Manifest]] | None:
        """Return a run of one of these cells in each round, with its folder."""
        if self._runs is None:
            self._runs = tuple(_by_place(round_) for round_ in (self._base, self._now))
        for place in places:
            first_runs = [self._first(runs.get(place, ())) for runs in self._runs]
            if None not in first_runs:
                return first_runs[0], first_runs[1]
        return None

    def _first(self, runs: Sequence[RoundRun]) -> tuple[Path, Manifest] | None:
        for run in runs:
            try:
                manifest = self._store.manifest(run.experiment, run.run_id)
            except OrchestrateError:
                continue
            return self._store.folder(run.experiment, run.run_id), manifest
        return None


def _by_place(round_: Round) -> dict[str, list[RoundRun]]:
    runs_by_place: dict[str, list[RoundRun]] = {}
    for run in round_.runs():
        runs_by_place.setdefault(f"{run.experiment}/{run.cell}", []).append(run)
    return runs_by_place


def _merged(changes: Sequence[Change]) -> list[Change]:
    """Return a change of several cells once, and a mote type's firmware once for all its variants."""
    groups: dict[tuple, list[Change]] = {}
    for change in changes:
        built = change.what is What.FIRMWARE and change.name != BUILD
        groups.setdefault((change.what, change.name, change.files, "" if built else change.how), []).append(
            change
        )
    merged = []
    for same in groups.values():
        how = {change.how: None for change in same}
        how_changed = next(iter(how)) if len(how) == 1 else f"{len(how)} variants, each of another digest"
        cells = dict.fromkeys(place for change in same for place in change.cells)
        merged.append(replace(same[0], how=how_changed, cells=tuple(cells)))
    return merged


def _identity(cell: CellPlan) -> tuple:
    return cell.digest, tuple(sorted(cell.firmware.items())), cell.engine


def _sorted_out(files: Sequence[str]) -> dict[tuple[What, str], list[str]]:
    """Files by the middleware's module or application they belong to."""
    groups: dict[tuple[What, str], list[str]] = {}
    for path in files:
        first, _, rest = path.partition("/")
        name = rest.partition("/")[0]
        if f"{first}/" == MODULES and "/" in rest:
            of = What.MODULE, name
        elif f"{first}/" == APPLICATIONS:
            of = What.APPLICATION, name
        else:
            of = What.CONTIKI, "sources"
        groups.setdefault(of, []).append(path)
    return groups


def _differing(before: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    for name in dict.fromkeys([*before, *other]):
        if before.get(name) != other.get(name):
            yield name, before.get(name), other.get(name)


def _flat(given: Any, path: str = "") -> dict[str, Any]:
    """Nested mappings as one, by dotted path."""
    if not isinstance(given, Mapping):
        return {path: given}
    flat: dict[str, Any] = {}
    for name, value in given.items():
        flat |= _flat(value, f"{path}.{name}" if path else name)
    return flat


def _short(digest: str | None) -> str:
    return "none" if digest is None else digest[:12]


def _commit(commit: Any) -> str:
    return (commit.described or commit.commit[:12]) + (" with changes" if commit.changed else "")


def _named(places: Sequence[str]) -> str:
    return places[0] if len(places) == 1 else f"{places[0]} and {len(places) - 1} more"
