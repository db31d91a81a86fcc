# SPDX-License-Identifier: Apache-2.0
"""A content-addressed cache of built files: whole entries or none, verified on use, for several builders.

CACHE/KIND/KEY/{FILE, entry.json}; an entry appears by one rename of its folder. Builders of the same key wait
for each other on a lock file; a killed builder leaves a folder `.tmp-PID-...`, which the next one removes.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from orchestrator.build.cache_folder import cache_folder
from orchestrator.durable import replacing, sha256, sweep, sync, write
from orchestrator.errors import writing

_ENTRY = "entry.json"
_FORMAT = 1
_PLAIN = re.compile(r"[\w/.,+@~-]+")
AGAIN = "free space there, or set XDG_CACHE_HOME to another folder, then run the same command again"


@dataclass(frozen=True)
class Built:
    """A built file: where it is, the SHA-256 of its content, and the key of what it was built from."""

    path: Path
    sha256: str
    key: str


_watchers: list[Callable[[str, int, int], None]] = []
_watching = threading.Lock()  # builds are reported one at a time, in the order in which they happen


@contextmanager
def watched(told: Callable[[str, int, int], None]) -> Iterator[None]:
    """Inside, `told(kind, begun, ended)` is called when something is built that the cache did not have.

    It gets how many more files are begun, and how many have ended, well or not. The building thread calls it.
    """
    with _watching:
        _watchers.append(told)
    try:
        yield
    finally:
        with _watching:
            _watchers.remove(told)


_anew: dict[str, Path] = {}  # kind -> where its files are built instead, as long as someone wants them anew


@contextmanager
def anew(kind: str, folder: Path) -> Iterator[None]:
    """Inside, files of this kind are built in `folder`, so that none comes from the cache.

    This holds for the whole process. A file that is asked for twice is still built once.
    """
    _anew[kind] = folder
    try:
        yield
    finally:
        del _anew[kind]


def place(kind: str) -> Path:
    """Return the folder of a kind, which is that of `anew` inside of it."""
    return _anew.get(kind, cache_folder() / kind)


def tell(kind: str, begun: int = 0, ended: int = 0) -> None:
    """Tell those who watch."""
    with _watching:
        for told in _watchers:
            told(kind, begun, ended)


def key(parts: dict) -> str:
    """Return the name of what is built from these values."""
    text = json.dumps({"format": _FORMAT, **parts}, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def get(kind: str, name: str, make: Callable[[Path], Path]) -> Built:
    """Return the entry `name`; if it is missing or damaged, `make` builds it in a new folder.

    `make(folder)` returns the path of the built file inside `folder`. Raises StorageFailed if the cache can't
    be written, and what `make` raises.
    """
    home = _anew.get(kind) or cache_folder() / kind
    entry = home / name
    found = _valid(entry, name)
    if found is not None:
        return found
    with writing(f"the build cache {home}", AGAIN):
        home.mkdir(parents=True, exist_ok=True)
        with _locked(home / f"{name}.lock"):
            found = _valid(entry, name)  # another builder may have finished while we waited
            if found is not None:
                return found
            sweep(home)
            tell(kind, begun=1)
            try:
                return _build(home, entry, name, make)
            finally:
                tell(kind, ended=1)


def keep(place: Path, data: bytes, most: int) -> None:
    """Keep a memory that spares time, with at most so many in its folder. One that can't be kept is left."""
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        with replacing(place, synced=False) as draft:
            draft.write_bytes(data)
        kept = sorted(place.parent.iterdir(), key=lambda one: one.stat().st_mtime_ns)
        for one in kept[:-most]:
            one.unlink(missing_ok=True)


def _build(home: Path, entry: Path, name: str, make: Callable[[Path], Path]) -> Built:
    work = draft = Path(tempfile.mkdtemp(prefix=f".tmp-{os.getpid()}-", dir=home))
    if (
        _PLAIN.fullmatch(str(home)) is None
    ):  # make splits its words at blanks, also those in the name of the folder it is in
        work = Path(tempfile.mkdtemp(prefix="orchestrate-build-"))
    try:
        product = make(work)
        keep = draft / ".entry"
        keep.mkdir()
        target = keep / product.name
        shutil.copy2(product, target)
        digest = sha256(target)
        write(
            keep / _ENTRY,
            (json.dumps({"format": _FORMAT, "file": product.name, "sha256": digest}) + "\n").encode(),
        )
        sync(target)
        if entry.exists():  # damaged
            shutil.rmtree(entry)
        os.rename(keep, entry)
        return Built(entry / product.name, digest, name)
    finally:
        shutil.rmtree(work, ignore_errors=True)
        shutil.rmtree(draft, ignore_errors=True)


def _valid(entry: Path, name: str) -> Built | None:
    try:
        said = json.loads((entry / _ENTRY).read_text(encoding="utf-8"))
        path, known = entry / Path(said["file"]).name, said["sha256"]
        digest = sha256(path)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return Built(path, digest, name) if known == digest else None


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield
