# SPDX-License-Identifier: Apache-2.0
"""Finds the commit that turned a metric red: `git bisect` with one cell of the campaign as its test.

Good and bad are tried first. Then a seed decides only if its two values differ. A commit whose runs are those
of another one, by their ids, isn't run. Else its value of each seed is compared with the midpoint of that
seed's good and bad values, and the mean of these says on which side the commit is; how many seeds agree is
kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from orchestrator import git
from orchestrator.durable import alone
from orchestrator.errors import StorageFailed, Unsupported
from orchestrator.execution.progress import NOBODY, Listener
from orchestrator.features.campaigns import checkouts, record, samples
from orchestrator.features.campaigns.bisection import steps, trial
from orchestrator.features.campaigns.bisection.state import Question, State, Trial
from orchestrator.features.campaigns.bisection.steps import BAD, GOOD, SKIP, Bisection, Step
from orchestrator.features.campaigns.judging.blame import OUTCOME, Red
from orchestrator.features.campaigns.written import Campaign, Part
from orchestrator.runs import identity
from orchestrator.runs.store import Store
from orchestrator.scenario.model import Scenario
from orchestrator.words import counted

_SURE = 0.75  # share of the seeds that must agree before a commit counts as surely decided
_DIGITS = 12


@dataclass(frozen=True)
class Decided:
    """A commit that git asked about: GOOD, BAD or SKIP, by how many of how many seeds; `why` decided it.

    Also after how many simulated runs it was decided.
    """

    commit: str
    verdict: str
    agree: int = 0
    of: int = 0
    made: int = 0
    why: str = ""

    @property
    def sure(self) -> bool:
        return self.agree >= _SURE * self.of


@dataclass(frozen=True)
class Found:
    """`first_bad`: the commit, "" if only commits that say nothing are left, which are `candidates`.

    `between`: how many commits there were to choose from; `made`: runs that this and earlier calls simulated.
    `seeds`: those that discriminate; `base`, `now`: means over them at both ends.
    """

    question: Question
    first_bad: str
    candidates: tuple[str, ...]
    subject: str
    files: tuple[str, ...]
    between: int
    decided: tuple[Decided, ...]
    seeds: tuple[int, ...]
    base: float
    now: float
    made: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Asked:
    """The command's question; `good` and `bad` are hashes, `notes` are for the reader.

    `expected`: by how much the verdict says that the metric changed, 0 if nothing says it.
    """

    campaign: Campaign
    part: Part
    red: Red
    seeds: tuple[int, ...]
    repository: Path
    good: str
    bad: str
    expected: float = 0.0
    notes: tuple[str, ...] = field(default=())


def bisect(asked: Asked, store: Path, listener: Listener = NOBODY) -> Found:
    """Find the first bad commit.

    A call after a kill goes on. Raises Unsupported where the two ends don't show it, and every class of
    errors.py.
    """
    top = asked.repository
    own = trial.is_own(top)
    scenario = _one_cell(asked)
    paths = checkouts.OWN if own else trial.moved(scenario, top, top)[1]
    if not paths:
        raise Unsupported(
            f"nothing of {asked.red.place} is made of what {top} has: neither its application nor its "
            "Contiki-NG tree lies there, and it is not orchestrate's\n"
            "    name the checkout that changed with --repository"
        )
    question = Question(
        asked.campaign.name,
        str(top),
        asked.good,
        asked.bad,
        asked.red,
        identity.digest(scenario.cells[0]),
        asked.seeds,
        paths,
    )
    state = State(Path(store), question)
    state.folder.mkdir(parents=True, exist_ok=True)
    with alone(
        state.folder, lambda: listener.say("another process is at the same bisection; waiting for it")
    ):
        state = State(Path(store), question)
        place = state.folder / "checkout" / top.name  # an application at the top has its folder's name
        with steps.worktree(top, place, asked.bad) as search:
            return _Search(asked, Path(store), state, search, scenario, own, listener).found()


def _one_cell(asked: Asked) -> Scenario:
    """Return the scenario with one cell as a separate experiment, which leaves the night's unchanged."""
    cells = tuple(cell for cell in asked.part.scenario.cells if cell.name == asked.red.cell)
    name = f"{asked.campaign.name}-bisect"
    return replace(asked.part.scenario, experiment=name, cells=cells, seeds=asked.seeds)


class _Search:
    """One call's search."""

    def __init__(
        self,
        asked: Asked,
        store: Path,
        state: State,
        search: Bisection,
        scenario: Scenario,
        own: bool,
        listener: Listener,
    ):
        self.asked, self.store, self.state, self.search = asked, store, state, search
        self.scenario, self.own, self.told = scenario, own, listener
        self.notes = list(asked.notes)
        self._known: dict[str, float] | None = None

    def found(self) -> Found:
        asked, paths = self.asked, self.state.question.paths
        ends = [self._trial(commit) for commit in (asked.good, asked.bad)]
        good, bad = ends
        for name, end in (("good", good), ("bad", bad)):
            if end.skipped:
                raise Unsupported(
                    f"the {name} commit {end.commit[:_DIGITS]} can't be tried: {end.skipped}\n"
                    f"    name another one with --{name}"
                )
        seeds = self._discriminating(good, bad)
        step = self.search.start(asked.good, asked.bad, paths)
        decided: list[Decided] = []
        while step.commit:
            end = self._decided(self._trial(step.commit), good, bad, seeds)
            decided.append(end)
            self.told.say(
                f"{end.commit[:_DIGITS]} {git.subject(asked.repository, end.commit)}: {in_words(end)}"
            )
            step = self.search.mark(end.verdict)
        return self._result(step, decided, good, bad, seeds)

    def _result(
        self, step: Step, decided: Sequence[Decided], good: Trial, bad: Trial, seeds: tuple[int, ...]
    ) -> Found:
        top, first = self.asked.repository, step.first_bad
        between = git.git(
            top, "rev-list", "--count", f"{good.commit}..{bad.commit}", "--", *self.state.question.paths
        )
        tried = [good, bad, *(self.state.trials[decision.commit] for decision in decided)]
        return Found(
            self.state.question,
            first,
            step.candidates,
            git.subject(top, first) if first else "",
            git.files(top, first) if first else (),
            int(between.stdout.strip() or 0),
            tuple(decided),
            seeds,
            _mean(good.values[seed] for seed in seeds),
            _mean(bad.values[seed] for seed in seeds),
            sum(trial.made for trial in {trial.commit: trial for trial in tried}.values()),
            tuple(self.notes),
        )

    def _discriminating(self, good: Trial, bad: Trial) -> tuple[int, ...]:
        """Return the seeds whose values differ at the two ends.

        Raises Unsupported if there is no change to find.
        """
        both = [seed for seed in self.asked.seeds if seed in good.values and seed in bad.values]
        seeds = tuple(seed for seed in both if good.values[seed] != bad.values[seed])
        change = _mean(bad.values[seed] - good.values[seed] for seed in seeds)
        where = f"{self.asked.red.metric} of {self.asked.red.place}"
        if not change:
            raise Unsupported(
                f"{where} is the same at the good and the bad commit, with {counted(len(both), 'seed')}: "
                f"what turned it is not in {self.asked.repository}\n"
                "    `orchestrate campaign blame FILE` says what else changed"
            )
        if self.asked.expected * change < 0:
            raise Unsupported(
                f"{where} changed by {change:+.4g} from the good commit to the bad one, and the verdict "
                f"found {self.asked.expected:+.4g}: what turned it is not in {self.asked.repository}\n"
                "    `orchestrate campaign blame FILE` says what else changed"
            )
        return seeds

    def _decided(self, trial: Trial, good: Trial, bad: Trial, seeds: tuple[int, ...]) -> Decided:
        if trial.skipped:
            return Decided(trial.commit, SKIP, made=trial.made, why=trial.skipped)
        for verdict, end in ((GOOD, good), (BAD, bad)):
            if all(trial.run_ids.get(seed) == end.run_ids.get(seed) for seed in seeds):
                why = f"its runs are those of the {verdict} commit, byte for byte"
                return Decided(trial.commit, verdict, len(seeds), len(seeds), trial.made, why)
        verdict, agree, of = side(trial.values, good.values, bad.values, seeds)
        why = f"{agree} of {counted(of, 'seed')}" if of else "no seed that discriminates has a value"
        return Decided(trial.commit, verdict, agree, of, trial.made, why)

    def _trial(self, commit: str) -> Trial:
        """Return the result of a commit, from now or from an earlier call."""
        if (earlier := self.state.trials.get(commit)) is not None:
            return earlier
        if git.commit(self.search.folder) != commit:
            self.search.show(commit)
        self.told.stage(f"trying {commit[:_DIGITS]}")
        asked = self.asked
        if self.own:
            new_trial = trial.of_own(
                self._file(), self.state.folder / "store", commit, asked.red, self.search.folder, self.told
            )
        else:
            scenario, _ = trial.moved(self.scenario, asked.repository, self.search.folder)
            new_trial = trial.of_users(scenario, self.store, commit, asked.red, self._value, self.told)
        self.state.add(new_trial)
        return new_trial

    def _file(self) -> Mapping[str, Any]:
        """Return a campaign of the one cell, for another version of orchestrate."""
        part, red = self.asked.part, self.asked.red
        kind, _, name = part.named.partition(" ")
        if kind == "paper" and name:
            content: dict[str, Any] = {"paper": name}
        else:
            content = {"scenario": str((self.asked.campaign.path.parent / part.named).resolve())}
        changed = {path: yaml.safe_load(text) for path, text in part.overrides.items() if path != "cells"}
        content |= {"experiment": red.experiment, "seeds": list(self.asked.seeds)}
        content |= {"cells": [red.cell]} if red.cell else {}
        return {"campaign": "bisect", "parts": [content | ({"set": changed} if changed else {})]}

    def _value(self, run_id: str) -> float | None:
        """Return a run's value if the store has it, from a trial, a night or a baseline."""
        for earlier in self.state.trials.values():
            for seed, stored_id in earlier.run_ids.items():
                if stored_id == run_id and seed in earlier.values:
                    return earlier.values[seed]
        if self.asked.red.metric == OUTCOME:
            places = (self.asked.red.experiment, self.scenario.experiment)
            values = [trial.measured(self.store, place, {run_id}, self.asked.red) for place in places]
            return next((value[run_id] for value in values if value), None)
        if self._known is None:
            self._known = _metrics(self.store, self.asked, self.scenario.experiment)
        return self._known.get(run_id)


def side(
    values: Mapping[int, float],
    good: Mapping[int, float],
    bad: Mapping[int, float],
    seeds: Sequence[int],
) -> tuple[str, int, int]:
    """On which side of the midpoint a commit is, how many seeds say so, and of how many.

    Equally far from both, it is SKIP.
    """
    there = [seed for seed in seeds if seed in values]
    up = _mean(bad[seed] - good[seed] for seed in there) > 0
    apart = [(values[seed] - (good[seed] + bad[seed]) / 2) * (1 if up else -1) for seed in there]
    mean = _mean(apart)
    if not mean:
        return SKIP, 0, len(there)
    agree = sum(interval * mean > 0 for interval in apart)
    return (BAD if mean > 0 else GOOD), agree, len(there)


def in_words(decision: Decided) -> str:
    """Return a decision, for messages."""
    return f"{decision.verdict}, {decision.why}" if decision.why else decision.verdict


def _metrics(store: Path, asked: Asked, own: str) -> dict[str, float]:
    """Return the metric of the runs of nights, baselines and earlier bisections by their ids."""
    red, metrics = asked.red, {}
    for experiment in (red.experiment, own):
        metrics |= trial.measured(store, experiment, set(Store(store).ids(experiment)), red)
    where = record.folder(store, asked.campaign.name)
    for path in [*where.glob(f"{samples.VERDICTS}/*/{samples.FILE}"), *where.glob("baselines/*.parquet")]:
        try:
            frame = samples.kept(path)
        except StorageFailed:
            continue  # its runs are made again
        if frame is not None:
            metrics |= trial.of_frame(frame, set(frame["run_id"]), red)
    return metrics


def _mean(values: Iterable[float]) -> float:
    values = list(values)
    return sum(values) / len(values) if values else 0.0
