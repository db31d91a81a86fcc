# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest

from orchestrator.applications import descriptor

APPLICATIONS = Path(__file__).resolve().parent.parent / "applications" / "apps"


@pytest.fixture(autouse=True, scope="module")
def probe_app():
    """The applications of the tests instead of ours: their descriptors do not change with the firmware."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(descriptor, "folder", lambda: APPLICATIONS)
        yield
