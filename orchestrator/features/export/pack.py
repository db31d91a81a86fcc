# SPDX-License-Identifier: Apache-2.0
"""Writes an artifact, as a folder or a .zip whose bytes depend on its content alone, and checks one."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from orchestrator.errors import NoSuchThing, StorageFailed, WrongUsage, writing
from orchestrator.features.export import citation, contents, crate, texts, versions
from orchestrator.features.export.citation import About
from orchestrator.features.export.contents import Chosen, Content
from orchestrator.runs.store import Store

CHECKSUMS = "checksums.sha256"
# What zipfile raises of a file that is damaged, has a password or is packed in a way that it doesn't know.
_UNREADABLE = (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError, EOFError, zlib.error)
_OLDEST = (1980, 1, 1, 0, 0, 0)  # a .zip's first moment: its files have no time of their own
_LEVEL = 6
# What an artifact of somebody else's may unpack to: files, and bytes for each of the .zip's. Our
# logs shrink to a twentieth; deflate itself gets to a thousandth.
_MOST_FILES = 1_000_000
_MOST_RATIO = 200
_ALWAYS = 1 << 30  # bytes that any may unpack to


def artifact(store: Store, chosen: Chosen, about: About) -> Content:
    """Return everything that the artifact holds."""
    made = contents.content(store, chosen)
    date = max(run.finished for run in chosen.all())[:10]
    told = versions.versions(chosen)
    pinned = "".join(f"{name}=={version}\n" for name, version in told["export"]["packages"].items())
    made["versions.json"] = (json.dumps(told, indent=2) + "\n").encode()
    made["requirements.txt"] = pinned.encode()
    made["LICENSE"] = texts.licence(about)
    made["CITATION.cff"] = citation.written(about, date).encode()
    made["README.md"] = texts.readme(about, chosen, list(made))
    made[crate.FILE] = crate.metadata(about, chosen, date, list(made))
    lines = [f"{hashlib.sha256(_bytes(one)).hexdigest()}  {path}\n" for path, one in sorted(made.items())]
    made[CHECKSUMS] = "".join(lines).encode()
    return made


def free(target: Path) -> None:
    """Raise WrongUsage if something is there already, NoSuchThing if there is no folder for it."""
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise WrongUsage(f"{target} already exists\n    name another one with -o")
    if not target.absolute().parent.is_dir():
        raise NoSuchThing(f"there is no folder {target.absolute().parent}\n    make it, or name another one")


def write(made: Content, target: Path, told: Callable[[int, int], None] = lambda done, total: None) -> None:
    """Write an artifact, whole or not at all. Raises StorageFailed."""
    draft = target.with_name(f".tmp-{os.getpid()}-{target.name}")
    try:
        with writing(target, "free space, or name another with -o"):
            if target.suffix == ".zip":
                _zip(made, draft, told)
            else:
                _folder(made, draft, told)
                if target.exists():
                    target.rmdir()
            os.rename(draft, target)
    finally:
        if draft.is_dir():
            shutil.rmtree(draft, ignore_errors=True)
        else:
            draft.unlink(missing_ok=True)


@contextmanager
def opened(where: Path) -> Iterator[Path]:
    """Give the folder of an artifact, of a .zip an unpacked copy. Raises NoSuchThing or StorageFailed."""
    if where.is_dir():
        yield where
        return
    if not where.is_file():
        raise NoSuchThing(f"no artifact {where}\n    name its folder or its .zip")
    with TemporaryDirectory(prefix="orchestrate-artifact-", ignore_cleanup_errors=True) as folder:
        try:
            with zipfile.ZipFile(where) as packed:
                _bounded(where, packed.infolist(), Path(folder))
                packed.extractall(folder)
        except _UNREADABLE as error:
            raise StorageFailed(f"{where}: not a readable .zip: {error}\n    fetch it again") from error
        yield Path(folder)


def _bounded(where: Path, entries: Sequence[zipfile.ZipInfo], folder: Path) -> None:
    """Raise StorageFailed if a .zip says that it unpacks to more than an artifact does, or than fits."""
    size = sum(entry.file_size for entry in entries)  # zipfile unpacks no more than that
    most = max(_ALWAYS, _MOST_RATIO * where.stat().st_size)
    if len(entries) > _MOST_FILES or size > most:
        raise StorageFailed(
            f"{where}: no artifact unpacks to {len(entries):,} files and {size:,} bytes\n"
            f"    at most {_MOST_FILES:,} files and {most:,} bytes are unpacked of a .zip of its size"
        )
    if size > (free := shutil.disk_usage(folder).free):
        raise StorageFailed(
            f"{where} needs {size:,} bytes in {folder.parent}, which has {free:,}\n"
            "    free space, or set $TMPDIR to another folder"
        )


def damage(folder: Path) -> list[str]:
    """Say which files of an artifact are not what its checksums say. Raises NoSuchThing or StorageFailed."""
    try:
        lines = (folder / CHECKSUMS).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise NoSuchThing(
            f"{folder} has no {CHECKSUMS}\n"
            "    `orchestrate export EXPERIMENT -o TARGET` writes an artifact with one"
        ) from None
    except (OSError, ValueError) as error:
        raise StorageFailed(
            f"{folder / CHECKSUMS} can't be read: {error}\n    fetch the artifact again"
        ) from error
    expected = {path: digest for digest, _, path in (line.partition("  ") for line in lines)}
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    found = []
    for path, digest in expected.items():
        if path not in there:  # nor is anything read that is elsewhere
            found.append(f"{path}: {os.strerror(errno.ENOENT)}")
            continue
        try:
            if hashlib.sha256((folder / path).read_bytes()).hexdigest() != digest:
                found.append(f"{path} was changed")
        except OSError as error:
            found.append(f"{path}: {error.strerror}")
    return found + [f"{path} is not listed" for path in sorted(there - {*expected, CHECKSUMS})]


def _zip(made: Content, target: Path, told: Callable[[int, int], None]) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as packed:
        for number, (path, one) in enumerate(sorted(made.items()), 1):
            entry = zipfile.ZipInfo(path, _OLDEST)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, whose permissions follow
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, _bytes(one), compresslevel=_LEVEL)
            told(number, len(made))


def _folder(made: Content, target: Path, told: Callable[[int, int], None]) -> None:
    for number, (path, one) in enumerate(sorted(made.items()), 1):
        place = target / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(_bytes(one))
        told(number, len(made))


def _bytes(one: Path | bytes) -> bytes:
    return one if isinstance(one, bytes) else one.read_bytes()
