# SPDX-License-Identifier: Apache-2.0
"""Rounds of campaigns as the store keeps them, in STORE/campaigns/NAME/rounds: the one reader and writer.

  000017.json           the plan of round 17: written once, whole, and never changed
  000017.1-of-2.jsonl   the journal of a shard (of 1-of-1 if there are no shards): a line per run it has
  000017.1-of-2.end     how the shard ended
  000017.results        its tables and reports are made
  000017.verdict        its verdict is given

A shard's file is written by that shard alone, so several machines can work on one round. Rounds are counted,
and their order is that of their numbers: a clock that is set back doesn't change it. A journal notes what a
round has seen; the run's manifest, not the journal, decides whether a run is done. So a line that a kill
tore is ignored, and its run is found in the store and noted again.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import IO

from orchestrator.durable import alone, rewrite, sweep, write
from orchestrator.errors import NoSuchThing, StorageFailed
from orchestrator.features.campaigns import journal, plan_file
from orchestrator.features.campaigns.model import (
    End,
    Left,
    Product,
    RoundPlan,
    RoundRun,
    RunKey,
    Shard,
    State,
    Why,
)
from orchestrator.features.campaigns.stored import read, storage, written
from orchestrator.runs.model import UNDECIDED
from orchestrator.runs.store import CAMPAIGNS
from orchestrator.words import did_you_mean

_PLAN = re.compile(r"([0-9]{6,})\.json")
ENDED = (State.COMPLETE, State.BUDGET, State.FAILED)  # states that no call goes on from by itself


@dataclass(frozen=True)
class Round:
    """A begun round: its plan, and the store's records of its progress."""

    folder: Path  # STORE/campaigns/NAME/rounds
    plan: RoundPlan

    @property
    def id(self) -> str:
        return self.plan.id

    @cached_property
    def ends(self) -> dict[Shard, End]:
        """The ends of its shards; shards that still run are missing."""
        ends_by_shard = {}
        for shard in self.shards:
            if (end := _end(self._file(shard, "end"), shard)) is not None:
                ends_by_shard[shard] = end
        return ends_by_shard

    @property
    def shards(self) -> list[Shard]:
        return [Shard(number, self.plan.shards) for number in range(1, self.plan.shards + 1)]

    @property
    def came(self) -> list[Shard]:
        """The shards that have begun."""
        return [shard for shard in self.shards if self._file(shard, "jsonl").exists()]

    def shard_state(self, shard: Shard) -> State:
        """Return the state of a shard; INCOMPLETE if it never began."""
        if self._busy(shard):
            return State.RUNNING
        if shard in self.ends:
            return self.ends[shard].state
        return State.INTERRUPTED if self._file(shard, "jsonl").exists() else State.INCOMPLETE

    @property
    def state(self) -> State:
        """The state of the round: that of its runs, unless one of their products is missing."""
        return State.RESULTS_MISSING if self.missing else self.runs_state

    @property
    def runs_state(self) -> State:
        """The state of its runs: complete if all shards are, otherwise that of the least complete shard."""
        states = {self.shard_state(shard) for shard in self.shards}
        order = (
            State.RUNNING,
            State.INTERRUPTED,
            State.INCOMPLETE,
            State.FAILED,
            State.BUDGET,
            State.COMPLETE,
        )
        return next(state for state in order if state in states)

    @property
    def over(self) -> bool:
        """Whether no call goes on with its runs: all shards have ended, whole or with their time."""
        return all(self.shard_state(shard) in ENDED for shard in self.shards)

    @property
    def missing(self) -> tuple[Product, ...]:
        """The products of its runs that are missing; none as long as runs are being made."""
        wanted = {product for end in self.ends.values() for product in end.wants}
        lacks = tuple(
            product for product in Product if product in wanted and not self._product(product).exists()
        )
        return lacks if lacks and self.over else ()

    def made(self, product: Product) -> None:
        """Note that something was made of all its runs. Raises StorageFailed."""
        path = self._product(product)
        with storage(path):
            rewrite(path, b"")

    @property
    def ended(self) -> datetime | None:
        """When its last shard ended, None before that."""
        return max(end.at for end in self.ends.values()) if self.over else None

    def runs(self) -> Iterator[RoundRun]:
        """Yield the runs that it has, as they ended; of a run that was tried again the last result."""
        for shard in self.shards:
            yield from self.runs_of(shard).values()

    def runs_of(self, shard: Shard) -> dict[RunKey, RoundRun]:
        """Those of one shard."""
        return journal.read(self._file(shard, "jsonl"))

    def left(self) -> Iterator[Left]:
        """Yield the planned runs that have no result, or none that says anything of the run, and why."""
        states = {shard: self.shard_state(shard) for shard in self.shards}
        for shard, state in states.items():
            there = self.runs_of(shard)
            why = {State.BUDGET: Why.BUDGET, State.INCOMPLETE: Why.SHARD}.get(state, Why.DRAINED)
            for key in self.plan.of_shard(shard):
                if key not in there:
                    quarantined = self.plan.why_left_out(key) is not None
                    yield Left(*key, Why.QUARANTINE if quarantined else why)
                elif there[key].outcome in UNDECIDED:
                    yield Left(*key, Why.MACHINE)

    @contextmanager
    def writing(self, shard: Shard) -> Iterator[journal.Journal]:
        """Provide the journal of a shard, for the one process that works on it.

        Raises BlockingIOError if another one does.
        """
        path = self._file(shard, "jsonl")
        with storage(path):
            stream = path.open("ab+")
        with stream:
            with storage(path):
                _lock(stream)
                for product in Product:  # what was made of the round is not of the runs that come now
                    self._product(product).unlink(missing_ok=True)
                self._file(shard, "end").unlink(missing_ok=True)
                self.__dict__.pop("ends", None)
                opened = journal.Journal(stream)
            yield opened
            with storage(path):
                os.fsync(stream.fileno())

    def end(self, end: End) -> None:
        """Note how a shard ended."""
        content = {"format": plan_file.FORMAT, **vars(end), "shard": str(end.shard), "at": written(end.at)}
        path = self._file(end.shard, "end")
        with storage(path):
            rewrite(path, (json.dumps(content) + "\n").encode("ascii"))
        self.__dict__.pop("ends", None)

    def _busy(self, shard: Shard) -> bool:
        """Whether a process works on a shard now."""
        try:
            with self._file(shard, "jsonl").open("rb") as stream:
                fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            pass  # it never came, or the file system has no locks
        return False

    def _product(self, product: Product) -> Path:
        return self.folder / f"{self.id}.{product}"

    def _file(self, shard: Shard, kind: str) -> Path:
        return self.folder / f"{self.id}.{shard.number}-of-{shard.of}.{kind}"


def folder(store: Path, name: str) -> Path:
    """Return the folder of a campaign."""
    return Path(store) / CAMPAIGNS / name


def names(store: Path) -> list[str]:
    """Return the campaigns of which the store has rounds."""
    folder = Path(store) / CAMPAIGNS
    return sorted(path.parent.name for path in folder.glob("*/rounds")) if folder.is_dir() else []


def known(store: Path, name: str) -> str:
    """Return the name, if the store has such a campaign. Raises NoSuchThing with those that it has."""
    there = names(store)
    if name not in there:
        raise NoSuchThing(f"no rounds of a campaign {name!r} in {store}; {did_you_mean(name, there)}")
    return name


def rounds(store: Path, name: str) -> list[Round]:
    """All rounds of a campaign, the first one first. Raises StorageFailed for one that can't be read."""
    readable_rounds, unreadable = readable(store, name)
    if unreadable:
        raise unreadable[0]
    return readable_rounds


def readable(store: Path, name: str, last: int | None = None) -> tuple[list[Round], list[StorageFailed]]:
    """Return the rounds (of all, or of the last so many) that can be read, and what is wrong with others."""
    where = folder(store, name) / "rounds"
    readable_rounds, unreadable = [], []
    for path in _plans(where)[-last if last else None :]:
        try:
            readable_rounds.append(Round(where, plan_file.plan(path)))
        except StorageFailed as error:
            unreadable.append(error)
    return readable_rounds, unreadable


def latest(store: Path, name: str) -> Round | None:
    """Return the last round, None if there is none. Raises StorageFailed if it can't be read."""
    where = folder(store, name) / "rounds"
    plans = _plans(where)
    return Round(where, plan_file.plan(plans[-1])) if plans else None


def next_number(store: Path, name: str) -> int:
    """Return the number for a new round: after all that there are, readable or not."""
    plans = _plans(folder(store, name) / "rounds")
    return int(plans[-1].stem) + 1 if plans else 1


def begin(store: Path, plan: RoundPlan) -> Round:
    """Make the plan a round.

    Raises FileExistsError if another process has begun one of this number, and StorageFailed.
    """
    where = folder(store, plan.campaign) / "rounds"
    path = where / f"{plan.id}.json"
    with storage(path):
        where.mkdir(parents=True, exist_ok=True)
        sweep(where)
        draft = where / f".tmp-{os.getpid()}-{path.name}"
        write(draft, plan_file.text(plan).encode("ascii"))
        try:
            os.link(draft, path)  # unlike a rename it replaces nothing
        except FileExistsError:
            raise
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS):
                raise
            os.rename(draft, path)  # a file system without links
        finally:
            draft.unlink(missing_ok=True)
    return Round(where, plan)


def named(store: Path, name: str, number: str | None = None) -> Round:
    """Return the round of that number, or the latest. Raises NoSuchThing and StorageFailed."""
    candidates = (
        rounds(store, known(store, name)) if number is not None else [latest(store, known(store, name))]
    )
    for round_ in candidates:
        if round_ is not None and (number is None or round_.id.lstrip("0") == number.lstrip("0")):
            return round_
    raise NoSuchThing(
        f"no round {number or ''} of {name} in {store}\n    `orchestrate campaign status FILE` lists them"
    )


@contextmanager
def planning(store: Path, name: str) -> Iterator[None]:
    """One process at a time decides whether a round goes on or a new one begins."""
    where = folder(store, name)
    with storage(where):
        where.mkdir(parents=True, exist_ok=True)
    with alone(where, lambda: None):
        yield


def _plans(where: Path) -> list[Path]:
    if not where.is_dir():
        return []
    return sorted(
        (path for path in where.iterdir() if _PLAN.fullmatch(path.name)), key=lambda path: int(path.stem)
    )


def _end(path: Path, shard: Shard) -> End | None:
    """How a shard ended; None if it has not, or what says so can't be read: the next call then goes on."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return End(
            shard,
            State(data["state"]),
            read(data["at"]),
            str(data["host"]),
            float(data["seconds"]),
            float(data["results_s"]),
            tuple(Product(product) for product in data.get("wants", ())),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _lock(stream: IO[bytes]) -> None:
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        pass  # a file system without locks
