# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
from types import SimpleNamespace

import pytest
from played_cooja import Fake, alive

from orchestrator.engines.cooja import batch, find


@pytest.fixture
def fake(tmp_path, monkeypatch) -> Fake:
    made = Fake(tmp_path)
    monkeypatch.setenv("FAKE_COOJA", str(made.plan))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return made


@pytest.fixture
def clock_of_hangs(tmp_path, monkeypatch) -> None:
    """For the limits of runs time stands still, but for a program that hangs: seen twice, it has done so for
    an hour.
    """
    now, hanging = 0.0, set()

    def monotonic() -> float:
        nonlocal now, hanging
        before, hanging = hanging, {one for one in alive(tmp_path) if "sleep" in one}
        now += 3600.0 * bool(before & hanging)
        return now

    monkeypatch.setattr(batch, "time", SimpleNamespace(monotonic=monotonic))


@pytest.fixture(scope="session")
def cooja() -> str:
    """Where a real Cooja is, whose classes say what its rules are."""
    named = os.environ.get("COOJA")
    if not named:
        pytest.skip("set COOJA to a Cooja: its folder or its jar")
    if find.find(named).jar is None:
        pytest.skip(f"COOJA={named} is a program, which doesn't say its rules: name its folder or its jar")
    return named
