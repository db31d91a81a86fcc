# SPDX-License-Identifier: Apache-2.0
"""The line of a log that says why a script failed, also of a log of many megabytes."""

from __future__ import annotations

import pytest

from orchestrator.csc.model import JavaScript
from orchestrator.engines import log as logs

END = "TEST FAILED\nTest ended at simulation time: 5\n"
SCRIPT = JavaScript.__new__(JavaScript)  # what it says does not matter


@pytest.mark.parametrize(
    ("own", "last"),
    [
        ("", ()),
        ("1\tone\n2\ttwo\n", ("last line: 2\ttwo",)),
        ("first\n" + "x" * 200_000 + "\n", ("last line: " + "x" * 200_000,)),
        ("first\n" * 50_000 + "last ä\nTEST TIMEOUT\n", ("last line: last ä",)),
        ("only\n" + "TEST none of its own\n" * 10_000, ("last line: only",)),
    ],
)
def test_the_last_line_that_the_script_logged(tmp_path, own, last):
    log = tmp_path / "COOJA.testlog"
    log.write_text(f"Random seed: 1\n{own}{END}", encoding="utf-8")
    assert logs.why_failed(SCRIPT, log) == last
