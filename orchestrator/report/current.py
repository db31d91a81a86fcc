# SPDX-License-Identifier: Apache-2.0
"""Says whether an experiment's page is already the one that would be written, so that it needn't be.

A record beside the page has a digest of all that the page is made from: the states of tables and metrics with
their files, the present run list, the manifests and logs of the runs, the user's own metrics, and the program
itself. It also has the sentences about the logs that were printed when the page was made. If the digest is
the same, there is nothing to ingest, to compute or to write.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import orchestrator
from orchestrator.durable import rewrite
from orchestrator.runs import run_list as run_lists
from orchestrator.runs.manifest import LOG_FILE

PAGE, RECORD = "index.html", ".made-from.json"
_CODE = (".py", ".html", ".css", ".js", ".yaml")


@dataclass(frozen=True)
class Current:
    """A page that is up to date. `said`: sentences printed with it. `damaged`: runs that it leaves out."""

    page: Path
    said: tuple[str, ...]
    damaged: tuple[str, ...]


def find(experiment: Path, own: Sequence[str] = ()) -> Current | None:
    """Return the page if it is up to date, else None. `own`: digests of the user's own metrics."""
    found = experiment / "report" / PAGE
    try:
        record = json.loads((experiment / "report" / RECORD).read_text(encoding="utf-8"))
        there = found.stat()
        current = Current(found, tuple(record["said"]), tuple(record["damaged"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return current if record == _record(experiment, there, current, own) else None


def keep(
    experiment: Path, said: Sequence[str] = (), damaged: Sequence[str] = (), own: Sequence[str] = ()
) -> None:
    """Record what the page was made from that has just been written."""
    page = experiment / "report" / PAGE
    record = _record(experiment, page.stat(), Current(page, tuple(said), tuple(damaged)), own)
    rewrite(experiment / "report" / RECORD, (json.dumps(record) + "\n").encode())


def _record(experiment: Path, page: os.stat_result, of: Current, own: Sequence[str]) -> dict:
    total = hashlib.sha256()
    for line in (*_parts(experiment), *own):
        total.update(line.encode() + b"\n")
    return {
        "from": total.hexdigest(),
        "size": page.st_size,
        "modified_ns": page.st_mtime_ns,
        "said": list(of.said),
        "damaged": list(of.damaged),
    }


def _parts(experiment: Path) -> Iterator[str]:
    for name in ("tables", "metrics"):
        state = os.path.realpath(experiment / name)
        yield state
        for folder, _, files in sorted(os.walk(state)):
            yield from (_told(f"{folder}/{file}") for file in sorted(files))
    for code in (Path(orchestrator.__file__), Path(find_spec("orchestrate_spark").origin)):
        for folder, _, files in sorted(os.walk(code.parent)):
            yield from (_told(f"{folder}/{file}") for file in sorted(files) if file.endswith(_CODE))
    for file in (run_lists.FILE, run_lists.SCENARIO):  # written anew by each call, mostly as they were
        content = (experiment / file).read_bytes() if (experiment / file).is_file() else b""
        yield f"{file} {hashlib.sha256(content).hexdigest()}"
    for kind in ("runs", "logs"):
        for name in sorted(os.listdir(experiment / kind) if (experiment / kind).is_dir() else ()):
            for file in ("manifest.json", "source.json", LOG_FILE):
                yield _told(f"{experiment}/{kind}/{name}/{file}")


def _told(file: str) -> str:
    """Return a text that changes when the file is written again."""
    try:
        there = os.stat(file)
    except OSError:
        return f"{file} is not there"
    return f"{file} {there.st_ino} {there.st_size} {there.st_mtime_ns} {there.st_ctime_ns}"
