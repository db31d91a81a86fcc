# SPDX-License-Identifier: Apache-2.0
"""The stored runs of an experiment that count: EXPERIMENT/campaign.json, with its history in campaigns/.

The store also keeps runs of other seeds and of earlier firmware. A run list also says where the sources of
its firmware are, so that its runs can be made again. The files are named campaign because
campaign files, which list scenarios and are another thing (docs/glossary.md), came later.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from orchestrator.durable import rewrite
from orchestrator.errors import AGAIN, StorageFailed, writing

FORMAT = 1
FILE = "campaign.json"
SCENARIO = "scenario.yaml"  # beside it: the text of its scenario
HISTORY = "campaigns"


@dataclass(frozen=True)
class RunList:
    """The runs that the last `orchestrate run` of an experiment planned.

    `runs`: their ids in the plan's order. `applications`: folders of the user's own applications, by name.
    `contiki_ng`: the folder of the Contiki-NG tree.
    """

    experiment: str
    runs: tuple[str, ...]
    applications: Mapping[str, str] = field(default_factory=dict)
    contiki_ng: str | None = None


def read(folder: Path) -> RunList | None:
    """Read the present run list of an experiment's folder; None if it has none. Raises StorageFailed."""
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
    """Return the ids of the present runs in the plan's order; None if all stored runs count.

    Raises StorageFailed.
    """
    found = read(folder)
    return None if found is None else found.runs


def readable(folder: Path) -> RunList:
    """Read the present run list; return an empty one if there is none or it can't be read."""
    try:
        return read(folder) or RunList(folder.name, ())
    except StorageFailed:
        return RunList(folder.name, ())


def keep(folder: Path, run_list: RunList, scenario: str, now: datetime | None = None) -> None:
    """Make `run_list` the present one, and add it to the history unless the newest entry there equals it.

    A process killed halfway leaves it in the history only. Raises StorageFailed.
    """
    record = {
        "format": FORMAT,
        "experiment": run_list.experiment,
        "applications": dict(run_list.applications),
        "runs": list(run_list.runs),
    }
    record |= {} if run_list.contiki_ng is None else {"contiki_ng": run_list.contiki_ng}
    with writing(folder, AGAIN):
        (folder / HISTORY).mkdir(exist_ok=True)
        last = max((folder / HISTORY).glob("*.json"), default=None)
        if last is None or not _same(last, record | {"scenario": scenario}):
            at = (now or datetime.now(UTC)).strftime("%Y-%m-%dT%H%M%S.%fZ")
            rewrite(folder / HISTORY / f"{at}.json", _text(record | {"scenario": scenario}).encode())
        rewrite(folder / SCENARIO, scenario.encode())
        rewrite(folder / FILE, _text(record).encode())


def history(folder: Path) -> list[tuple[datetime, RunList, str]]:
    """Return an experiment's run lists, oldest first, each with its time and its scenario's text.

    Entries that can't be read are left out.
    """
    run_lists = []
    for path in sorted((folder / HISTORY).glob("*.json")):
        try:
            at = datetime.strptime(path.stem, "%Y-%m-%dT%H%M%S.%fZ").replace(tzinfo=UTC)
            data = json.loads(path.read_text(encoding="utf-8"))
            run_lists.append((at, _parsed(data, folder), str(data["scenario"])))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
    return run_lists


def _parsed(data: dict, folder: Path) -> RunList:
    applications = {
        str(name): where
        for name, where in data.get("applications", {}).items()
        if isinstance(where, str) and Path(where).is_absolute()
    }
    tree = data.get("contiki_ng")
    return RunList(
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
