# SPDX-License-Identifier: Apache-2.0
"""Plans which rows of sources each batch needs: kept, carried over from other batches, or made anew."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from orchestrate_spark import sources
from orchestrate_spark.experiment import Run

RECORDS = "sources"  # in the index, for each batch: source -> {version, files, faults}


@dataclass(frozen=True)
class Part:
    """The rows of one source for one batch, which are to be written.

    `reads`: runs whose file is read. `carried`: run id -> the batch of the state `folder` that has its rows.
    `version` and `files` (run id -> bytes): what the index is to say of it.
    """

    source: str
    settings: bytes
    version: str
    files: Mapping[str, int]
    reads: tuple[Run, ...] = ()
    carried: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""

    @property
    def work(self) -> int:
        """Bytes of the files that it reads or has read."""
        return sum(self.files.values())


class Plan:
    """What sources need of an experiment's batches.

    `batches`: those of the present state, by name. `runs`: the runs by id, all or those that have arrived.
    `intact`: the state's undamaged files. `state`: its folder.
    """

    def __init__(
        self,
        settings: Mapping[str, bytes],
        batches: Mapping[str, dict],
        runs: Mapping[str, Run],
        intact: Iterable[str],
        state: Path,
    ):
        self._settings = settings
        self._versions = {name: sources.found()[name].version(value) for name, value in settings.items()}
        self._runs = runs
        self._state = str(state)
        whole = set(intact)
        self._records = {
            batch: {
                name: record
                for name, record in held.get(RECORDS, {}).items()
                if name in sources.found() and whole.issuperset(files(name, batch))
            }
            for batch, held in batches.items()
        }
        self._place = {
            run_id: (batch, print_)
            for batch, held in batches.items()
            for run_id, print_ in held["runs"].items()
        }

    def current(self, batches: Mapping[str, dict]) -> bool:
        """Whether the rows of sources in all of these batches are as they would be made now."""
        return all(
            not parts and kept == held.get(RECORDS, {})
            for batch, held in batches.items()
            for kept, parts in [self.of(batch, held["runs"], stays=True)]
        )

    def versions_differ(self, batches: Mapping[str, dict]) -> bool:
        """Whether one of these batches was made with other code, settings or sources."""
        return any(
            record["version"] != self._versions.get(name)
            for held in batches.values()
            for name, record in held.get(RECORDS, {}).items()
        ) or any(
            sources.found()[name].of and name not in held.get(RECORDS, {})
            for held in batches.values()
            for name in self._settings
        )

    def of(
        self, batch: str, prints: Mapping[str, str], stays: bool
    ) -> tuple[dict[str, Any], tuple[Part, ...]]:
        """Return the records of the sources whose files a batch keeps, and what must be written for it.

        `prints`: the fingerprints of its runs. `stays`: whether the present state has the batch, to be kept.
        """
        kept: dict[str, Any] = {}
        parts = []
        for name in self._settings:
            record = self._records.get(batch, {}).get(name)
            part = self._part(name, prints)
            if part is None:
                continue
            same = record is not None and (record["version"], record["files"]) == (part.version, part.files)
            if stays and same and not part.reads and set(part.carried.values()) <= {batch}:
                kept[name] = record
            else:
                parts.append(part)
        return kept, tuple(parts)

    def _part(self, name: str, prints: Mapping[str, str]) -> Part | None:
        source, version = sources.found()[name], self._versions[name]
        if source.of:
            return Part(name, self._settings[name], version, {})
        files, reads, carried = {}, [], {}
        for run_id, print_ in prints.items():
            run = self._runs.get(run_id)
            batch, before = self._place.get(run_id, ("", None))
            record = self._records.get(batch, {}).get(name) if before == print_ else None
            had = record["files"].get(run_id) if record is not None else None
            has = (
                had if run is None else run.files.get(source.file)
            )  # a run that is not looked at is unchanged
            if had is not None and (run is None or has is None or (record["version"], had) == (version, has)):
                files[run_id], carried[run_id] = had, batch
            elif has is not None:
                files[run_id] = has
                reads.append(run)
        return (
            Part(name, self._settings[name], version, files, tuple(reads), carried, self._state)
            if files
            else None
        )


def files(source: str, batch: str) -> list[str]:
    """Return the paths, in a state, of a source's files for a batch."""
    return [f"{table}/{batch}.parquet" for table in sources.found()[source].tables]
