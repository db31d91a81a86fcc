# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os

import pytest
from played_cooja import Fake

from orchestrator.engines.cooja import find


@pytest.fixture
def fake(tmp_path, monkeypatch) -> Fake:
    made = Fake(tmp_path)
    monkeypatch.setenv("FAKE_COOJA", str(made.plan))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return made


@pytest.fixture(scope="session")
def cooja() -> str:
    """Where a real Cooja is, whose classes say what its rules are."""
    named = os.environ.get("COOJA")
    if not named:
        pytest.skip("set COOJA to a Cooja: its folder or its jar")
    if find.find(named).jar is None:
        pytest.skip(f"COOJA={named} is a program, which doesn't say its rules: name its folder or its jar")
    return named
