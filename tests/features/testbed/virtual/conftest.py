# SPDX-License-Identifier: Apache-2.0
"""Folders with short names: a path of a socket has at most 107 bytes, of which pytest takes many."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="o-") as folder:
        yield Path(folder).resolve()
