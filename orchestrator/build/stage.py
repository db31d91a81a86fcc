# SPDX-License-Identifier: Apache-2.0
"""Keeps copies of firmware sources in a store, so that a run's .csc still builds in a stock Cooja later.

There is one copy for each content.

HOME/KEY/{os, middleware, Makefile.embedded, apps/NAME}; KEY is the hash of paths and contents, so that a .csc
which names it has the same bytes on every machine. HOME/descriptions/SHA256/NAME/application.yaml is an
application's description.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from pathlib import Path

from orchestrator.applications import descriptor
from orchestrator.applications.model import Application
from orchestrator.build import sources
from orchestrator.build.content import Sources
from orchestrator.durable import rewrite, settle, sweep
from orchestrator.errors import AGAIN, writing

DESCRIPTIONS = "descriptions"  # in HOME, beside the copies


def stage(application: object, home: Path) -> str:
    """Make sure that the application's sources are in HOME/KEY; return KEY.

    Raises NoSuchThing or StorageFailed.
    """
    found = sources.collect(sources.application_folder(application), getattr(application, "made", None))
    return keep(found, home)


def keep(found: Sources, home: Path) -> str:
    """Make sure that these files are in HOME/KEY; return KEY. Raises StorageFailed."""
    name = found.digest()
    target = home / name
    with writing(home, AGAIN):
        if target.is_dir():
            if _is(target, found):
                return name
            shutil.rmtree(target)  # damaged since
        home.mkdir(parents=True, exist_ok=True)
        sweep(home)
        work = Path(tempfile.mkdtemp(prefix=f".tmp-{os.getpid()}-", dir=home))
        try:
            found.copy(work)
            work.chmod(0o755)
            settle(work, target)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return name


def describe(application: Application, home: Path) -> str:
    """Keep the application's description, of which EEPROM images are made; the SHA-256 of its content.

    It is no part of KEY, since a change of it need not change firmware. Raises StorageFailed.
    """
    text = application.file.read_bytes()
    digest = hashlib.sha256(text).hexdigest()
    target = description(digest, application.name, home)
    with writing(home, AGAIN):
        if not target.is_file() or target.read_bytes() != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            sweep(target.parent)
            rewrite(target, text)
    return digest


def description(digest: str, name: str, home: Path) -> Path:
    """Return where the description of this digest is kept: in a folder of the application's name."""
    return home / DESCRIPTIONS / digest / name / descriptor.FILE


def _is(copy: Path, found: Sources) -> bool:
    """Whether a copy has just these contents."""
    try:
        return (
            Sources(found.name, {path: copy / path for path in {**found.files, **found.made}}).digest()
            == found.digest()
        )
    except OSError:
        return False


def source(name: str, application_name: str) -> str:
    """Return what a run's .csc names as its source, relative to its folder STORE/EXPERIMENT/runs/RUN_ID."""
    return f"[CONFIG_DIR]/../../../firmware/{name}/apps/{application_name}/{application_name}.c"
