# SPDX-License-Identifier: Apache-2.0
"""Every counter that a module of the middleware lists in its header is in the specification of the log."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from orchestrate_spark.log_format import COUNTERS
from orchestrate_spark.metrics.blackboard import ERRORS

MIDDLEWARE = Path(__file__).parents[2] / "contiki-apps" / "middleware"
COUNTS = ("blackboard/blackboard.h", "BLACKBOARD_COUNTS")
FAULTS = {
    "threads_": ("threads/thread.h", "THREAD_ERRORS"),
    "blackboard_": ("blackboard/blackboard.h", "BLACKBOARD_ERRORS"),
}


def listed(prefix: str, header: str, macro: str) -> set[str]:
    found = re.search(
        rf"#define {macro}\(X\)((?:.*\\\n)*.*\n)", (MIDDLEWARE / header).read_text(encoding="utf-8")
    )
    assert found, f"{header} has no {macro}"
    return {prefix + name for name in re.findall(r"\bX\((\w+)\)", found[1])}


@pytest.mark.parametrize("prefix", FAULTS)
def test_its_errors_are_specified_and_shown(prefix):
    names = listed(prefix, *FAULTS[prefix])
    assert len(names) > 5 and names <= set(COUNTERS)
    own = {"blackboard_unlogged"}  # the log's own
    assert {name for name in ERRORS if name.startswith(prefix)} - own == names


def test_what_else_the_blackboard_counts_is_specified():
    names = listed("blackboard_", *COUNTS)
    assert len(names) > 3 and names <= set(COUNTERS) and not names & set(ERRORS)
