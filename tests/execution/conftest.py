# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest

from orchestrator.runs.store import Store
from tests.runs.conftest import make_spec, put

SCENARIO = """\
experiment: trial
topology: {shape: chain, publishers: 3, spacing: 5 m}
radio: {medium: udgm, range: 50 m, interference: 100 m, tx: 100 %, rx: 100 %}
application: {name: aggregation, rate: high, aggregate: true}
duration: DURATION
drain: 10 s
start-delay: 1 s
seeds: 1..SEEDS
matrix:
  application.aggregate:
    - {label: plain, value: false}
    - {label: A, value: true}
"""


@pytest.fixture
def store(tmp_path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def manifest(store):
    """That of the store's only run."""
    return put(store, make_spec())


@pytest.fixture
def scenario_file(tmp_path):
    """A function that writes a scenario of two cells and gives its path."""

    def write(seeds: int = 2, duration: str = "20 s") -> Path:
        path = tmp_path / "trial.yaml"
        path.write_text(SCENARIO.replace("DURATION", duration).replace("1..SEEDS", f"1..{seeds}"))
        return path

    return write


@pytest.fixture
def object_store(tmp_path, monkeypatch):
    """The URL of an object store without renames and links: fsspec's own in memory."""
    fsspec = pytest.importorskip("fsspec")
    files = fsspec.filesystem("memory")
    for name in ("mv", "move", "rename", "symlink", "link"):
        monkeypatch.setattr(files, name, None, raising=False)
    yield "memory://results"
    files.rm("/results", recursive=True) if files.exists("/results") else None
