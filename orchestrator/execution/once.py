# SPDX-License-Identifier: Apache-2.0
"""Makes a value that several threads need once, in the first thread that asks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any


class Once:
    """Calls a function once for all threads that ask for the same thing."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[tuple, Future] = {}

    def __call__(self, what: tuple, make: Callable[[], Any]) -> Any:
        """Return what `make` returned for `what`; raise what it raised."""
        with self._lock:
            future = self._known.get(what)
            mine = future is None
            if mine:
                future = self._known[what] = Future()
        if mine:
            try:
                future.set_result(make())
            except BaseException as error:  # noqa: BLE001 - raised for each that asks
                future.set_exception(error)
        return future.result()
