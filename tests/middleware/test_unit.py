# SPDX-License-Identifier: Apache-2.0
"""The middleware's C unit tests."""

from __future__ import annotations

import subprocess
from pathlib import Path

import c_tests
import pytest

UNIT = Path(__file__).parent / "unit"
FILES = sorted(UNIT.glob("test_*.c"))


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("middleware")
    built: dict[Path, Path] = {}

    def program(source: Path) -> Path:
        if source not in built:
            built[source] = c_tests.build(c_tests.library(folder), source)
        return built[source]

    return program


@pytest.mark.parametrize("source", FILES, ids=lambda path: path.stem)
def test_every_test_of_the_file_is_run(programs, source):
    listed = subprocess.run([programs(source)], capture_output=True, text=True, check=True).stdout.split()
    assert listed and listed == c_tests.cases(source)


@pytest.mark.parametrize(
    ("source", "case"), [(f, c) for f in FILES for c in c_tests.cases(f)], ids=lambda v: getattr(v, "stem", v)
)
def test_unit(programs, source, case):
    c_tests.run(programs(source), case)
