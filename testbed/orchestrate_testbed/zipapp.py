# SPDX-License-Identifier: Apache-2.0
"""Packs the gateway daemon into one file that a gateway's Python runs."""

from __future__ import annotations

import hashlib
import io
import os
import threading
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
MAIN = "import sys\n\nfrom orchestrate_testbed.gateway.main import main\n\nsys.exit(main())\n"


def content() -> bytes:
    """Return the zipapp's bytes: the same for the same sources with any zlib, as nothing is compressed."""
    files = {"__main__.py": MAIN.encode(), "orchestrate_testbed/__init__.py": b""}
    for path in sorted((HERE / "gateway").rglob("*.py")):
        files[f"orchestrate_testbed/{path.relative_to(HERE).as_posix()}"] = path.read_bytes()
    packed_ = io.BytesIO()
    with zipfile.ZipFile(packed_, "w", zipfile.ZIP_STORED) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return b"#!/usr/bin/env python3\n" + packed_.getvalue()


def packed(folder: Path | None = None) -> Path:
    """Return the zipapp as a file that is named by its digest, in a folder (else in the user's cache)."""
    if folder is None:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        folder = cache / "orchestrate" / "gateway"
    made = content()
    path = folder / f"gateway-{hashlib.sha256(made).hexdigest()[:16]}.pyz"
    if not path.exists() or path.read_bytes() != made:
        folder.mkdir(parents=True, exist_ok=True)
        beside = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
        beside.write_bytes(made)
        beside.replace(path)
    return path
