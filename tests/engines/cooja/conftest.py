# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os

import pytest
from played_cooja import Fake


@pytest.fixture
def fake(tmp_path, monkeypatch) -> Fake:
    made = Fake(tmp_path)
    monkeypatch.setenv("FAKE_COOJA", str(made.plan))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return made


@pytest.fixture(scope="session")
def cooja() -> str:
    """Where a real Cooja is."""
    if not os.environ.get("COOJA"):
        pytest.skip("set COOJA to a Cooja: its folder, its jar or a program that starts it")
    return os.environ["COOJA"]
