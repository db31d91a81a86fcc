# SPDX-License-Identifier: Apache-2.0
"""The blackboard's threads are executed on an emulated Tmote Sky, beside the CPU times that are assumed."""

from __future__ import annotations

import pytest

from orchestrator.build import msp430
from orchestrator.errors import MissingTool
from orchestrator.features.blackboard.paper import executed
from tests import needs


def test_threads_run_for_each_publication_and_their_time_is_measured():
    needs.a_compiler()
    try:
        msp430.addr2line()
    except MissingTool as missing:
        pytest.skip(str(missing))
    found = executed.measured()
    for name in ("blackboard", "subscriber1"):
        cpu, runs = found.threads[name]
        assert abs(runs - found.publications) <= 2 and 100 < cpu / runs < 10_000
    assert 0 < found.delays["subscriber1"][0] < found.delays["subscriber1"][1] < 20_000
    assert all(found.parts[part] > 0 for part in (executed.BLACKBOARD, executed.SWITCHING, executed.TIME))
    threads, parts = executed.tables({})
    assert len(threads.rows) == len(executed.THREADS) and len(parts.rows) == len(found.parts)
