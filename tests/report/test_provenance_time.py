# SPDX-License-Identifier: Apache-2.0
"""What the time of runs is called."""

from orchestrator.report.provenance import time_title
from tests.manifests import manifest


def test_on_real_motes_nothing_is_simulated():
    simulated = manifest()
    on_motes = manifest(engine={"name": "testbed", "version": "lab", "rules": "real radios and clocks"})
    assert time_title([simulated]) == "Simulated time" == time_title([simulated, on_motes])
    assert time_title([on_motes]) == "Time on motes"
