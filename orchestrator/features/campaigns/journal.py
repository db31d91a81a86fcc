# SPDX-License-Identifier: Apache-2.0
"""The journal of a shard: a line per run that it has, appended as runs end."""

from __future__ import annotations

import json
import os
from dataclasses import fields
from pathlib import Path
from typing import IO

from orchestrator.errors import StorageFailed
from orchestrator.features.campaigns.model import RoundRun, RunKey
from orchestrator.features.campaigns.stored import storage
from orchestrator.runs.model import Outcome

_FIELDS = tuple(field.name for field in fields(RoundRun))


class Journal:
    """Appends a round's runs, one line per run, each in one write."""

    def __init__(self, stream: IO[bytes]):
        self._stream = stream
        size = stream.seek(0, os.SEEK_END)
        if size:
            stream.seek(size - 1)
            if stream.read(1) != b"\n":  # a kill tore it, and it must not spoil the next line
                stream.write(b"\n")
                stream.flush()

    def add(self, run: RoundRun) -> None:
        """Append a run's end. Raises StorageFailed."""
        self.add_all([run])

    def add_all(self, runs: list[RoundRun]) -> None:
        """Several with one write. Raises StorageFailed."""
        lines = ({**vars(run), "outcome": run.outcome.value, "wall_s": round(run.wall_s, 3)} for run in runs)
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        with storage(Path(str(self._stream.name))):
            self._stream.write(text.encode("ascii"))
            self._stream.flush()


def read(path: Path) -> dict[RunKey, RoundRun]:
    """Return the runs of a journal, as they ended; of a run that was tried again the last result.

    Lines that are torn are passed over. Raises StorageFailed.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise StorageFailed(f"{path}: {error.strerror}\n    make it readable") from error
    runs: dict[RunKey, RoundRun] = {}
    for line in data.split(b"\n")[:-1]:
        run = _run(line)
        if run is not None:
            runs.pop(run.key, None)
            runs[run.key] = run
    return runs


def _run(line: bytes) -> RoundRun | None:
    """Return a line of a journal, None if it is none."""
    try:
        data = json.loads(line)
        values = {name: data[name] for name in _FIELDS}
        return RoundRun(**{**values, "outcome": Outcome(data["outcome"])})
    except (ValueError, KeyError, TypeError):
        return None
