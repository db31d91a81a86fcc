# SPDX-License-Identifier: Apache-2.0
"""Copies of firmware sources in a store, one a content, so that a run's .csc builds in stock Cooja long
after.

HOME/KEY/{os, middleware, Makefile.embedded, apps/NAME}; KEY is the hash of paths and contents, so that a .csc
which names it has the same bytes on every machine.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from orchestrator.build import sources
from orchestrator.build.content import Sources
from orchestrator.durable import sweep
from orchestrator.errors import StorageFailed


def stage(application: object, home: Path) -> str:
    """Makes sure that the application's sources are in HOME/KEY; KEY. Raises NoSuchThing or StorageFailed."""
    found = sources.collect(sources.application_folder(application))
    name = found.digest()
    target = home / name
    try:
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
            try:
                os.rename(work, target)
            except OSError:
                if not target.is_dir():  # else another process was faster
                    raise
        finally:
            shutil.rmtree(work, ignore_errors=True)
    except OSError as error:
        raise StorageFailed(
            f"{home} can't be written: {error.strerror or error}\n"
            "    free space or choose another folder with --store, then run the same command again"
        ) from error
    return name


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
    """What a run's .csc names as its source, relative to its own folder STORE/EXPERIMENT/runs/RUN_ID."""
    return f"[CONFIG_DIR]/../../../firmware/{name}/apps/{application_name}/{application_name}.c"
