# SPDX-License-Identifier: Apache-2.0
"""Waiting for what another process or thread does, however busy the machine is: a limit only ends what
hangs."""

from __future__ import annotations

import time
from collections.abc import Callable

HANG_S = 1800.0  # a hundred times what anything here takes on an idle machine


def wait_until(true: Callable[[], object]):
    """Returns the first true value. Fails if it never comes."""
    until = time.monotonic() + HANG_S
    while not (found := true()):
        assert time.monotonic() < until, "it never came"
        time.sleep(0.005)
    return found
