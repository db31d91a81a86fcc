# SPDX-License-Identifier: Apache-2.0
"""Waiting for what another process or thread does, however busy the machine is: a limit only ends what
hangs."""

from __future__ import annotations

import os
import select
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


def wait_for_end(process: int) -> None:
    """Fails if a process, which needn't be our child, is still there after a minute."""
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:
        return
    ready, _, _ = select.select([handle], [], [], 60)
    os.close(handle)
    assert ready, f"process {process} does not end"
