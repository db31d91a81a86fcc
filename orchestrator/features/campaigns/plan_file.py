# SPDX-License-Identifier: Apache-2.0
"""The file format of a round's plan."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from orchestrator.errors import StorageFailed
from orchestrator.features.campaigns.model import CellPlan, Checkout, PartPlan, Quarantined, RoundPlan
from orchestrator.features.campaigns.stored import read, written
from orchestrator.runs.from_plain import from_plain
from orchestrator.runs.identity import plain
from orchestrator.runs.spec import EngineUsed

FORMAT = 1


def text(plan: RoundPlan) -> str:
    """Return the file's content."""
    content = {
        "format": FORMAT,
        "campaign": plan.campaign,
        "number": plan.number,
        "at": written(plan.at),
        "version": plan.version,
        "host": plan.host,
        "shards": plan.shards,
        "fresh": list(plan.fresh),
        "notes": list(plan.notes),
        "quarantine": [plain(entry) for entry in plan.quarantine],
        "checkouts": [plain(checkout) for checkout in plan.checkouts],
        "file_sha256": plan.file_sha256,
        "file": plan.file,
        "parts": [plain(part) for part in plan.parts],
    }
    return json.dumps(content, indent=1, ensure_ascii=True) + "\n"


def plan(path: Path) -> RoundPlan:
    """Return the plan in a file. Raises StorageFailed."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise ValueError(f"not a round of format {FORMAT}")
        data.pop("format")
        loaded = from_plain(
            RoundPlan,
            data,
            at=read(data["at"]),
            parts=tuple(_part(part) for part in data["parts"]),
            fresh=_whole(data["fresh"]),
            notes=tuple(map(str, data["notes"])),
            checkouts=tuple(from_plain(Checkout, checkout) for checkout in data.get("checkouts", [])),
            quarantine=tuple(
                Quarantined(
                    str(entry["experiment"]),
                    entry["cell"],
                    entry["seed"],
                    str(entry["until"]),
                    str(entry["reason"]),
                )
                for entry in data["quarantine"]
            ),
        )
        if loaded.number != int(path.stem) or loaded.shards < 1:
            raise ValueError(f"it is round {loaded.number} over {loaded.shards} shards")
        return loaded
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StorageFailed(
            f"{path}: not a readable round: {error}\n"
            "    take it from a backup, or move it away; its runs are kept, and numbers stay"
        ) from error


def _part(data: Any) -> PartPlan:
    return from_plain(
        PartPlan,
        data,
        overrides={str(path): str(value) for path, value in data["overrides"].items()},
        cells=tuple(
            from_plain(
                CellPlan,
                cell,
                firmware={str(name): str(sha256) for name, sha256 in cell["firmware"].items()},
                engine=from_plain(EngineUsed, cell["engine"]),
                seeds=_whole(cell["seeds"]),
            )
            for cell in data["cells"]
        ),
    )


def _whole(given: Any) -> tuple[int, ...]:
    if not isinstance(given, list) or not all(type(number) is int for number in given):
        raise ValueError(f"not a list of whole numbers: {str(given)[:60]}")
    return tuple(given)
