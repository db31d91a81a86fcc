# SPDX-License-Identifier: Apache-2.0
"""The sections of the event service's page: what the thesis says of a table stands below it."""

from __future__ import annotations

import pytest

from orchestrator.features.event_service import paper as event_service
from orchestrator.papers.check import MISSING
from orchestrator.report.model import Table, Text


@pytest.mark.parametrize("result", event_service.results(), ids=lambda result: result.name)
def test_without_runs_a_section_says_so_and_ends_with_the_claims_as_not_measured(result):
    (section,) = result.sections({})
    text, *claims = section.blocks
    assert isinstance(text, Text) and text.kind == "warning"
    checks = result.checks({})
    assert [type(block) for block in claims] == [Table] * bool(checks)
    assert {check.verdict for check in checks} <= {MISSING}
    for table in claims:
        assert table.title == result.heading and len(table.rows) == len(checks)
