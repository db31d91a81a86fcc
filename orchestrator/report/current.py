# SPDX-License-Identifier: Apache-2.0
"""Says whether an experiment's page is already the one that would be written, so that it needn't be.

A record beside the page has a digest of all that the page is made from: the states of tables and metrics, the
present run list, the manifests and logs of the runs, and the program itself.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

import orchestrator
from orchestrator.durable import rewrite
from orchestrator.runs import run_list as run_lists
from orchestrator.runs.manifest import LOG_FILE

PAGE, RECORD = "index.html", ".made-from.json"


def page(experiment: Path) -> Path | None:
    """Return the page if it is up to date, else None."""
    path = experiment / "report" / PAGE
    try:
        record = json.loads((experiment / "report" / RECORD).read_text(encoding="utf-8"))
        there = path.stat()
    except (OSError, ValueError):
        return None
    wanted = {"from": _made_from(experiment), "size": there.st_size, "modified_ns": there.st_mtime_ns}
    return path if record == wanted else None


def keep(experiment: Path) -> None:
    """Record what the page was made from that has just been written."""
    there = (experiment / "report" / PAGE).stat()
    record = {"from": _made_from(experiment), "size": there.st_size, "modified_ns": there.st_mtime_ns}
    rewrite(experiment / "report" / RECORD, (json.dumps(record) + "\n").encode())


def _made_from(experiment: Path) -> str:
    total = hashlib.sha256()
    for line in _parts(experiment):
        total.update(line.encode() + b"\n")
    return total.hexdigest()


def _parts(experiment: Path) -> Iterator[str]:
    for name in ("tables", "metrics"):
        yield os.path.realpath(experiment / name)
    code = Path(orchestrator.__file__).parent
    for file in sorted(code.rglob("*")):
        if file.suffix in (".py", ".html", ".css", ".js", ".yaml"):
            yield _told(file)
    for file in (run_lists.FILE, run_lists.SCENARIO):  # written anew by each call, mostly as they were
        content = (experiment / file).read_bytes() if (experiment / file).is_file() else b""
        yield f"{file} {hashlib.sha256(content).hexdigest()}"
    for kind in ("runs", "logs"):
        for folder in sorted((experiment / kind).glob("*")):
            yield from (_told(file) for file in (folder / "manifest.json", folder / LOG_FILE))


def _told(file: Path) -> str:
    try:
        there = file.stat()
    except OSError:
        return f"{file} is not there"
    return f"{file} {there.st_size} {there.st_mtime_ns}"
