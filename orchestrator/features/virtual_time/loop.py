# SPDX-License-Identifier: Apache-2.0
"""An asyncio event loop whose time is a simulation's.

When all callbacks are done, the simulation goes on to the next timer, or until something comes for the
program. While the program computes, simulated time stands still.
"""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable
from ipaddress import IPv6Address
from typing import TYPE_CHECKING, Any, NoReturn

from orchestrator.features.virtual_time import faults
from orchestrator.features.virtual_time.clock import US
from orchestrator.features.virtual_time.datagrams import DatagramTransport, HostSocket
from orchestrator.features.virtual_time.host import ANY, LOOPBACK, Address
from orchestrator.features.virtual_time.serial_line import SerialTransport

if TYPE_CHECKING:
    from orchestrator.features.virtual_time.world import World

_SLICE_US = US  # at most so far at once, so that Ctrl-C is heard
_TCP = (
    "TCP is not available in virtual time: no maintained TCP stack takes its time from a simulation\n"
    f"    run the program in real time, with tunslip6 and --speed 1: {faults.PAGE}, TCP"
)


class SimulatedLoop(asyncio.BaseEventLoop):
    """The event loop of a world. See world.Session for what it refuses and when it ends."""

    def __init__(self, world: World) -> None:
        """Make a loop; asyncio.run() does that by the policy that a session sets."""
        super().__init__()
        self.world = world
        self._selector = _Steps(self, world)
        self._clock_resolution = 1 / US
        self._signals: dict[int, Any] = {}

    def time(self) -> float:
        """Return the simulated time, s."""
        return self.world.clock.now_us / US

    def close(self) -> None:
        """Close the loop, and with it its ports and serial lines."""
        if not self.is_closed():
            for number in tuple(self._signals):
                self.remove_signal_handler(number)
            self.world.leave(self)
        super().close()

    def _process_events(self, event_list: list) -> None:
        """Take the selector's events, of which there are none: callbacks are added while it steps."""

    def _write_to_self(self) -> None:
        """Wake the loop; after at most a slice it looks by itself."""

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        """Log as asyncio does; a callback that raised ends the program, too."""
        error = context.get("exception")
        if "handle" in context and isinstance(error, faults.NotInVirtualTime):
            self.world.fail(error)
        elif "handle" in context and isinstance(error, Exception):
            self.world.fail(
                faults.ProgramFailed(
                    f"a callback of the program raised at {self._now()} of simulated time: "
                    f"{faults.raised_at(error)}\n    correct it, or give the loop an exception handler that "
                    "lets the program go on (loop.set_exception_handler)"
                ),
                error,
            )
        else:
            super().default_exception_handler(context)

    def _now(self) -> str:
        return faults.seconds(self.world.clock.now_us)

    def run_in_executor(self, executor: Any, func: Callable, *args: Any) -> asyncio.Future:
        """Call the function at once, in this thread: a thread of its own would run in real time."""
        self._check_closed()
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:
            future.set_exception(error)
        return future

    async def getaddrinfo(
        self,
        host: str | bytes | None,
        port: str | bytes | int | None,
        *,
        family: int = 0,
        type: int = 0,  # noqa: A002 - asyncio's name
        proto: int = 0,
        flags: int = 0,
    ) -> list:
        """Return the addresses of a literal, of "localhost" and of the session's names. Raises gaierror."""
        address = self._resolved(host, passive=bool(flags & socket.AI_PASSIVE))
        if family not in (socket.AF_UNSPEC, socket.AF_INET6):
            raise socket.gaierror(socket.EAI_FAMILY, "only IPv6 is known in virtual time")
        kinds = {socket.SOCK_DGRAM: socket.IPPROTO_UDP, socket.SOCK_STREAM: socket.IPPROTO_TCP}
        chosen = {type: proto or kinds.get(type, 0)} if type else kinds
        end = (str(address), _port_number(port), 0, 0)
        return [(socket.AF_INET6, kind, protocol, "", end) for kind, protocol in chosen.items()]

    async def getnameinfo(self, sockaddr: tuple, flags: int = 0) -> tuple[str, str]:
        """Return an address as text: nobody has a name for it."""
        return str(sockaddr[0]), str(sockaddr[1])

    def _resolved(self, host: str | bytes | None, passive: bool = False) -> IPv6Address:
        text = host.decode() if isinstance(host, bytes) else host
        if not text:
            return ANY if passive else LOOPBACK
        text = self.world.names.get(text, text)
        if text == "localhost":
            return LOOPBACK
        try:
            return IPv6Address(text.partition("%")[0])
        except ValueError:
            raise socket.gaierror(
                socket.EAI_NONAME,
                f"{text!r} is no IPv6 address, and no name of the session: there is no DNS in virtual time",
            ) from None

    async def create_datagram_endpoint(  # noqa: C901 - asyncio's arguments
        self,
        protocol_factory: Callable[[], asyncio.DatagramProtocol],
        local_addr: tuple | None = None,
        remote_addr: tuple | None = None,
        *,
        family: int = 0,
        proto: int = 0,
        flags: int = 0,
        reuse_port: bool | None = None,
        allow_broadcast: bool | None = None,
        sock: object = None,
    ) -> tuple[asyncio.DatagramTransport, asyncio.DatagramProtocol]:
        """Open a UDP port of the session's host. Raises OSError as a real loop does."""
        if sock is not None:
            self._refuse("a socket of the operating system")
        if family not in (socket.AF_UNSPEC, socket.AF_INET6):
            raise OSError("only IPv6 is known in virtual time")
        host = self.world.host
        remote = await self._looked_up(remote_addr, proto, flags) if remote_addr else None
        local = (
            await self._looked_up(local_addr, proto, flags | socket.AI_PASSIVE) if local_addr else (ANY, 0)
        )
        if remote is not None and local[0] == ANY:
            local = (host.source_for(remote[0]), local[1])
        protocol = protocol_factory()
        transport = DatagramTransport(self, host, protocol, HostSocket(local, remote), bool(reuse_port))
        return await self._begun(transport, protocol)

    async def _looked_up(self, address: tuple, proto: int, flags: int) -> Address:
        found = await self.getaddrinfo(
            address[0], address[1], type=socket.SOCK_DGRAM, proto=proto, flags=flags
        )
        text, port, *_ = found[0][4]
        return IPv6Address(text), port

    async def create_serial_connection(
        self, protocol_factory: Callable[[], asyncio.Protocol], mote: int
    ) -> tuple[asyncio.Transport, asyncio.Protocol]:
        """Open the serial line of a mote, as pyserial-asyncio opens a port. ValueError: it is taken."""
        protocol = protocol_factory()
        transport = SerialTransport(self, self.world.clock, mote, self.world.baud, protocol)
        return await self._begun(transport, protocol)

    async def _begun(self, transport: Any, protocol: Any) -> tuple[Any, Any]:
        """Return both when the protocol knows its transport."""
        self.world.opened(self, transport)
        ready = self.create_future()
        self.call_soon(protocol.connection_made, transport)
        self.call_soon(transport.begin, ready)
        await ready
        return transport, protocol

    def add_signal_handler(self, sig: int, callback: Callable, *args: Any) -> None:
        """Call back when this process gets a signal, as other loops do."""
        before = signal.signal(sig, lambda *_: self.call_soon_threadsafe(callback, *args))
        self._signals.setdefault(sig, before)

    def remove_signal_handler(self, sig: int) -> bool:
        """Undo add_signal_handler()."""
        if sig not in self._signals:
            return False
        signal.signal(sig, self._signals.pop(sig))
        return True

    def _refuse(self, what: str) -> NoReturn:
        raise faults.NotInVirtualTime(
            f"{what} is not on the simulation's clock\n    {faults.PAGE} lists what a program can use"
        )

    async def create_connection(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse TCP."""
        raise faults.NotInVirtualTime(_TCP)

    async def create_server(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse TCP."""
        raise faults.NotInVirtualTime(_TCP)

    async def create_unix_connection(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse sockets of the operating system."""
        self._refuse("a Unix socket")

    async def create_unix_server(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse sockets of the operating system."""
        self._refuse("a Unix socket")

    async def subprocess_shell(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse processes."""
        self._refuse("another process")

    async def subprocess_exec(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse processes."""
        self._refuse("another process")

    def add_reader(self, *_: Any) -> NoReturn:
        """Refuse files of the operating system."""
        self._refuse("a file or socket of the operating system (add_reader)")

    def add_writer(self, *_: Any) -> NoReturn:
        """Refuse files of the operating system."""
        self._refuse("a file or socket of the operating system (add_writer)")


class _Steps:
    """What the base class takes for a selector: it waits by letting the simulation go on."""

    def __init__(self, loop: SimulatedLoop, world: World) -> None:
        self._loop, self._world = loop, world

    def select(self, timeout: float | None) -> list:
        """Wait for a timer (so many seconds ahead; None: there is none) or for something to come."""
        world = self._world
        world.check()
        if timeout is None or timeout > 0:
            world.limit.rest()
            self._step(timeout)
        world.limit.begin()
        return []

    def _step(self, timeout: float | None) -> None:
        world, clock, ready = self._world, self._world.clock, self._loop._ready
        began_us = clock.now_us
        began = faults.seconds(began_us)
        if timeout is None and not world.hears_something:
            self._give_up(
                f"the program waits for something that can never come, from {began} of simulated time on: it "
                "has no timer, no open port and no serial line",
                "let it wait with a time-out (asyncio.timeout), or open what it waits for",
            )
        until_us = None if timeout is None else began_us + max(1, round(timeout * US))
        while not ready:
            now_us = clock.now_us
            if world.until_us is not None and now_us >= world.until_us:
                raise world.time_is_up()
            if until_us is not None and now_us >= until_us:
                return
            if until_us is None and now_us >= began_us + world.patience_us:
                self._give_up(
                    f"nothing came for the program in {world.patience_us / US:g} s of simulated time, from "
                    f"{began} on, and it has no timer",
                    "let it wait with a time-out (asyncio.timeout), or give it more patience",
                )
            ends = [now_us + _SLICE_US, world.until_us, until_us]
            clock.step(min(end for end in ends if end is not None))

    def _give_up(self, what: str, remedy: str) -> NoReturn:
        raise self._world.ended_by(
            faults.NothingCanCome(f"{what}; {faults.waiting(self._loop)}\n    {remedy}")
        )


def _port_number(port: str | bytes | int | None) -> int:
    """Return a port by its number or the name of its service. Raises gaierror."""
    if port is None or isinstance(port, int):
        return port or 0
    text = port.decode() if isinstance(port, bytes) else port
    try:
        return int(text) if text.isdecimal() else socket.getservbyname(text)
    except OSError:
        raise socket.gaierror(socket.EAI_SERVICE, f"{text!r} is no port") from None
