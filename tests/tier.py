# SPDX-License-Identifier: Apache-2.0
"""How much of the tests runs. `make test` runs in minutes what notices a fault; with ORCHESTRATE_TESTS=all,
as in .ci/run, tests marked `full` run too and property tests try four times as many examples.
"""

from __future__ import annotations

import os

ALL = os.environ.get("ORCHESTRATE_TESTS") == "all"
LEAST = 20  # fewer would hardly leave the simplest examples


def examples(count: int) -> int:
    """Return how many of `count` examples a property test tries."""
    return count if ALL else min(count, max(count // 4, LEAST))
