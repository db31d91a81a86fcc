# SPDX-License-Identifier: Apache-2.0
"""Runs a search from its first trial to the confirmation of the best.

Its journal is in STORE/EXPERIMENT/search, so that the same call goes on after a kill, with the same trials as
without it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from orchestrator.durable import alone, write
from orchestrator.errors import StorageFailed, WrongUsage
from orchestrator.execution.progress import Listener
from orchestrator.features.search import judge
from orchestrator.features.search.judge import Confirmed
from orchestrator.features.search.measure import Measurer
from orchestrator.features.search.model import Search, Trial
from orchestrator.features.search.study import Study

FOLDER = "search"  # in the experiment's
WRITTEN = "search.json"
_GROWS = ("trials", "fresh", "candidates")  # settings that a later call may increase


@dataclass(frozen=True)
class Found:
    """The result of a search. `importance`: a mapping for each goal, from parameter paths to shares."""

    search: Search
    trials: tuple[Trial, ...]
    confirmed: tuple[Confirmed, ...]
    importance: tuple[dict[str, float], ...]

    @property
    def sentences(self) -> list[str]:
        """Report the result."""
        return judge.sentences(self.search, self.trials, self.confirmed)

    @property
    def winners(self) -> list[Confirmed]:
        """The result of a search, confirmed by fresh seeds."""
        return judge.winners(self.search, self.confirmed)


def run(search: Search, measurer: Measurer, listener: Listener) -> Found:
    """Try settings, then confirm the best with fresh seeds.

    Raises WrongUsage if another search has this name or runs now, and every class of errors.py.
    """
    folder = measurer.folder / FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with alone(folder):
            _the_same(folder / WRITTEN, search, measurer.engine(), listener)
            study = Study(folder, search)
            _try(search, study, measurer, listener)
            trials = tuple(study.trials())
            confirmed = tuple(_confirmed(search, trials, measurer, listener))
            importance = tuple(study.importance(goal) for goal in range(len(search.goals)))
    except BlockingIOError:
        raise WrongUsage(
            f"another process is searching in {folder}\n    wait for it, or give this search another --name"
        ) from None
    except OSError as error:
        raise StorageFailed(
            f"{folder} can't be written: {error.strerror or error}\n    free space, then run it again"
        ) from error
    return Found(search, trials, confirmed, importance)


def _the_same(path: Path, search: Search, engine: str, listener: Listener) -> None:
    """Raise WrongUsage if the folder holds another search; say if its trials were made by another engine."""
    mine = json.loads(json.dumps(asdict(search))) | {"engine": engine}
    if path.is_file():
        try:
            there = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            there = mine
        other = [
            name for name in mine if name not in _GROWS and name != "engine" and mine[name] != there.get(name)
        ]
        if other:
            raise WrongUsage(
                f"{path.parent} holds a search with other {', '.join(other)}\n"
                "    give this one another --name, or use the same options to go on with that"
            )
        if there.get("engine", engine) != engine:
            listener.say(
                f"the trials so far were made by the engine {there['engine']}, this one is {engine}; "
                "their values stay\n    --name begins a separate search"
            )
            mine["engine"] = there["engine"]
    write(path, (json.dumps(mine, indent=1) + "\n").encode())


def _try(search: Search, study: Study, measurer: Measurer, listener: Listener) -> None:
    """Ask, measure and tell, a batch at a time; a batch that was begun is finished first."""
    for trial in study.trials():
        if not trial.failed:
            measurer.knows(trial.settings)
    while True:
        rest = -study.asked % search.batch  # of a batch that was begun
        if rest == 0 and not study.waiting():
            rest = search.batch
        for _ in range(min(rest, search.trials - study.asked)):
            study.ask()
        batch = study.waiting()
        if not batch:
            return
        earlier = [
            trial
            for trial in study.trials()
            if trial.number < batch[0].number - batch[0].number % search.batch
        ]
        listener.stage("trials", batch[0].number, search.trials)
        for trial in _measured(search, batch, earlier, measurer):
            study.tell(trial)


def _measured(
    search: Search, batch: Sequence[Trial], earlier: Sequence[Trial], measurer: Measurer
) -> list[Trial]:
    """Measure a batch: all trials with their first seeds, those that are not hopeless with the rest."""
    tried = [replace(trial, failed=measurer.possible(trial.settings)) for trial in batch]
    tried = _with(search, tried, search.seeds[: search.first], measurer)
    if search.first < len(search.seeds):
        tried = [
            trial if trial.failed else replace(trial, stopped=judge.hopeless(search, trial, earlier))
            for trial in tried
        ]
        tried = _with(search, tried, search.seeds, measurer)
    return tried


def _with(search: Search, trials: Sequence[Trial], seeds: Sequence[int], measurer: Measurer) -> list[Trial]:
    asked = [(trial.settings, seeds) for trial in trials if not trial.failed and not trial.stopped]
    values_by_label = measurer.measure(asked, search.measures) if asked else {}
    results = []
    for trial in trials:
        if trial.failed or trial.stopped:
            results.append(trial)
            continue
        values = values_by_label.get(trial.label, {})
        lacking = [each.name for each in search.measures if not values.get(each.name)]
        failed = f"no run of it ended ok with a value of {', '.join(lacking)}" if lacking else ""
        results.append(replace(trial, values=values, failed=failed))
    return results


def _confirmed(
    search: Search, trials: Sequence[Trial], measurer: Measurer, listener: Listener
) -> list[Confirmed]:
    """Measure the candidates with fresh seeds."""
    candidates = judge.front(search, trials)
    if not candidates:
        return []
    listener.stage("confirming", 0, len(candidates))
    fresh = _with(search, [replace(candidate, values={}) for candidate in candidates], search.fresh, measurer)
    return [
        Confirmed(trial, again, not again.failed and judge.kept(search, again))
        for trial, again in zip(candidates, fresh, strict=True)
    ]
