# SPDX-License-Identifier: Apache-2.0
"""A program's time on a simulation's clock: asyncio.run() inside of a session runs in simulated time."""

from __future__ import annotations

import asyncio
import os
import random
import warnings
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from ipaddress import IPv6Address, IPv6Interface
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from orchestrator.features.virtual_time import faults
from orchestrator.features.virtual_time.clock import US
from orchestrator.features.virtual_time.link import SlipLink
from orchestrator.features.virtual_time.loop import SimulatedLoop
from orchestrator.features.virtual_time.world import World

if TYPE_CHECKING:
    from orchestrator.live import Live

T = TypeVar("T")

ADDRESS = "fd00::1/64"  # of the host behind a border router, and its motes' prefix; as in Contiki-NG's tests
BAUD = 115200  # Contiki-NG's default

# aiocoap's own settings: which transports new contexts use. Those named here open their ports by asyncio;
# its default, udp6, asks the operating system for a socket.
_TRANSPORTS = {
    "AIOCOAP_CLIENT_TRANSPORT": "simple6",
    "AIOCOAP_SERVER_TRANSPORT": "simple6:simplesocketserver",
}


class Session(World):
    """A context manager in which asyncio runs on the clock of a simulation.

    Inside of it asyncio.run() and new event loops use simulated time, UDP ports are those of an IPv6 host
    behind the border routers, and `random` begins with the session's seed. One loop runs at a time. While
    the session is open, nobody else may call the simulation's advance().

    Raises at its end, or out of asyncio.run(): ProgramFailed (a callback raised), Stuck (the program
    computed or blocked for too long), NothingCanCome, TimeIsUp, and live.SimulationEnded.
    """

    def __init__(
        self,
        simulation: Live,
        *,
        border_router: int | Mapping[int, str] | None = None,
        address: str = ADDRESS,
        names: Mapping[str, str] = MappingProxyType({}),
        baud: int = BAUD,
        seed: int = 0,
        announced_s: float | None = 60.0,
        until_s: float | None = None,
        patience_s: float = 600.0,
        limit_s: float = 60.0,
        hard: bool = False,
    ) -> None:
        """Make a session; nothing happens yet.

        `border_router`: the mote with SLIP at its serial line, behind which the host has `address`; or the
        address for each of several. `names`: addresses by name, as in /etc/hosts. `baud`: speed of serial
        lines towards motes, bits/s. `seed`: of `random`. `announced_s`: simulated time from now in which
        border routers have to ask for their prefix (None: they need not). `until_s`: simulated time at which
        the program is ended. `patience_s`: simulated time for which a program without a timer waits for
        something to come. `limit_s`: real time in which the program has to let simulated time go on; `hard`:
        also end the process where Python can't interrupt it.
        """
        if isinstance(border_router, int):
            border_router = {border_router: address}
        self._routers = {mote: interface(text) for mote, text in (border_router or {}).items()}
        super().__init__(
            simulation,
            names=names,
            baud=baud,
            until_s=until_s,
            patience_s=patience_s,
            limit_s=limit_s,
            hard=hard,
        )
        self._seed = seed
        self._announced_us = None if announced_s is None else round(announced_s * US)

    def __enter__(self) -> Session:
        """Attach the host and wait for the border routers. Raises NoBorderRouter and ValueError."""
        with ExitStack() as held:
            held.callback(self._detach)
            held.enter_context(self.simulation.hold("a program in virtual time"))
            for mote, interface in self._routers.items():
                self.host.links.append(SlipLink(self.clock, mote, interface, self.baud, self.host.take))
            if self._announced_us is not None:
                self._await_routers(self.clock.now_us + self._announced_us)
            held.enter_context(_transports())
            held.callback(random.setstate, random.getstate())
            random.seed(self._seed)
            held.enter_context(_policy(_Policy(self)))
            held.enter_context(self.limit)
            self.limit.begin()
            self._held = held.pop_all()
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        """Give everything back; raise what ended the program, if the program has hidden it."""
        self._held.close()
        if self._failure is not None and self._failure is not error:
            raise self._failure from error

    def _detach(self) -> None:
        for loop in tuple(self._open):
            self.leave(loop)
        for link in self.host.links:
            link.close()

    def _await_routers(self, until_us: int) -> None:
        while silent := [link for link in self.host.links if not link.asked]:
            if self.clock.now_us >= until_us:
                raise faults.NoBorderRouter(_silence(silent[0], until_us))
            self.clock.step(until_us)

    def run(self, main: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine as asyncio.run() does, also in a notebook, where another loop runs already."""
        running = asyncio._get_running_loop()
        asyncio._set_running_loop(None)
        try:
            return asyncio.run(main)
        finally:
            asyncio._set_running_loop(running)

    def new_loop(self) -> SimulatedLoop:
        """Return a new event loop."""
        loop = SimulatedLoop(self)
        self.begun(loop)
        return loop


class _Policy(asyncio.DefaultEventLoopPolicy):
    """Gives asyncio.run() the loops of a session."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session

    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        """Return a new loop on the simulation's clock."""
        return self._session.new_loop()


@contextmanager
def _policy(policy: asyncio.AbstractEventLoopPolicy) -> Iterator[None]:
    """Let the policy hold in this block. It is deprecated from Python 3.14 on; nothing else reaches run()."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        before = asyncio.get_event_loop_policy()
        asyncio.set_event_loop_policy(policy)
    try:
        yield
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            asyncio.set_event_loop_policy(before)


@contextmanager
def _transports() -> Iterator[None]:
    """Choose aiocoap's transports in this block, where the user hasn't."""
    chosen = [name for name in _TRANSPORTS if name not in os.environ]
    os.environ.update((name, _TRANSPORTS[name]) for name in chosen)
    try:
        yield
    finally:
        for name in chosen:
            os.environ.pop(name, None)


def interface(text: str) -> IPv6Interface:
    """Return a host's address with the prefix of its border router. ValueError: it is none."""
    interface = IPv6Interface(text)
    if interface.network.prefixlen != 64:
        raise ValueError(f"{text}: a border router takes a prefix of 64 bits: write {interface.ip}/64")
    return interface


def _silence(link: SlipLink, until_us: int) -> str:
    printed = f"; it printed last: {link.last_text}" if link.last_text else "; it printed nothing"
    return (
        f"mote {link.mote} asked for no prefix until {faults.seconds(until_us)} of simulated time{printed}\n"
        "    choose the mote that runs a border router with SLIP at its serial line, such as "
        "examples/rpl-border-router"
    )


def current() -> Session:
    """Return the session of the running loop. RuntimeError: the program is not in virtual time."""
    loop = asyncio.get_running_loop()
    if not isinstance(loop, SimulatedLoop):
        raise RuntimeError("this event loop is not on a simulation's clock")
    return loop.world


async def ping(address: str, timeout_s: float = 5.0, size: int = 56) -> float:
    """Send an ICMPv6 echo request of `size` bytes; return the round-trip time in simulated seconds.

    Raises TimeoutError, and OSError for an answer that says why there is none.
    """
    return await current().host.ping(IPv6Address(address), timeout_s, size)


async def reachable(address: str, within_s: float = 300.0) -> float:
    """Ping every few seconds until an answer comes; return its round-trip time. Raises TimeoutError."""
    loop = asyncio.get_running_loop()
    until = loop.time() + within_s
    while True:
        try:
            return await ping(address, min(5.0, max(0.0, until - loop.time())))
        except (TimeoutError, OSError):
            if loop.time() >= until:
                raise TimeoutError(f"{address} did not answer within {within_s:g} s") from None
            await asyncio.sleep(1.0)


async def open_serial_connection(
    mote: int, limit: int = 2**16
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Open a mote's serial line as streams, as pyserial-asyncio does. ValueError: the line is taken."""
    loop = asyncio.get_running_loop()
    current()
    reader = asyncio.StreamReader(limit=limit, loop=loop)
    protocol = asyncio.StreamReaderProtocol(reader, loop=loop)
    transport, _ = await loop.create_serial_connection(lambda: protocol, mote)
    return reader, asyncio.StreamWriter(transport, protocol, reader, loop)


def mote_address(mote: int, prefix: str = ADDRESS) -> str:
    """Return the address that a Cooja mote of Contiki-NG makes from a prefix and its id."""
    identifier = bytes([mote >> 8 & 0xFF, mote & 0xFF]) * 4
    identifier = bytes([identifier[0] ^ 2]) + identifier[1:]  # the universal/local bit (RFC 4291, 2.5.1)
    return str(IPv6Address(IPv6Interface(prefix).network.network_address.packed[:8] + identifier))
