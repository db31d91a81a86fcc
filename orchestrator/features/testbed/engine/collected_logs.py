# SPDX-License-Identifier: Apache-2.0
"""The copies of runs' logs on this machine, until a run is removed from its gateways.

Each call of a scenario adds to the copy what its gateways have by now, so that a gateway which has lost its
logs, or is silent when they are merged, takes no line away that came before.
$XDG_STATE_HOME/orchestrate/testbed/RUN/GATEWAY/ has the segments (MOTE.NUMBER.log), the gateway's record of
the run (RECORD), and COMPLETE if everything that the gateway had is here.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from orchestrator import durable
from orchestrator.errors import writing

RECORD, COMPLETE = "record.json", "complete"
_SEGMENT = re.compile(r"(.+)\.(\d{1,6})\.log")


def of_run(run: str) -> Path:
    """Return the folder of a run's logs, which need not exist. `run`: its name on the gateways."""
    state = os.environ.get("XDG_STATE_HOME", "")
    base = Path(state) if os.path.isabs(state) else Path.home() / ".local" / "state"
    return base / "orchestrate" / "testbed" / run


def segments(folder: Path, names: Iterable[str]) -> dict[str, tuple[Path, ...]]:
    """Return the segments of these motes in the folder of a gateway, by mote, in their order."""
    found_segments: dict[str, list[tuple[int, Path]]] = {name: [] for name in names}
    if folder.is_dir():
        for path in folder.iterdir():
            match = _SEGMENT.fullmatch(path.name)
            if match and match[1] in found_segments:
                found_segments[match[1]].append((int(match[2]), path))
    return {name: tuple(path for _, path in sorted(of)) for name, of in found_segments.items() if of}


def note(folder: Path, name: str, text: str) -> None:
    """Write RECORD or COMPLETE into the folder of a gateway. Raises StorageFailed."""
    with writing(f"the logs of a testbed in {folder}", "free space there, or set XDG_STATE_HOME"):
        folder.mkdir(parents=True, exist_ok=True)
        durable.rewrite(folder / name, text.encode("utf-8"))


def noted(folder: Path, name: str) -> str:
    """Return what `note` wrote; "" if that is nothing."""
    try:
        return (folder / name).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def add(source: Path, folder: Path) -> None:
    """Copy the logs of a run from one folder into another; a longer file in it stays."""
    if not source.is_dir():
        return
    with writing(f"the logs of a testbed in {folder}", "free space there, or name another folder"):
        for path in source.glob("*/*"):
            beside = folder / path.relative_to(source)
            if not beside.exists() or beside.stat().st_size < path.stat().st_size:
                beside.parent.mkdir(parents=True, exist_ok=True)
                durable.rewrite(beside, path.read_bytes())


def remove(run: str) -> None:
    """Remove the copy of a run."""
    shutil.rmtree(of_run(run), ignore_errors=True)
