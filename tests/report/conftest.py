# SPDX-License-Identifier: Apache-2.0
"""One store of synthetic metrics and its report for all tests of the report; both are read only."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import metrics_store

from orchestrator.report import page


@pytest.fixture(scope="session")
def store(tmp_path_factory) -> Path:
    return metrics_store.store(tmp_path_factory.mktemp("store"), seeds=range(1, 4))


@pytest.fixture(scope="session")
def index(store) -> Path:
    return page.write(store, "aggregation-paper")
