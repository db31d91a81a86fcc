# SPDX-License-Identifier: Apache-2.0
"""How the runs of an experiment ended, without reading every manifest again: EXPERIMENT/.outcomes.json.

It holds an outcome for each manifest as it was (inode, time of change, size). A manifest that is another
file now, or not in it, is read; so what decides is always the manifest, and the file can be removed at any
time.
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
_WORTH = 50  # manifests read anew are worth writing the file again


def outcomes(folder: Path, read: Callable[[str], Outcome]) -> dict[str, Outcome]:
    """Run id -> outcome, of all runs in an experiment's folder whose manifest can be read; `read` gives that
    of a run whose manifest is not known yet, or raises StorageFailed.
    """
    known = _known(folder / NAME)
    found: dict[str, Outcome] = {}
    now: dict[str, list] = {}
    anew = 0
    for run_id, stamp in _stamps(folder / "runs"):
        kept = known.get(run_id)
        if kept is not None and kept[0] == stamp:
            outcome = kept[1]
        else:
            anew += 1
            try:
                outcome = read(run_id).value
            except StorageFailed:
                continue
        found[run_id] = Outcome(outcome)
        now[run_id] = [stamp, outcome]
    if anew >= _WORTH:
        _keep(folder / NAME, now)
    return found


def _stamps(runs: Path) -> list[tuple[str, str]]:
    """Each run with what tells whether its manifest is still the same file."""
    if not runs.is_dir():
        return []
    found = []
    with os.scandir(runs) as entries:
        for entry in entries:
            try:
                status = os.stat(f"{entry.path}/{FILE}")
            except OSError:
                continue
            found.append((entry.name, f"{status.st_ino}-{status.st_ctime_ns}-{status.st_size}"))
    return found


def _known(path: Path) -> dict[str, list]:
    """What the file says; nothing if it is not there or damaged."""
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
