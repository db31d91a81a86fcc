# SPDX-License-Identifier: Apache-2.0
"""What both writers of rounds need: errors that say what to do, and times with their zone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from orchestrator.errors import StorageFailed


def written(at: datetime) -> str:
    """ISO 8601, UTC."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds")


def read(text: str) -> datetime:
    """Return the time in a file. Raises ValueError."""
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError(f"a time without its zone: {text}")
    return at


@contextmanager
def storage(path: Path) -> Iterator[None]:
    """Errors of writing to it as StorageFailed, but for those that say that another process was there."""
    try:
        yield
    except (BlockingIOError, FileExistsError):
        raise
    except OSError as error:
        raise StorageFailed(
            f"{path} can't be written: {error.strerror or error}\n"
            "    free space or choose another folder with --store, then run the same command again; "
            "finished runs are kept"
        ) from error
