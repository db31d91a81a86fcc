# SPDX-License-Identifier: Apache-2.0
"""Which runs are an experiment's campaign: EXPERIMENT/campaign.json, and in EXPERIMENT/campaigns/ every one
that there was.

The store also keeps runs of other seeds and of earlier firmware. A campaign says, too, where what its
firmware was made of lies, so that its runs can be made again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from orchestrator.durable import write
from orchestrator.errors import StorageFailed

FORMAT = 1
FILE = "campaign.json"
SCENARIO = "scenario.yaml"  # beside it: the text of the campaign's scenario
HISTORY = "campaigns"


@dataclass(frozen=True)
class Campaign:
    """`applications`: folders of the user's own, by name. `contiki_ng`: the tree's folder. `runs`: ids in the
    plan's order.
    """

    experiment: str
    runs: tuple[str, ...]
    applications: Mapping[str, str] = field(default_factory=dict)
    contiki_ng: str | None = None


def read(folder: Path) -> Campaign | None:
    """The present campaign of an experiment's folder, None if it has none. Raises StorageFailed."""
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        return _parsed(json.loads(path.read_text(encoding="utf-8")), folder)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise StorageFailed(
            f"{path}: not a readable list of runs: {error}\n"
            "    run the scenario again; finished runs are kept"
        ) from error


def runs(folder: Path) -> tuple[str, ...] | None:
    """The ids of the present campaign's runs in the plan's order; None: all runs count. Raises
    StorageFailed."""
    campaign = read(folder)
    return None if campaign is None else campaign.runs


def readable(folder: Path) -> Campaign:
    """The same, or an empty one."""
    try:
        return read(folder) or Campaign(folder.name, ())
    except StorageFailed:
        return Campaign(folder.name, ())


def keep(folder: Path, campaign: Campaign, scenario: str, now: datetime | None = None) -> None:
    """Makes it the present one. It goes to the history with its time and scenario, unless it is the one that
    is the last there.

    Raises StorageFailed. Killed in between, the history is ahead by this one."""
    record = {
        "format": FORMAT,
        "experiment": campaign.experiment,
        "applications": dict(campaign.applications),
        "runs": list(campaign.runs),
    }
    record |= {} if campaign.contiki_ng is None else {"contiki_ng": campaign.contiki_ng}
    try:
        (folder / HISTORY).mkdir(exist_ok=True)
        last = max((folder / HISTORY).glob("*.json"), default=None)
        if last is None or not _same(last, record | {"scenario": scenario}):
            at = (now or datetime.now(UTC)).strftime("%Y-%m-%dT%H%M%S.%fZ")
            _replace(folder / HISTORY / f"{at}.json", _text(record | {"scenario": scenario}))
        _replace(folder / SCENARIO, scenario)
        _replace(folder / FILE, _text(record))
    except OSError as error:
        raise StorageFailed(
            f"{folder} can't be written: {error.strerror or error}\n"
            "    free space or choose another folder with --store, then run the same command again"
        ) from error


def history(folder: Path) -> list[tuple[datetime, Campaign, str]]:
    """Every campaign that there was: when it was first there, what it was, its scenario's text; the oldest
    first.

    What can't be read is left out."""
    found = []
    for path in sorted((folder / HISTORY).glob("*.json")):
        try:
            at = datetime.strptime(path.stem, "%Y-%m-%dT%H%M%S.%fZ").replace(tzinfo=UTC)
            data = json.loads(path.read_text(encoding="utf-8"))
            found.append((at, _parsed(data, folder), str(data["scenario"])))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
    return found


def _parsed(data: dict, folder: Path) -> Campaign:
    applications = {
        str(name): where
        for name, where in data.get("applications", {}).items()
        if isinstance(where, str) and Path(where).is_absolute()
    }
    tree = data.get("contiki_ng")
    return Campaign(
        str(data.get("experiment", folder.name)),
        tuple(str(run_id) for run_id in data["runs"]),
        applications,
        tree if isinstance(tree, str) and Path(tree).is_absolute() else None,
    )


def _same(path: Path, record: dict) -> bool:
    try:
        return json.loads(path.read_text(encoding="utf-8")) == record
    except ValueError:
        return False


def _text(record: dict) -> str:
    return json.dumps(record, indent=1) + "\n"


def _replace(path: Path, text: str) -> None:
    draft = path.with_name(f".tmp-{os.getpid()}-{path.name}")
    try:
        write(draft, text.encode())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
