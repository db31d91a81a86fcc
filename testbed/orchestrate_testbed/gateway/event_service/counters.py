# SPDX-License-Identifier: Apache-2.0
"""Declares what gateways count of the event service: records `cnt` of base stations, simulated or not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrate_testbed.gateway.event_service.router import Router

_LAST_WORDS = re.compile(r"!cnt,gateway_|gateway \d+: ")
COUNTERS = (
    "gateway_uart_received",
    "gateway_uart_sent",
    "gateway_uart_malformed",
    "gateway_tcp_received",
    "gateway_tcp_sent",
    "gateway_queue_full",
)


def last_words(node: int, counters: dict, router: Router) -> list:
    """Return the lines that a gateway leaves in the log when a run is over."""
    held = (
        f"gateway {node}: {len(router.advertise)} advertised, {len(router.subscribe)} subscribed, "
        f"{len(router.event_request)} requested by other gateways"
    )
    every = {**counters, **(router.channels.counters if router.channels.used else {})}
    return [f"!cnt,{name},{value}" for name, value in every.items()] + [held]


def are_last_words(text: str) -> bool:
    """Whether a line is one of these."""
    return _LAST_WORDS.match(text) is not None
