# SPDX-License-Identifier: Apache-2.0
"""Reports now and then how far the pull of an image has come, by the engine's events."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

_EVERY_S = 5.0
_DONE = ("Pull complete", "Already exists")


class Pull:
    """`say` gets the lines; `now` is a clock in s."""

    def __init__(self, reference: str, say: Callable[[str], None], now: Callable[[], float] = time.monotonic):
        self._reference, self._say, self._now = reference, say, now
        self._status: dict[str, str] = {}  # of each layer
        self._bytes: dict[
            str, tuple[int, int]
        ] = {}  # of each layer: those here, all; what is known until now
        self._said = now()
        say(f"pulling the image {reference}")

    def event(self, event: Mapping[str, Any]) -> None:
        """One event of Docker's API (POST /images/create)."""
        layer, status = event.get("id"), str(event.get("status", ""))
        if not layer or status.startswith("Pulling from"):  # that one's id is the tag
            return
        self._status[layer] = status
        detail = event.get("progressDetail") or {}
        if status == "Downloading" and detail.get("total"):
            self._bytes[layer] = int(detail.get("current", 0)), int(detail["total"])
        elif layer in self._bytes:  # extracting, or done
            self._bytes[layer] = (self._bytes[layer][1],) * 2
        if self._now() - self._said >= _EVERY_S:
            self._said = self._now()
            self._say(self._line())

    def end(self) -> None:
        """After the last event."""
        self._say(self._line())

    def _line(self) -> str:
        done = sum(status in _DONE for status in self._status.values())
        here, of = (
            (sum(sizes) / 1e6 for sizes in zip(*self._bytes.values(), strict=True))
            if self._bytes
            else (0.0, 0.0)
        )
        return f"{self._reference}: layers {done} of {len(self._status)}" + (
            f", {here:.0f} of {of:.0f} MB" if of else ""
        )
