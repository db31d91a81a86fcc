# SPDX-License-Identifier: Apache-2.0
"""Counts how much work Python code does: the number is the same on every machine, however busy it is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def at_most_calls(limit: int) -> Iterator[None]:
    """Fails when the code inside calls more functions, Python's and C's, than that; it is ended there."""
    made = 0

    def count(_frame, event: str, _argument) -> None:
        nonlocal made
        made += event in ("call", "c_call")
        assert made <= limit, f"more than {limit} calls"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(before)
    assert made <= limit, f"more than {limit} calls"  # if the code has caught what ended it
