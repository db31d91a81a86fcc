# SPDX-License-Identifier: Apache-2.0
"""The origin of a stored run: firmware's sources and the application's description, which the store keeps.

Where the store has lost its copies, the present ones stand in. The files in which the two differ are named.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from orchestrator.applications import descriptor
from orchestrator.applications.extension import with_generated
from orchestrator.build import sources, stage
from orchestrator.csc.read import read
from orchestrator.durable import sha256
from orchestrator.errors import OrchestrateError, StorageFailed
from orchestrator.execution import again
from orchestrator.execution.once import Once
from orchestrator.runs import identity
from orchestrator.runs.manifest import CSC_FILE, Manifest
from orchestrator.runs.store import FIRMWARE
from orchestrator.scenario.model import ApplicationSpec

KEPT, PRESENT = "kept in the store", "present"
HALF_KEPT = "kept in the store, with the present application.yaml"  # of runs older than such manifests
_SOURCE = re.compile(rf"/{FIRMWARE}/([0-9a-f]{{32}})/apps/([^/]+)/")


@dataclass(frozen=True)
class Sources:
    """An application's sources with their digest and folder; `contents`: digests by path."""

    folder: Path
    contents: dict[str, str]
    digest: str

    @classmethod
    def of(cls, folder: Path, generated: Mapping[str, bytes] | None = None) -> Sources:
        """Read them, with the files that are made for a run's firmware. Raises FaultyInput."""
        sources_ = sources.collect(folder, generated)
        return cls(folder, sources_.contents(), sources_.digest())


@dataclass(frozen=True)
class Origin:
    """The input for remaking a run: sources by key and folder, the application.yaml, and their origin."""

    key: str
    folder: Path
    description: Path
    used: str
    changed: tuple[str, ...] | None


def origin(folder: Path, manifest: Manifest, once: Once) -> Origin:
    """Find the origin of a run. Raises StorageFailed, NoSuchThing or FaultyInput."""
    experiment = again.experiment_of(folder)
    stored, home = _stored(folder, experiment.parent), experiment.parent / FIRMWARE
    spec, digest = manifest.resolved.application, manifest.built.description
    name = spec.name
    described = stage.description(digest, name, home) if digest else None
    if described is not None and not described.is_file():
        described = None
    if described is not None and once(("described", described), lambda: sha256(described)) != digest:
        raise StorageFailed(
            f"{described} was changed since\n    run the scenario again, or restore that file"
        )
    try:
        of = ("present", experiment, name, json.dumps(identity.plain(spec), sort_keys=True))
        present = once(of, lambda: _present(experiment, spec))
    except OrchestrateError:
        if stored is None or described is None:
            raise
        present = None
    if stored is None:
        return Origin(present.digest, present.folder, present.folder / descriptor.FILE, PRESENT, None)
    key, where = stored
    sources_ = once(("kept", where), lambda: Sources.of(where))
    if sources_.digest != key:
        raise StorageFailed(
            f"the firmware's sources in {where.parent.parent} are not those that the run was made of: "
            f"their digest is {sources_.digest}\n    run the scenario again, or restore that folder"
        )
    changed = None
    if present is not None:
        changed = once(("changed", where, experiment, name), lambda: changed_files(sources_, present))
        own = present.folder / descriptor.FILE
        if described is not None and described.read_bytes() != own.read_bytes():
            changed = tuple(sorted({*changed, f"apps/{name}/{descriptor.FILE}"}))
    if described is None:
        return Origin(key, where, present.folder / descriptor.FILE, HALF_KEPT, changed)
    return Origin(key, where, described, KEPT, changed)


def _stored(folder: Path, store: Path) -> tuple[str, Path] | None:
    """Find the sources that the store keeps of a run: their key, and the application's folder."""
    try:
        named = read(folder / CSC_FILE).mote_types[0].source
    except (OSError, OrchestrateError, IndexError):
        return None
    match = _SOURCE.search(named)
    if match is None:
        return None
    where = store / FIRMWARE / match[1] / "apps" / match[2]
    return (match[1], where) if where.is_dir() else None


def _present(experiment: Path, spec: ApplicationSpec) -> Sources:
    """Return today's sources of an application, with the files that features generate for it today.

    Raises NoSuchThing or FaultyInput.
    """
    remedy = "put its folder back, then reproduce the run again"
    folder = sources.application_folder(again.application_folder(experiment, spec.name, remedy) or spec.name)
    return Sources.of(folder, with_generated(descriptor.load(folder), spec).made or None)


def kept_sources(folder: Path) -> Sources | None:
    """Return the sources that the store keeps of a run's firmware, None if it has lost them.

    Raises FaultyInput.
    """
    copies = _stored(folder, again.experiment_of(folder).parent)
    return None if copies is None else Sources.of(copies[1])


def changed_files(sources_: Sources, other: Sources) -> tuple[str, ...]:
    """Name the files that the one has otherwise than the other, or has not, or has besides."""
    before, now = sources_.contents, other.contents
    return tuple(sorted(path for path in {*before, *now} if before.get(path) != now.get(path)))
