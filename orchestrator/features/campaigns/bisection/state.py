# SPDX-License-Identifier: Apache-2.0
"""Keeps a bisection's question and the results of its commits: STORE/campaigns/NAME/bisect/KEY.

KEY is made of the question, so that the same call goes on with what a kill interrupted, and another one
begins anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.durable import rewrite
from orchestrator.errors import writing
from orchestrator.features.campaigns import record
from orchestrator.features.campaigns.judging.blame import Red
from orchestrator.runs.from_plain import from_plain
from orchestrator.runs.identity import digest, plain

FORMAT = 1
FILE = "state.json"


@dataclass(frozen=True)
class Question:
    """The question which commit of `repository` between `good` and `bad` (hashes) turned `red`.

    `cell`: the digest of the cell that is run; `paths`: only commits that change these are looked at.
    """

    campaign: str
    repository: str
    good: str
    bad: str
    red: Red
    cell: str
    seeds: tuple[int, ...]
    paths: tuple[str, ...]

    @property
    def key(self) -> str:
        return digest(plain(self))[:12]


@dataclass(frozen=True)
class Trial:
    """A tried commit and its result.

    `values`: by seed, of seeds that have one; `run_ids`: by seed; `made`: how many runs were simulated for
    it; `skipped`: why it says nothing, or "".
    """

    commit: str
    values: Mapping[int, float] = field(default_factory=dict)
    run_ids: Mapping[int, str] = field(default_factory=dict)
    made: int = 0
    skipped: str = ""


class State:
    """The trials of a question, kept as soon as they are made."""

    def __init__(self, store: Path, question: Question):
        self.question = question
        self.folder = record.folder(store, question.campaign) / "bisect" / question.key
        self.trials: dict[str, Trial] = {trial.commit: trial for trial in self._read()}

    def add(self, new_trial: Trial) -> None:
        """Add it and write the state. Raises StorageFailed."""
        self.trials[new_trial.commit] = new_trial
        content = {
            "format": FORMAT,
            "question": plain(self.question),
            "trials": [plain(trial) for trial in self.trials.values()],
        }
        path = self.folder / FILE
        with writing(path, "free space, then call it again: it goes on"):
            self.folder.mkdir(parents=True, exist_ok=True)
            rewrite(path, (json.dumps(content, indent=1) + "\n").encode("ascii"))

    def _read(self) -> list[Trial]:
        """Return the kept trials; none if there is no state, or one that can't be read.

        Their runs are in the store in any case.
        """
        try:
            content = json.loads((self.folder / FILE).read_text(encoding="utf-8"))
            if content["format"] != FORMAT:
                return []
            return [
                from_plain(
                    Trial,
                    trial,
                    values={int(seed): float(value) for seed, value in trial["values"].items()},
                    run_ids={int(seed): str(run) for seed, run in trial["run_ids"].items()},
                )
                for trial in content["trials"]
            ]
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return []
