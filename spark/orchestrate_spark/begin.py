# SPDX-License-Identifier: Apache-2.0
"""Begins a task on an executor with the driver's code, which is unpacked once on each machine.

The function is sent by value (executors.py), because the code that it makes importable is not there yet. It
therefore imports nothing of ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def begin(archive: Any, code: str, folder: str, call: bytes, shared: dict) -> Iterator[Any]:
    """Yield the results of a call, which is (work, group) in pickled form, with the values that are `shared`.

    `archive`: the zipped code as a broadcast. `code`: its digest. `folder`: the beginning of the name of the
    temporary folder to which it is unpacked.
    """
    import importlib
    import io
    import os
    import pickle
    import shutil
    import sys
    import tempfile
    import uuid
    import zipfile

    place = os.path.join(tempfile.gettempdir(), f"{folder}-{os.getuid()}", code)
    if not os.path.isdir(place):
        draft = f"{place}.{uuid.uuid4().hex}"
        os.makedirs(draft, mode=0o700)
        with zipfile.ZipFile(io.BytesIO(archive.value)) as packed:
            packed.extractall(draft)
        try:
            os.rename(draft, place)
        except OSError:  # another task of this machine was faster
            shutil.rmtree(draft, ignore_errors=True)
    if place not in sys.path:
        sys.path.insert(0, place)
        importlib.invalidate_caches()
    work, group = pickle.loads(call)
    yield from pickle.loads(work)(group, shared)
