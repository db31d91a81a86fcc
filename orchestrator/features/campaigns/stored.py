# SPDX-License-Identifier: Apache-2.0
"""Helpers of both writers of rounds: errors with a remedy, and times with their zone."""

from __future__ import annotations

from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path

from orchestrator.errors import AGAIN, writing


def written(at: datetime) -> str:
    """ISO 8601, UTC."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds")


def read(text: str) -> datetime:
    """Return the time in a file. Raises ValueError."""
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError(f"a time without its zone: {text}")
    return at


def storage(path: Path) -> AbstractContextManager[None]:
    """Turn errors of writing into StorageFailed, except those that say that another process was there."""
    return writing(path, f"{AGAIN}; finished runs are kept", (BlockingIOError, FileExistsError))
