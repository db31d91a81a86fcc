# SPDX-License-Identifier: Apache-2.0
"""What the transports of a simulated event loop have in common: their protocol, their begin and their end."""

from __future__ import annotations

import asyncio


class SimulatedTransport:
    """Comes before asyncio's class of the transport; `_resume` and `_leave` are the transport's own."""

    def __init__(self, loop: asyncio.AbstractEventLoop, protocol: asyncio.BaseProtocol) -> None:
        """Belong to a protocol, which doesn't know its transport yet."""
        super().__init__()
        self._loop, self._protocol = loop, protocol
        self._closing = False

    def _resume(self) -> None:
        """Pass on what came while the protocol took nothing."""
        raise NotImplementedError

    def _leave(self) -> None:
        """Give back what the transport has of the simulation."""
        raise NotImplementedError

    def begin(self, ready: asyncio.Future[None]) -> None:
        """Pass on what came meanwhile; the protocol knows its transport now."""
        self._resume()
        if not ready.done():
            ready.set_result(None)

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Pass what comes to another protocol."""
        self._protocol = protocol

    def get_protocol(self) -> asyncio.BaseProtocol:
        """Return the protocol."""
        return self._protocol

    def is_closing(self) -> bool:
        """Say whether it is closed."""
        return self._closing

    def close(self) -> None:
        """Receive nothing any more; what waits to be sent is sent."""
        if not self._closing:
            self._closing = True
            self._leave()
            if not self._loop.is_closed():
                self._loop.call_soon(self._protocol.connection_lost, None)

    def abort(self) -> None:
        """Close it, and lose what waits to be sent."""
        self.close()
