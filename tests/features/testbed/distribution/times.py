# SPDX-License-Identifier: Apache-2.0
"""Clocks that a test sets."""

from __future__ import annotations

from orchestrate_testbed.gateway.distribution.clock import Clock


class Times:
    """Clocks that a test sets."""

    def __init__(self):
        self.own, self.real = 0, 1_000_000

    def clock(self, reference: bool = False, **more) -> Clock:
        return Clock(reference, lambda: self.own, lambda: self.real, **more)
