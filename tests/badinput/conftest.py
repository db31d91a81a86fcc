# SPDX-License-Identifier: Apache-2.0
"""Campaigns as a user runs them, of an application whose one mote does what it must not."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.applications import descriptor

APPLICATIONS = Path(__file__).resolve().parent / "apps"


@pytest.fixture
def unruly(monkeypatch, tmp_path):
    """write(deeds) -> the path of a scenario with a cell for each."""
    monkeypatch.setattr(descriptor, "folder", lambda: APPLICATIONS)

    def write(*deeds: str, duration: str = "20 s") -> Path:
        path = tmp_path / "unruly.yaml"
        path.write_text(
            "experiment: unruly\ntopology: {shape: chain, publishers: 3}\napplication: {name: unruly}\n"
            f"duration: {duration}\nseeds: 1\nmatrix:\n  application.deed: [{', '.join(deeds)}]\n"
        )
        return path

    return write


SCENARIO = """\
experiment: trial
topology: {shape: chain, publishers: 3, spacing: 5 m}
application: {name: pubsub-hello, interval: 2 s}
duration: 20 s
seeds: 1..SEEDS
"""


@pytest.fixture
def trial(tmp_path):
    """write(seeds) -> the path of a scenario of one cell of the smallest application."""

    def write(seeds: int) -> Path:
        path = tmp_path / "trial.yaml"
        path.write_text(SCENARIO.replace("SEEDS", str(seeds)))
        return path

    return write
