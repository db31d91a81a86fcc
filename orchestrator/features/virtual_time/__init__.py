# SPDX-License-Identifier: Apache-2.0
"""Programs in virtual time: asyncio and an IPv6 host on a simulation's clock (docs/virtual-time.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from orchestrator.feature import Command, Feature

if TYPE_CHECKING:
    from orchestrator.features.virtual_time.session import (
        Session,
        current,
        mote_address,
        open_serial_connection,
        ping,
        reachable,
    )

__all__ = ["Session", "current", "mote_address", "open_serial_connection", "ping", "reachable"]

FEATURE = Feature(
    "virtual_time",
    "programs in virtual time",
    commands={
        "live": Command(
            "run",
            "run a Python program in a simulation's time, also behind its border router",
            "orchestrator.features.virtual_time.commands.live",
        )
    },
)


def __getattr__(name: str) -> Any:
    """Load what programs use when they ask for it: commands load features, and not this."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from orchestrator.features.virtual_time import session

    return getattr(session, name)
