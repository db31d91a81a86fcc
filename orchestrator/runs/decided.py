# SPDX-License-Identifier: Apache-2.0
"""Remembers how the runs of an experiment ended, so that not every manifest is read again.

EXPERIMENT/.outcomes.json has an outcome for each manifest as it was (inode, time of change, size). A manifest
that has changed since, or is not listed, is read: the manifest always decides, and the file can be removed at
any time.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

from orchestrator.durable import rewrite
from orchestrator.errors import StorageFailed
from orchestrator.runs.manifest import FILE
from orchestrator.runs.model import Outcome

NAME = ".outcomes.json"
FORMAT = 1
_WORTH = 50  # the file is written again once so many manifests were read anew


def outcomes(folder: Path, read: Callable[[str], Outcome]) -> dict[str, Outcome]:
    """Return the outcomes, by run id, of all runs in an experiment's folder whose manifests can be read.

    `read(run_id)` returns the outcome of a run whose manifest is not known yet, or raises StorageFailed.
    """
    earlier = _read(folder / NAME)
    by_run: dict[str, Outcome] = {}
    now: dict[str, list] = {}
    anew = 0
    for run_id, stamp in _stamps(folder / "runs"):
        record = earlier.get(run_id)
        if record is not None and record[0] == stamp:
            outcome = record[1]
        else:
            anew += 1
            try:
                outcome = read(run_id).value
            except StorageFailed:
                continue
        by_run[run_id] = Outcome(outcome)
        now[run_id] = [stamp, outcome]
    if anew >= _WORTH:
        _keep(folder / NAME, now)
    return by_run


def _stamps(runs: Path) -> list[tuple[str, str]]:
    """Return each run's id, with a text that changes when its manifest becomes another file."""
    if not runs.is_dir():
        return []
    stamps = []
    with os.scandir(runs) as entries:
        for entry in entries:
            try:
                status = os.stat(f"{entry.path}/{FILE}")
            except OSError:
                continue
            stamps.append((entry.name, f"{status.st_ino}-{status.st_ctime_ns}-{status.st_size}"))
    return stamps


def _read(path: Path) -> dict[str, list]:
    """Return the file's content by run id; empty if the file is missing or damaged."""
    try:
        data = json.loads(path.read_bytes())
        values = {outcome.value for outcome in Outcome}
        if data["format"] != FORMAT:
            return {}
        return {
            run_id: [stamp, outcome] for run_id, (stamp, outcome) in data["runs"].items() if outcome in values
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _keep(path: Path, runs: dict[str, list]) -> None:
    try:
        rewrite(path, json.dumps({"format": FORMAT, "runs": runs}).encode("ascii"))
    except OSError:
        pass  # a store that can't be written is as quickly read as before
