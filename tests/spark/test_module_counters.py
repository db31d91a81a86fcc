# SPDX-License-Identifier: Apache-2.0
"""Every counter that a module of the middleware lists in its header is in the specification of the log."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from orchestrate_spark.log_format import COUNTERS
from orchestrate_spark.metrics.blackboard import ERRORS

MIDDLEWARE = Path(__file__).parents[2] / "contiki-apps" / "middleware"
LISTS = {"threads_": ("threads/thread.h", "THREAD_ERRORS"), "blackboard_": ("blackboard/blackboard.h", "BLACKBOARD_COUNTERS")}


@pytest.mark.parametrize("prefix", LISTS)
def test_its_names_are_specified(prefix):
    header, macro = LISTS[prefix]
    listed = re.search(rf"#define {macro}\(X\)((?:.*\\\n)*.*\n)", (MIDDLEWARE / header).read_text(encoding="utf-8"))
    names = {prefix + name for name in re.findall(r"\bX\((\w+)\)", listed[1])}
    assert len(names) > 5 and names <= set(COUNTERS)
    assert {name for name in ERRORS if name.startswith(prefix)} == names - {
        "blackboard_commands", "blackboard_publications", "blackboard_notifications", "blackboard_words_used"}
